/** Commands of the editor's and the explorer's menus, which put a mention into the composer. */

import * as vscode from "vscode";
import { linesOf, mention, pathFrom, type Lines } from "./mention";

/** The chat, as far as it is needed here. */
export interface Composer {
  /** Puts a text after what is there. */
  append(text: string): void;
  /** Brings it to the front, with the cursor in it. */
  focus(): Promise<void>;
}

/** Files at once: more than that is a folder. */
const MAX_FILES = 20;

export function registerMenus(composer: Composer): vscode.Disposable[] {
  const put = async (texts: readonly string[]): Promise<void> => {
    if (texts.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t("Open a file of this workspace first."));
      return;
    }
    composer.append(texts.join(" "));
    await composer.focus();
  };
  return [
    vscode.commands.registerCommand("steersman.ui.addSelection", () => put(selectionOf(vscode.window.activeTextEditor))),
    // From the explorer with all that is selected there; from a tab with its file; from the palette with nothing.
    vscode.commands.registerCommand("steersman.ui.askAboutFile", (uri?: vscode.Uri, all?: unknown) =>
      put(filesOf(uri, all).map((each) => named(each))),
    ),
  ];
}

function selectionOf(editor: vscode.TextEditor | undefined): string[] {
  if (editor?.document.uri.scheme !== "file") return [];
  const lines = editor.selections.map(linesOf).filter((each) => each !== undefined);
  if (lines.length === 0) return [named(editor.document.uri)];
  return [...new Set(lines.map((each) => named(editor.document.uri, each)))];
}

function filesOf(uri: vscode.Uri | undefined, all: unknown): vscode.Uri[] {
  const chosen: unknown[] = Array.isArray(all) && all.length > 0 ? all : [uri ?? vscode.window.activeTextEditor?.document.uri];
  return chosen
    .filter((each): each is vscode.Uri => each instanceof vscode.Uri && each.scheme === "file")
    .slice(0, MAX_FILES);
}

function named(uri: vscode.Uri, lines?: Lines): string {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => ({
    path: folder.uri.path,
    name: folder.name,
  }));
  // `path` of a Windows drive begins with a slash that its name has not.
  return mention(pathFrom(uri.path, folders).replace(/^\/([A-Za-z]:)/, "$1"), lines);
}

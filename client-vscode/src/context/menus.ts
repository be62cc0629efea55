/** Commands in the menus of the editor and the explorer that put mentions into the composer. */

import * as vscode from "vscode";
import { linesOf, mention, pathFrom, type Lines } from "./mention";

/** What is needed of the chat. */
export interface Composer {
  /** Appends a text. */
  append(text: string): void;
  /** Brings the chat to the front and puts the cursor into the composer. */
  focus(): Promise<void>;
}

/** Files mentioned at once; for more, mention their folder. */
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
    // Arguments: all selected files from the explorer, the file from a tab, nothing from the palette.
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
  // On Windows a URI's `path` has a slash before the drive letter.
  return mention(pathFrom(uri.path, folders).replace(/^\/([A-Za-z]:)/, "$1"), lines);
}

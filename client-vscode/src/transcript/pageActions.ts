/** What the transcript asks of the editor: to open a file or a page, to copy a text or insert it into a document. */

import * as vscode from "vscode";
import { t } from "../l10n";
import { Refused } from "../server/refused";
import type { Handlers } from "../view/bridge";
import { placesOf } from "./filePlaces";

export function pageActions(): Handlers {
  return {
    showFile: async ({ uri, line }) => {
      const selection = line === undefined ? {} : { selection: new vscode.Range(line - 1, 0, line - 1, 0) };
      await vscode.commands.executeCommand("vscode.open", await existing(uri), selection);
      return {};
    },
    openLink: async ({ href }) => {
      if (!/^https?:\/\//i.test(href)) throw new Refused(t("This link can't be opened."), "failed");
      await vscode.env.openExternal(vscode.Uri.parse(href, true));
      return {};
    },
    copy: async ({ text }) => {
      await vscode.env.clipboard.writeText(text);
      return {};
    },
    insertAtCursor: async ({ text }) => {
      await insert(text);
      return {};
    },
  };
}

async function existing(named: string): Promise<vscode.Uri> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
  for (const place of placesOf(named, folders)) {
    const uri = vscode.Uri.parse(place, true);
    try {
      await vscode.workspace.fs.stat(uri);
      return uri;
    } catch {
      // Try the next place.
    }
  }
  throw new Refused(t("There is no file {0}.", named), "failed");
}

/** Replaces the selection in the editor that was used last. */
async function insert(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (!editor) throw new Refused(t("Open a file first, and put the cursor where the text belongs."), "failed");
  const { document, selections, viewColumn } = editor;
  const done = await editor.edit((edit) => selections.forEach((selection) => edit.replace(selection, text)));
  if (!done) throw new Refused(t("The text can't be inserted: {0} can't be changed.", document.fileName), "failed");
  await vscode.window.showTextDocument(document, { ...(viewColumn === undefined ? {} : { viewColumn }) });
}

/** What of the editor goes with a message: the selection, as `context` of a command. */

import * as vscode from "vscode";
import type { ContextParams, SelectionParams } from "../protocol";
import { spanOf } from "./lspShapes";

/** Of many cursors those that can be meant. */
const MAX_SELECTIONS = 10;

/** What is told to the server by itself, and has to be there before a message. */
export interface Told {
  flush(): void;
}

export class EditorContext {
  constructor(private readonly told: readonly Told[]) {}

  /**
   * What goes with a message: of `attach` what the user has named, and the selection also unasked if the setting says so.
   *
   * Diagnostics and what is open are not in it: the server is told of them all the time, and leaves out what a deny
   * rule covers, where a message that names such a file would be refused.
   */
  context(attach: readonly ("selection" | "diagnostics")[]): ContextParams {
    for (const each of this.told) each.flush();
    const wanted = attach.includes("selection") || isSetting();
    const selections = wanted ? selected() : [];
    return selections.length > 0 ? { selections } : {};
  }
}

function isSetting(): boolean {
  return vscode.workspace.getConfiguration("steersman").get("context.selection", true);
}

/** Without the text: the server has the document. */
function selected(): SelectionParams[] {
  const editor = vscode.window.activeTextEditor;
  const uri = editor?.document.uri;
  if (editor === undefined || uri?.scheme !== "file" || !vscode.workspace.getWorkspaceFolder(uri)) return [];
  return editor.selections
    .filter((selection) => !selection.isEmpty)
    .slice(0, MAX_SELECTIONS)
    .map((selection) => ({ uri: uri.toString(), range: spanOf(selection) }));
}

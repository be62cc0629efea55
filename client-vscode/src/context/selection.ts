/** The editor's selection as the `context` that is sent with a message. */

import * as vscode from "vscode";
import type { ContextParams, SelectionParams } from "../protocol";
import { spanOf } from "./lspShapes";

/** Nobody means more selections at once. */
const MAX_SELECTIONS = 10;

/** Sends something to the server continually, and must be up to date before a message. */
export interface Told {
  flush(): void;
}

export class EditorContext {
  constructor(private readonly told: readonly Told[]) {}

  /**
   * The context for a message: the selection, if the user has attached it or the setting says so.
   *
   * It has no diagnostics or open documents: the server gets these continually and leaves out files under a deny rule,
   * whereas it would refuse a message that names such a file.
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

/** Without their text: the server has the document. */
function selected(): SelectionParams[] {
  const editor = vscode.window.activeTextEditor;
  const uri = editor?.document.uri;
  if (editor === undefined || uri?.scheme !== "file" || !vscode.workspace.getWorkspaceFolder(uri)) return [];
  return editor.selections
    .filter((selection) => !selection.isEmpty)
    .slice(0, MAX_SELECTIONS)
    .map((selection) => ({ uri: uri.toString(), range: spanOf(selection) }));
}

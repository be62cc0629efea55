/** Shows what a revert would do to a file as a read-only document with the diff. */

import * as vscode from "vscode";
import type { FileToRevert } from "../protocol";

const SCHEME = "steersman-revert";

export class RevertDiffs implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registered: readonly vscode.Disposable[];
  private number = 0;

  constructor() {
    this.registered = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  async show(file: FileToRevert): Promise<void> {
    const { path } = vscode.Uri.parse(file.uri);
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `${path}.diff`, query: String(++this.number) });
    // Without the header: the tab names the file.
    this.texts.set(uri.toString(), (file.diff ?? "").replace(/^--- .*\n\+\+\+ .*\n/, ""));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, "diff");
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
  }

  /** Closes all, once the question that they were about is answered. */
  async close(): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const ours = tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === SCHEME);
    await vscode.window.tabGroups.close(ours, true);
  }

  dispose(): void {
    for (const each of this.registered) each.dispose();
  }
}

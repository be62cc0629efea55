/** The room for what runs have changed: marks the lines in the editor, steps through them, and reverts them. */

import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { Handlers } from "../view/bridge";
import { textOnly } from "../view/notice";
import { ChangeDecorations, decorationsWanted } from "./decorations";
import { nextMark } from "./ranges";
import { Reverts } from "./revert";
import { RevertDiffs } from "./revertDiffs";
import { TrackedChanges } from "./tracked";

export class Changes implements vscode.Disposable {
  private readonly tracked: TrackedChanges;
  private readonly reverts: Reverts;
  private readonly disposables: { dispose(): void }[];
  readonly handlers: Handlers;

  /** `shown()`: the session of the chat. */
  constructor(server: Server, log: vscode.LogOutputChannel, shown: () => string | null) {
    this.tracked = new TrackedChanges(server, log, decorationsWanted);
    const diffs = new RevertDiffs();
    this.reverts = new Reverts(server, this.tracked, diffs, shown);
    this.handlers = this.reverts.handlers;
    this.disposables = [
      this.tracked,
      diffs,
      new ChangeDecorations(this.tracked),
      this.tracked.onDidChange(() => this.say()),
      command("revertLastRun", () => this.reverts.revertLastRun()),
      command("revertFile", (uri) => this.reverts.revertFile(meant(uri))),
      command("next", () => this.go(true)),
      command("previous", () => this.go(false)),
      command("dismiss", () => this.tracked.dismiss()),
    ];
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  private say(): void {
    void vscode.commands.executeCommand("setContext", "steersman.hasChanges", this.tracked.changed.length > 0);
  }

  /** Goes to the next change in this file, else to the first one in the next changed file. */
  private async go(forwards: boolean): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const here = editor && nextMark(this.tracked.marksIn(editor.document.uri), editor.selection.active.line, forwards);
    if (editor && here) return show(editor, here.start);
    const files = this.tracked.changed.flatMap(({ files }) => [...files.keys()]).map((uri) => vscode.Uri.parse(uri));
    if (files.length === 0) return;
    const at = files.findIndex((uri) => uri.toString() === editor?.document.uri.toString());
    const step = at < 0 ? 0 : at + (forwards ? 1 : -1);
    const uri = files[(step + files.length) % files.length];
    if (uri) await this.open(uri, forwards);
  }

  private async open(uri: vscode.Uri, forwards: boolean): Promise<void> {
    const editor = await vscode.window.showTextDocument(uri);
    const marks = await this.tracked.known(uri);
    const mark = forwards ? marks[0] : marks.at(-1);
    if (mark) show(editor, mark.start);
  }
}

function show(editor: vscode.TextEditor, line: number): void {
  const place = editor.document.validatePosition(new vscode.Position(line, 0));
  editor.selection = new vscode.Selection(place, place);
  editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** The file of a lens; from the palette, the active editor's. */
function meant(uri: unknown): vscode.Uri {
  if (uri instanceof vscode.Uri) return uri;
  const active = vscode.window.activeTextEditor?.document.uri;
  if (!active) throw new Error(vscode.l10n.t("Open the file first."));
  return active;
}

function command(name: string, work: (argument: unknown) => Promise<void> | void): vscode.Disposable {
  return vscode.commands.registerCommand(`steersman.ui.changes.${name}`, async (argument: unknown) => {
    try {
      await work(argument);
    } catch (error) {
      await vscode.window.showErrorMessage(textOnly(error instanceof Error ? error.message : String(error)));
    }
  });
}

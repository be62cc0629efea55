/** The lines that the last run changed: known by events, fetched for files in view, and moved along with edits. */

import * as vscode from "vscode";
import type { Server } from "../server/server";
import { type ChangedFile, LastRuns, type RunChanges } from "./lastRun";
import { MovingMarks } from "./movingMarks";
import { type Mark, marksOf } from "./ranges";
import { checkpointOf, preview } from "./reverting";

/** Milliseconds to wait for further edits before the lines are fetched. */
const QUIET = 300;

export class TrackedChanges implements vscode.Disposable {
  private readonly runs = new LastRuns();
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly marks = new MovingMarks();
  private readonly stale = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private asking: Promise<void> | undefined;
  private readonly listening: vscode.Disposable[];
  readonly onDidChange = this.changes.event;

  /** `wanted()`: whether changed lines are shown at all. */
  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
    private readonly wanted: () => boolean,
  ) {
    this.listening = [
      server.onEvent((event) => {
        if (!this.runs.apply(event)) return;
        if (event.type === "edit_applied") this.outdated(event.data.target ?? event.data.uri);
        this.tell();
      }),
      server.onDidChangeState(({ kind }) => {
        if (kind === "running") return;
        this.runs.stopped();
        this.tell();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) =>
        this.marks.edited(document.uri.toString(), contentChanges),
      ),
      vscode.window.onDidChangeVisibleTextEditors(() => this.look()),
    ];
  }

  /** The runs that have changed files: live ones, and the last. */
  get changed(): readonly RunChanges[] {
    return this.runs.changed;
  }

  /** The latest run that changed a document, and how; undefined: none did. */
  of(uri: vscode.Uri): { readonly run: RunChanges; readonly file: ChangedFile } | undefined {
    return this.runs.of((each) => vscode.Uri.parse(each).toString() === uri.toString());
  }

  /** A document's changed lines, as far as they are known. */
  marksIn(uri: vscode.Uri): readonly Mark[] {
    return this.marks.get(uri.toString()) ?? [];
  }

  dismiss(): void {
    this.runs.dismiss();
    this.tell();
  }

  /** A document's changed lines; fetches them if they aren't known. */
  async known(uri: vscode.Uri): Promise<readonly Mark[]> {
    // Whoever waited as long may have asked first.
    while (this.asking) await this.asking;
    if (this.lacks(uri)) await this.ask([uri]);
    return this.marksIn(uri);
  }

  /** Soon fetches the lines of visible documents, if they aren't known. */
  look(): void {
    if (this.shown().length > 0) this.timer ??= setTimeout(() => this.lookNow(), QUIET);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const listener of this.listening) listener.dispose();
    this.changes.dispose();
  }

  private tell(): void {
    for (const uri of this.marks.names) if (!this.of(vscode.Uri.parse(uri))) this.marks.forget(uri);
    this.changes.fire();
    this.look();
  }

  private outdated(uri: string): void {
    this.stale.add(vscode.Uri.parse(uri).toString());
  }

  /** Whether a document was changed and its lines are unknown or outdated. */
  private lacks(uri: vscode.Uri): boolean {
    const name = uri.toString();
    return (!this.marks.get(name) || this.stale.has(name)) && this.of(uri) !== undefined;
  }

  private shown(): vscode.Uri[] {
    if (!this.wanted()) return [];
    return vscode.window.visibleTextEditors.map(({ document }) => document.uri).filter((uri) => this.lacks(uri));
  }

  private lookNow(): void {
    this.timer = undefined;
    // If a question is open, the next one follows its answer.
    if (!this.asking) void this.ask(this.shown());
  }

  /** One question at a time. Never throws. */
  private async ask(uris: readonly vscode.Uri[]): Promise<void> {
    this.asking = this.askAll(uris);
    await this.asking;
    this.asking = undefined;
    this.changes.fire();
    this.look();
  }

  private async askAll(uris: readonly vscode.Uri[]): Promise<void> {
    for (const uri of uris) this.stale.delete(uri.toString());
    try {
      for (const run of this.runs.changed) {
        const files = uris.flatMap((uri) => this.of(uri) ?? []).filter((each) => each.run === run);
        if (files.length > 0) await this.askRun(run, files.map(({ file }) => file.uri));
      }
    } catch (error) {
      // Only decoration is missing: the chat shows what the run did, and its next change asks again.
      this.log.info(`The changed lines can't be shown: ${String(error)}`);
    } finally {
      for (const uri of uris) if (!this.marks.get(uri.toString())) this.marks.set(uri.toString(), []);
    }
  }

  private async askRun(run: RunChanges, uris: readonly string[]): Promise<void> {
    const checkpoint = await checkpointOf(this.server, run.session, run);
    if (checkpoint === null) return;
    // Only from here on: what was typed before is in the text that this question is about.
    await this.marks.fetch(async () => {
      const { files } = await preview(this.server, run.session, checkpoint, uris);
      const diffOf = (uri: string): string => files.find((file) => file.uri === uri)?.diff ?? "";
      return new Map(uris.map((uri) => [vscode.Uri.parse(uri).toString(), marksOf(diffOf(uri))]));
    });
  }
}

/**
 * Proposals in the native diff editor: opens them, follows them while the user edits them or leaves out hunks, and closes
 * them when their question ends.
 */

import * as vscode from "vscode";
import { placeOf, ProposalFiles, SCHEME, uriOf, type Place } from "./documents";
import { Leftovers } from "./leftovers";
import { placeOf as whereTo } from "./policy";
import type { Proposal } from "./proposal";
import { ProposalTabs, type Sides } from "./tabs";

/** The user has asked for the diff: of the file with that URI, or of all files. */
export interface Asked {
  readonly uri: string | undefined;
}

interface Shown {
  readonly proposal: Proposal;
  readonly sides: readonly Sides[];
  /** Milliseconds since 1970. */
  readonly openedAt: number;
}

export class Diffs implements vscode.Disposable {
  readonly files = new ProposalFiles();
  readonly tabs = new ProposalTabs();
  private readonly shown = new Map<string, Shown>();
  private readonly leftovers = new Leftovers<vscode.Tab>((tab) => this.tabs.isLeft(tab, (id) => this.shown.has(id)));
  private readonly changes = new vscode.EventEmitter<string>();
  /** The id of a question whose proposal the user has altered. */
  readonly onDidChange = this.changes.event;
  /** According to the page. */
  chatHasFocus = false;
  private readonly listening: { dispose(): void }[];

  constructor() {
    const follow = (uri: vscode.Uri): void => this.follow(uri);
    this.listening = [
      this.files,
      this.changes,
      vscode.workspace.registerFileSystemProvider(SCHEME, this.files, { isCaseSensitive: true }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => follow(document.uri)),
      vscode.workspace.onDidCloseTextDocument((document) => follow(document.uri)),
      this.files.onDidWrite(follow),
    ];
  }

  /** The diff of a question, once it has been opened. */
  get(id: string): Shown | undefined {
    return this.shown.get(id);
  }

  /** Opens the diff. Unless it was asked for, the focus stays where it is. */
  async open(proposal: Proposal, asked?: Asked): Promise<void> {
    const { id } = proposal.request;
    const shown = this.shown.get(id) ?? this.prepare(proposal);
    const { sides } = shown;
    if (asked && asked.uri === undefined && sides.length > 1) {
      await this.tabs.openSeveral(id, sides);
      return;
    }
    const at = Math.max(0, sides.findIndex(({ proposed }) => this.uriIn(proposal, proposed) === asked?.uri));
    const first = sides[at];
    if (!first) return;
    const column = asked || whereTo(this.chatHasFocus, this.tabs.othersInFront) === "active" ? "Active" : "Beside";
    const name = baseName(first.file);
    const title =
      sides.length > 1
        ? vscode.l10n.t("{0}: proposed change ({1} of {2} files)", name, at + 1, sides.length)
        : vscode.l10n.t("{0}: proposed change", name);
    const line = proposal.firstChange(placeOf(first.proposed)?.index ?? 0);
    await this.tabs.openOne(first, title, line, {
      preserveFocus: !asked,
      viewColumn: this.tabs.columnOf(id) ?? vscode.ViewColumn[column],
    });
  }

  /** Takes in a hunk or leaves it out. */
  async toggle(place: Place, hunk: string): Promise<void> {
    const shown = this.shown.get(place.id);
    const uri = shown?.sides.find(({ proposed }) => placeOf(proposed)?.index === place.index)?.proposed;
    if (!shown || !uri) return;
    const text = shown.proposal.toggle(place.index, hunk);
    const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
    if (document?.isDirty) {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), text);
      await vscode.workspace.applyEdit(edit);
    } else this.files.put(uri, text, false);
    this.changes.fire(place.id);
  }

  /** The question has ended: closes its tabs; one that can't be closed becomes read-only. */
  async close(id: string): Promise<void> {
    this.shown.delete(id);
    await this.tabs.close((each) => each === id);
    if (this.tabs.isOpen(id)) this.files.freeze(id);
    else this.files.forget(id);
  }

  /** Whether tabs have come that no open question has: they may, at any time after the start. */
  leftoversHaveCome(): boolean {
    return this.leftovers.haveCome(this.tabs.all);
  }

  /** Closes the tabs that an earlier window has left, and those of ended questions that were opened again. */
  async closeLeftovers(): Promise<void> {
    await this.tabs.close((id) => !this.shown.has(id));
    await this.tabs.closeLeftSeveral();
  }

  dispose(): void {
    for (const listener of this.listening) listener.dispose();
  }

  /** The URI of a document's file, as the question spells it. */
  private uriIn(proposal: Proposal, document: vscode.Uri): string | undefined {
    const place = placeOf(document);
    return place && proposal.change(place.index).uri;
  }

  private prepare(proposal: Proposal): Shown {
    const { id } = proposal.request;
    const sides: Sides[] = [];
    for (let index = 0; index < proposal.size; index++) {
      const { uri, kind } = proposal.change(index);
      if (kind === "move") continue;
      const file = vscode.Uri.parse(uri, true);
      const before = uriOf({ id, index, side: "before" }, file);
      const proposed = uriOf({ id, index, side: "proposed" }, file);
      this.files.put(before, proposal.oldText(index), true);
      this.files.put(proposed, proposal.text(index), !proposal.editable(index));
      sides.push({ file, before, proposed });
    }
    const shown = { proposal, sides, openedAt: Date.now() };
    this.shown.set(id, shown);
    return shown;
  }

  /** Unsaved text counts, else the file system's: the document may not have read that again yet. */
  private follow(uri: vscode.Uri): void {
    const place = placeOf(uri);
    if (place?.side !== "proposed") return;
    const shown = this.shown.get(place.id);
    if (!shown) return;
    const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
    const text = document?.isDirty ? document.getText() : this.files.text(uri);
    if (text !== undefined && shown.proposal.wrote(place.index, text)) this.changes.fire(place.id);
  }
}

function baseName(file: vscode.Uri): string {
  return file.path.slice(file.path.lastIndexOf("/") + 1);
}

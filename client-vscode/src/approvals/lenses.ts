/** CodeLenses on the proposed side of a proposal: the answers at the top, a choice at each hunk. */

import * as vscode from "vscode";
import { placeOf, SCHEME, type Place } from "./documents";
import type { Proposal } from "./proposal";

/** What is needed of the questions. */
export interface Proposals {
  /** The proposal of a pending question whose diff was opened. */
  proposal(id: string): Proposal | undefined;
  readonly onDidChange: vscode.Event<void>;
}

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;
  private readonly listening: { dispose(): void }[];

  constructor(private readonly proposals: Proposals) {
    this.listening = [
      this.changes,
      proposals.onDidChange(() => this.changes.fire()),
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const place = placeOf(document.uri);
    const proposal = place?.side === "proposed" ? this.proposals.proposal(place.id) : undefined;
    if (!place || !proposal) return [];
    const first = proposal.firstChange(place.index);
    // The diff opens at its first change: if the top is out of sight from there, the answers are repeated.
    const far = first > FAR ? answers(proposal, first) : [];
    return [...answers(proposal, 0), ...far, ...hunks(proposal, place)];
  }

  dispose(): void {
    for (const listener of this.listening) listener.dispose();
  }
}

const FAR = 12;

function answers(proposal: Proposal, line: number): vscode.CodeLens[] {
  const { id, decisions } = proposal.request;
  const { size } = proposal;
  const several = size > 1;
  const all = [
    ["accept", "steersman.ui.approve.accept", acceptLabel(proposal)],
    ["acceptForRun", "steersman.ui.approve.acceptForRun", vscode.l10n.t("Accept all in this run")],
    ["decline", "steersman.ui.approve.decline", several ? vscode.l10n.t("Decline all {0} files", size) : vscode.l10n.t("Decline")],
    ["cancel", "steersman.ui.approve.stop", vscode.l10n.t("Stop")],
  ] as const;
  return all
    .filter(([decision]) => decisions.includes(decision))
    .map(([, command, title]) => lens(line, { command, title, arguments: [id] }));
}

function acceptLabel(proposal: Proposal): string {
  if (proposal.edited) return vscode.l10n.t("Accept your version");
  const chosen = proposal.chosenHunks;
  const all = proposal.request.changes.reduce((sum, change) => sum + change.hunks.length, 0);
  if (chosen) return vscode.l10n.t("Accept ({0} of {1} hunks)", chosen.length, all);
  return proposal.size > 1 ? vscode.l10n.t("Accept all {0} files", proposal.size) : vscode.l10n.t("Accept");
}

/** The only hunk of a single file can't be left out: that would be a no. */
function hunks(proposal: Proposal, place: Place): vscode.CodeLens[] {
  if (!proposal.editable(place.index)) return [];
  const all = proposal.hunks(place.index);
  const [only, another] = all;
  if (only && !another) {
    if (proposal.size < 2) return [];
    const title = only.chosen
      ? `$(check) ${vscode.l10n.t("Leave this file as it is")}`
      : `$(circle-slash) ${vscode.l10n.t("This file stays as it is")}: ${vscode.l10n.t("Change it")}`;
    return [lens(only.line, { command: "steersman.ui.approve.toggleHunk", title, arguments: [place, only.id] })];
  }
  return all.map(({ id, line, chosen }, at) => {
    const which = vscode.l10n.t("Hunk {0} of {1}", at + 1, all.length);
    const title = chosen
      ? `$(check) ${which}: ${vscode.l10n.t("Leave this hunk out")}`
      : `$(circle-slash) ${which}, ${vscode.l10n.t("left out")}: ${vscode.l10n.t("Accept this hunk")}`;
    return lens(line, { command: "steersman.ui.approve.toggleHunk", title, arguments: [place, id] });
  });
}

function lens(line: number, command: vscode.Command): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command);
}

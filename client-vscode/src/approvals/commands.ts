/** The commands that answer a question, from a CodeLens, a button in the diff's title, a key or the palette. */

import * as vscode from "vscode";
import type { ApprovalAnswer, ApprovalRequest } from "../protocol";
import { Refused } from "../server/refused";
import { textOnly } from "../view/notice";
import { placeOf, SCHEME, type Place } from "./documents";
import { inertFor } from "./inert";
import type { PlacedHunk } from "./hunks";

export interface CommandsOwner {
  /** The pending questions, oldest first. */
  readonly requests: readonly ApprovalRequest[];
  /** Fires when one comes or goes, among other things. */
  readonly onDidChange: vscode.Event<void>;
  /** Id of the question whose diff is in front. */
  readonly active: string | undefined;
  /** Milliseconds since 1970 when the question was first shown, and when its diff was opened. */
  shownSince(id: string): readonly number[];
  answer(id: string, answer: ApprovalAnswer): Promise<void>;
  showDiff(id: string): Promise<void>;
  /** Brings the question's card to the front. */
  showCard(request: ApprovalRequest | undefined): Promise<void>;
  hunks(place: Place): readonly PlacedHunk[];
  toggle(place: Place, hunk: string): Promise<void>;
}

export function registerCommands(owner: CommandsOwner): vscode.Disposable[] {
  const commands = new Commands(owner);
  const register = (name: string, run: (...args: unknown[]) => Promise<void>): vscode.Disposable =>
    vscode.commands.registerCommand(`steersman.ui.approve.${name}`, (...args: unknown[]) => told(run(...args)));
  return [
    register("accept", (which) => commands.answer(which, "accept")),
    register("acceptForRun", (which) => commands.answer(which, "acceptForRun")),
    register("acceptForSession", (which) => commands.answer(which, "acceptForSession")),
    register("decline", (which) => commands.answer(which, "decline")),
    register("stop", (which) => commands.answer(which, "cancel")),
    register("showDiff", (which) => commands.showDiff(which)),
    register("show", (which) => commands.show(which)),
    register("toggleHunk", (place, hunk) => commands.toggle(place, hunk)),
    register("nextHunk", () => commands.step(1)),
    register("previousHunk", () => commands.step(-1)),
  ];
}

/** Shows the user why something was refused. Other errors are thrown. */
export async function told(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    void vscode.window.showWarningMessage(textOnly(error.message));
  }
}

class Commands {
  constructor(private readonly owner: CommandsOwner) {}

  async answer(which: unknown, decision: ApprovalAnswer["decision"]): Promise<void> {
    const request = await this.which(which);
    if (!request) return;
    if (inertFor(Date.now(), ...this.owner.shownSince(request.id)) > 0) {
      vscode.window.setStatusBarMessage(vscode.l10n.t("This was asked just now: look at it and press again."), 3000);
      return;
    }
    const answer = decision === "decline" ? await this.decline(request) : { decision };
    if (answer) await this.owner.answer(request.id, answer);
  }

  async showDiff(which: unknown): Promise<void> {
    const request = await this.which(which);
    if (request) await this.owner.showDiff(request.id);
  }

  async show(which: unknown): Promise<void> {
    await this.owner.showCard(this.named(which) ?? this.owner.requests[0]);
  }

  async toggle(place: unknown, hunk: unknown): Promise<void> {
    if (isPlace(place) && typeof hunk === "string") return this.owner.toggle(place, hunk);
    const here = atCursor();
    const hunks = here ? this.owner.hunks(here.place) : [];
    const at = [...hunks].reverse().find(({ line }) => line <= (here?.line ?? 0)) ?? hunks[0];
    if (here && at) await this.owner.toggle(here.place, at.id);
  }

  async step(by: 1 | -1): Promise<void> {
    const here = atCursor();
    const lines = (here ? this.owner.hunks(here.place) : []).map(({ line }) => line);
    if (!here || lines.length === 0) {
      // A text that the user has rewritten has no hunks any more, but the diff editor knows its changes.
      const command = by === 1 ? "nextChange" : "previousChange";
      await vscode.commands.executeCommand(`workbench.action.compareEditor.${command}`);
      return;
    }
    if (by === -1) lines.reverse();
    const line = lines.find((each) => (by === 1 ? each > here.line : each < here.line)) ?? lines[0] ?? 0;
    here.editor.selection = new vscode.Selection(line, 0, line, 0);
    here.editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** The question that the argument names, else the one of the diff in front, else the one that the user picks. */
  private async which(which: unknown): Promise<ApprovalRequest | undefined> {
    const { requests } = this.owner;
    if (which !== undefined && (typeof which === "string" || isProposal(which))) {
      const named = this.named(which);
      if (!named) throw new Refused(vscode.l10n.t("This question has been answered already."), "alreadyAnswered");
      return named;
    }
    const active = requests.find(({ id }) => id === this.owner.active);
    if (active ?? requests.length < 2) return active ?? requests[0];
    const picked = await vscode.window.showQuickPick(
      requests.map((request) => ({ label: request.title, detail: request.command ?? request.reason, request })),
      { title: vscode.l10n.t("Which question?") },
    );
    return picked?.request;
  }

  /** A no, with feedback for the model; undefined if the user cancels, or the question ends meanwhile. */
  private async decline({ id, title }: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
    const over = new vscode.CancellationTokenSource();
    const listening = this.owner.onDidChange(() => {
      if (!this.named(id)) over.cancel();
    });
    try {
      const feedback = await vscode.window.showInputBox(
        {
          title: vscode.l10n.t("Decline: {0}", title),
          placeHolder: vscode.l10n.t("What should it do instead? (optional)"),
          ignoreFocusOut: true,
        },
        over.token,
      );
      if (feedback === undefined) return undefined;
      const said = feedback.trim();
      return said === "" ? { decision: "decline" } : { decision: "decline", feedback: said };
    } finally {
      listening.dispose();
      over.dispose();
    }
  }

  private named(which: unknown): ApprovalRequest | undefined {
    const id = isProposal(which) ? placeOf(which)?.id : which;
    return this.owner.requests.find((request) => request.id === id);
  }
}

function atCursor(): { place: Place; line: number; editor: vscode.TextEditor } | undefined {
  const editor = vscode.window.activeTextEditor;
  const place = editor && placeOf(editor.document.uri);
  return editor && place?.side === "proposed" ? { place, line: editor.selection.active.line, editor } : undefined;
}

function isProposal(value: unknown): value is vscode.Uri {
  return value instanceof vscode.Uri && value.scheme === SCHEME;
}

function isPlace(value: unknown): value is Place {
  return typeof value === "object" && value !== null && "id" in value && "index" in value && "side" in value;
}

/** `steersman/requestApproval`: questions that are answered in the chat, in a diff or in a notification. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ApprovalAnswer, ApprovalRequest, ApprovalTextsAnswer } from "../protocol";
import { Refused } from "../server/refused";
import type { ClientFeature, Server } from "../server/server";
import { answerTrust } from "../server/trust";
import type { Sessions } from "../sessions/registry";
import type { Handlers } from "../view/bridge";
import type { Mode, PendingApproval } from "../view/messages";
import { registerCommands, type CommandsOwner } from "./commands";
import { Diffs, type Asked } from "./diffs";
import type { Place } from "./documents";
import type { PlacedHunk } from "./hunks";
import { Lenses } from "./lenses";
import { opensItself, type OpenDiff } from "./policy";
import { Proposal } from "./proposal";
import { Questions } from "./questions";
import { Signs, type ChatView } from "./signs";

export interface ApprovalRooms {
  readonly server: Server;
  readonly sessions: Sessions;
  readonly view: ChatView & { reveal(focus: boolean): Promise<void> };
  /** Shows a session in the chat. */
  openSession(session: string): Promise<unknown>;
}

export class Approvals implements ClientFeature, CommandsOwner, vscode.Disposable {
  readonly options = { approval: true };
  private readonly questions = new Questions(
    (params) => this.needRooms().server.execute("steersman.approve", params),
    () => Date.now(),
    (ended) => this.changed(ended),
  );
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;
  private readonly diffs = new Diffs();
  private readonly lenses = new Lenses(this);
  /** Questions whose diff was opened automatically or on request: if the user closes it, it stays closed. */
  private readonly offered = new Set<string>();
  /** Opens and closes tabs one after the other. */
  private tabWork: Promise<void> = Promise.resolve();
  private signs: Signs | undefined;
  private rooms: ApprovalRooms | undefined;
  private readonly listening: { dispose(): void }[];

  constructor(private readonly log: vscode.LogOutputChannel) {
    this.listening = [
      this.changes,
      this.diffs,
      this.lenses,
      this.diffs.onDidChange(() => this.changes.fire()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.tabsChanged()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.tabsChanged()),
      ...registerCommands(this),
    ];
    this.tabsChanged();
  }

  readonly handlers: Handlers = {
    approve: async ({ id, answer }) => {
      await this.answer(id, answer);
      return {};
    },
    showDiff: async ({ id, uri }) => {
      await this.showDiff(id, uri);
      return {};
    },
    pageFocus: ({ focused }) => {
      this.diffs.chatHasFocus = focused;
      return {};
    },
  };

  /** The rooms that are created later. */
  connect(rooms: ApprovalRooms): void {
    this.rooms = rooms;
    this.signs = new Signs(
      {
        requests: () => this.requests,
        isPending: (id) => this.questions.get(id) !== undefined,
        answer: async (id, decision) => {
          await vscode.commands.executeCommand(`steersman.ui.approve.${decision === "cancel" ? "stop" : decision}`, id);
        },
      },
      rooms.view,
    );
    this.listening.push(
      this.signs,
      // A hidden page doesn't report that it has lost the focus.
      rooms.view.onDidChangeVisibility((visible) => (this.diffs.chatHasFocus &&= visible)),
      rooms.server.onEvent((event) => event.type === "approval_resolved" && this.questions.close(event.data.id)),
    );
  }

  attach(client: LanguageClient): vscode.Disposable[] {
    return [
      client.onRequest("steersman/requestApproval", (request: ApprovalRequest, token: vscode.CancellationToken) =>
        this.ask(request, token),
      ),
      // A server that has gone waits for no answer.
      new vscode.Disposable(() => this.questions.closeAll()),
    ];
  }

  /** For the page, oldest first. */
  pending(): readonly PendingApproval[] {
    const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
    return this.questions.pending.map(({ request, shownAt }) => {
      const proposal = this.proposal(request.id);
      return {
        request,
        sessionTitle: this.rooms?.sessions.get(request.session).title ?? null,
        roots,
        chosenHunks: proposal?.chosenHunks ?? null,
        edited: proposal?.edited ?? false,
        shownAt,
      };
    });
  }

  get requests(): readonly ApprovalRequest[] {
    return this.questions.pending.map(({ request }) => request);
  }

  get active(): string | undefined {
    return this.diffs.tabs.active;
  }

  proposal(id: string): Proposal | undefined {
    return this.questions.get(id) && this.diffs.get(id)?.proposal;
  }

  shownSince(id: string): readonly number[] {
    return [this.questions.get(id)?.shownAt ?? 0, this.diffs.get(id)?.openedAt ?? 0];
  }

  async answer(id: string, answer: ApprovalAnswer): Promise<void> {
    const made = this.proposal(id)?.complete(answer) ?? answer;
    await this.questions.answer(id, made);
  }

  showDiff(id: string, uri?: string): Promise<void> {
    this.offered.add(id);
    return this.inTurn(() => this.openDiff(id, { uri }));
  }

  async showCard(request: ApprovalRequest | undefined): Promise<void> {
    const { view, openSession } = this.needRooms();
    await view.reveal(false);
    if (request) await openSession(request.session);
  }

  hunks(place: Place): readonly PlacedHunk[] {
    return this.proposal(place.id)?.hunks(place.index) ?? [];
  }

  toggle(place: Place, hunk: string): Promise<void> {
    return this.diffs.toggle(place, hunk);
  }

  /** Closes no question: VS Code calls this before the server is told to end, and the server would take null for a no. */
  dispose(): void {
    for (const listener of this.listening) listener.dispose();
  }

  private ask(request: ApprovalRequest, token: vscode.CancellationToken): Promise<ApprovalAnswer | null> {
    const trust = answerTrust(request);
    if (trust) return Promise.resolve(trust);
    const answer = this.questions.ask(request);
    if (token.isCancellationRequested) this.questions.close(request.id);
    const listening = token.onCancellationRequested(() => this.questions.close(request.id));
    void this.signs?.notify(request);
    return answer.finally(() => void listening.dispose());
  }

  private changed(ended: readonly string[]): void {
    const { requests } = this;
    setContext("steersman.approvalPending", requests.length > 0);
    setContext("steersman.approvalForRun", requests.some(({ decisions }) => decisions.includes("acceptForRun")));
    this.signs?.update();
    this.changes.fire();
    for (const id of ended) {
      this.offered.delete(id);
      if (this.diffs.get(id)) this.inBackground(() => this.diffs.close(id));
    }
    this.inBackground(() => this.openNext());
  }

  private tabsChanged(): void {
    setContext("steersman.proposalActive", this.active !== undefined);
    if (this.diffs.leftoversHaveCome()) this.inBackground(() => this.diffs.closeLeftovers());
  }

  /** Opens one diff at a time automatically, in the order of the questions. */
  private async openNext(): Promise<void> {
    if (this.requests.some(({ id }) => this.diffs.tabs.isOpen(id))) return;
    for (const request of this.requests) {
      if (this.offered.has(request.id)) continue;
      this.offered.add(request.id);
      if (!opensItself(request, openDiffSetting(), await this.mode(request.session))) continue;
      await this.openDiff(request.id);
      return;
    }
  }

  private async openDiff(id: string, asked?: Asked): Promise<void> {
    const question = this.questions.get(id);
    if (!question) throw new Refused(vscode.l10n.t("This question has been answered already."), "alreadyAnswered");
    let proposal = this.diffs.get(id)?.proposal;
    if (!proposal) {
      const texts = await this.needRooms().server.request<ApprovalTextsAnswer>("steersman/approvalTexts", { id });
      proposal = new Proposal(question.request, texts.changes);
    }
    if (!this.questions.get(id)) return;
    await this.diffs.open(proposal, asked);
    // Only now is it known which question the tab belongs to.
    this.tabsChanged();
    this.changes.fire();
  }

  private async mode(session: string): Promise<Mode> {
    const { server, sessions } = this.needRooms();
    return sessions.get(session).mode ?? (await server.execute("steersman.status", {})).mode;
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.tabWork.then(work);
    this.tabWork = done.catch(() => undefined);
    return done;
  }

  private inBackground(work: () => Promise<void>): void {
    this.inTurn(work).catch((error: unknown) => this.log.warn(`A diff could not be shown or closed: ${String(error)}`));
  }

  private needRooms(): ApprovalRooms {
    if (!this.rooms) throw new Refused(vscode.l10n.t("The server is not running."), "noServer");
    return this.rooms;
  }
}

function setContext(key: string, value: boolean): void {
  void vscode.commands.executeCommand("setContext", key, value);
}

function openDiffSetting(): OpenDiff {
  const setting = vscode.workspace.getConfiguration("steersman").get<string>("approval.openDiff");
  return setting === "onRequest" ? "onRequest" : "automatic";
}

/** Shows that a question waits: in a notification, the view's badge and the status bar. */

import * as vscode from "vscode";
import type { ApprovalAnswer, ApprovalRequest } from "../protocol";
import { saysAll, textOnly } from "../view/notice";
import { inertFor } from "./inert";

/** What is needed of the chat view. */
export interface ChatView {
  readonly visible: boolean;
  badge: vscode.ViewBadge | undefined;
  readonly onDidChangeVisibility: vscode.Event<boolean>;
}

export interface SignsOwner {
  requests(): readonly ApprovalRequest[];
  isPending(id: string): boolean;
  /** Answers; asks for feedback with a no, and shows a failure. */
  answer(id: string, decision: ApprovalAnswer["decision"]): Promise<void>;
}

interface Button extends vscode.MessageItem {
  readonly decision: ApprovalAnswer["decision"] | "show";
}

export class Signs implements vscode.Disposable {
  private readonly status = vscode.window.createStatusBarItem("steersman.approvals", vscode.StatusBarAlignment.Left, 1);
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly owner: SignsOwner,
    private readonly view: ChatView,
  ) {
    this.status.name = vscode.l10n.t("Steersman: questions");
    this.status.command = "steersman.ui.approve.show";
    this.status.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
    // A view that was created again has no badge yet.
    this.listening = view.onDidChangeVisibility(() => this.update());
  }

  update(): void {
    const pending = this.owner.requests();
    const label = vscode.l10n.t("Steersman is waiting for you");
    this.view.badge = pending.length > 0 ? { value: pending.length, tooltip: label } : undefined;
    if (pending.length === 0) return this.status.hide();
    this.status.text = `$(bell-dot) ${label}`;
    this.status.tooltip = pending.map(({ title }) => title).join("\n");
    this.status.show();
  }

  /** Shows one notification for a question that is asked while the chat is hidden. It can't be withdrawn. */
  async notify(request: ApprovalRequest): Promise<void> {
    if (this.view.visible) return;
    let pressed: Button | undefined;
    let shownAt: number;
    do {
      shownAt = Date.now();
      pressed = await vscode.window.showInformationMessage(textOnly(request.title), ...buttons(request));
      // A click before it could be read was meant for something else.
    } while (pressed && inertFor(Date.now(), shownAt) > 0 && this.owner.isPending(request.id));
    if (!pressed) return;
    if (!this.owner.isPending(request.id)) {
      void vscode.window.showInformationMessage(vscode.l10n.t("This question has been answered already."));
      return;
    }
    if (pressed.decision === "show") await vscode.commands.executeCommand("steersman.ui.approve.show", request.id);
    else await this.owner.answer(request.id, pressed.decision);
  }

  dispose(): void {
    this.status.dispose();
    this.listening.dispose();
  }
}

function buttons(request: ApprovalRequest): Button[] {
  const { decisions } = request;
  const all: Button[] = [
    { decision: "accept", title: vscode.l10n.t("Accept") },
    { decision: "acceptForRun", title: vscode.l10n.t("Accept all in this run") },
    { decision: "decline", title: vscode.l10n.t("Decline") },
    { decision: "cancel", title: vscode.l10n.t("Stop") },
  ];
  const offered = saysAll(request) ? all : all.filter(({ decision }) => !decision.startsWith("accept"));
  const given = offered.filter(({ decision }) => decision !== "show" && decisions.includes(decision));
  return [...given, { decision: "show", title: vscode.l10n.t("Show") }];
}

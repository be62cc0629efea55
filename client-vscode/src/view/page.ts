/** The chat page inside VS Code: made when the view is shown, told of everything, asked by it. It knows no session. */

import * as vscode from "vscode";
import { answerCall, type Handlers } from "./bridge";
import { pageHtml } from "./html";
import type { Draft, FromPage, Push } from "./messages";

export const CHAT_VIEW = "steersman.chatView";

export interface PageOwner {
  /** The page stands and knows nothing: push everything. */
  ready(): void;
  draft(draft: Draft): void;
  draftText(text: string): void;
}

export class ChatPage implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | undefined;
  private listens = false;
  /** The cursor is wanted in a composer that is not there yet. */
  private awaited = false;
  private readonly visibility = new vscode.EventEmitter<boolean>();
  readonly onDidChangeVisibility = this.visibility.event;

  constructor(
    private readonly root: vscode.Uri,
    private readonly handlers: Handlers,
    private readonly owner: PageOwner,
  ) {}

  get visible(): boolean {
    return this.view?.visible ?? false;
  }

  /** A number on the view's icon; 0 takes it away. */
  set badge(badge: { readonly value: number; readonly tooltip: string } | undefined) {
    if (this.view) this.view.badge = badge;
  }

  /** A page that does not listen yet gets everything when it says that it does. */
  push(message: Push): void {
    if (this.listens) void this.view?.webview.postMessage(message);
  }

  /** Brings the view to the front; `focus` also puts the cursor into the composer. */
  async reveal(focus: boolean): Promise<void> {
    const { visible } = this;
    if (this.view) this.view.show(!focus);
    else await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`, { preserveFocus: !focus });
    if (!focus) return;
    // A page that was hidden is made anew, and hears nothing before it says that it is there.
    if (visible && this.listens) this.push({ type: "focus" });
    else this.awaited = true;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.listens = false;
    view.webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(this.root, "dist", "webview")],
    };
    const listening = [
      view.webview.onDidReceiveMessage((message: FromPage) => void this.received(message)),
      view.onDidChangeVisibility(() => this.visibility.fire(view.visible)),
    ];
    view.onDidDispose(() => {
      for (const listener of listening) listener.dispose();
      if (this.view === view) {
        this.view = undefined;
        this.listens = false;
      }
      this.visibility.fire(false);
    });
    view.webview.html = pageHtml(view.webview, this.root);
    this.visibility.fire(view.visible);
  }

  private async received(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        this.listens = true;
        this.owner.ready();
        if (this.awaited) this.push({ type: "focus" });
        this.awaited = false;
        break;
      case "draft":
        this.owner.draft(message.draft);
        break;
      case "draftText":
        this.owner.draftText(message.text);
        break;
      case "ping":
        this.push({ type: "pong" });
        break;
      case "call":
        this.push(await answerCall(this.handlers, message));
    }
  }
}

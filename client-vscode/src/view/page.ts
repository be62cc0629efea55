/** The chat page as a webview view of VS Code. */

import * as vscode from "vscode";
import type { Handlers } from "./bridge";
import { pageHtml } from "./html";
import type { FromPage, Push } from "./messages";
import { PageLink, type PageOwner } from "./pageLink";

export const CHAT_VIEW = "steersman.chatView";

export class ChatPage implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | undefined;
  private readonly link: PageLink;
  private readonly visibility = new vscode.EventEmitter<boolean>();
  readonly onDidChangeVisibility = this.visibility.event;

  constructor(
    private readonly root: vscode.Uri,
    handlers: Handlers,
    owner: PageOwner,
  ) {
    this.link = new PageLink(handlers, owner);
  }

  get visible(): boolean {
    return this.view?.visible ?? false;
  }

  /** A number on the view's icon; undefined removes it. */
  set badge(badge: vscode.ViewBadge | undefined) {
    if (this.view) this.view.badge = badge;
  }

  push(message: Push): void {
    this.link.push(message);
  }

  /** Brings the view to the front; `focus` also puts the cursor into the composer. */
  reveal(focus: boolean): Promise<void> {
    return focus ? this.link.focus(this.visible, () => this.show(true)) : this.show(false);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { webview } = view;
    this.view = view;
    this.link.open(webview);
    webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(this.root, "dist", "webview")],
    };
    const listening = [
      webview.onDidReceiveMessage((message: FromPage) => void this.link.received(message)),
      view.onDidChangeVisibility(() => this.visibility.fire(view.visible)),
    ];
    view.onDidDispose(() => {
      for (const listener of listening) listener.dispose();
      this.link.close(webview);
      if (this.view === view) this.view = undefined;
      this.visibility.fire(false);
    });
    webview.html = pageHtml(webview, this.root);
    this.visibility.fire(view.visible);
  }

  private async show(focus: boolean): Promise<void> {
    if (this.view) this.view.show(!focus);
    else await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`, { preserveFocus: !focus });
  }
}

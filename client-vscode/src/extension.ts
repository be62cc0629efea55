/** Puts the rooms together. Nothing is started before the chat is shown or a command is run. */

import * as vscode from "vscode";
import { Approvals } from "./approvals/approvals";
import { Inputs } from "./context/inputs";
import { launcher } from "./server/launch";
import { Server } from "./server/server";
import { Sessions } from "./sessions/registry";
import { Chat } from "./view/chat";
import { Drafts } from "./view/drafts";
import { CHAT_VIEW, ChatPage } from "./view/page";

export function activate(context: vscode.ExtensionContext): void {
  const { version } = context.extension.packageJSON as { version: string };
  const log = vscode.window.createOutputChannel("Steersman", { log: true });
  const approvals = new Approvals();
  const inputs = new Inputs();
  const server = new Server(launcher(), [approvals, inputs], log, version);
  const sessions = new Sessions(server);
  const drafts = new Drafts(context.workspaceState);
  const chat = new Chat(server, sessions, drafts, context.workspaceState, {
    approvals,
    inputs,
    context: () => ({}),
  });
  const page = new ChatPage(
    context.extensionUri,
    { ...chat.handlers, ...approvals.handlers, ...inputs.handlers },
    chat,
  );
  chat.connect((message) => page.push(message));

  context.subscriptions.push(
    log,
    server,
    sessions,
    chat,
    approvals,
    inputs,
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, page),
    page.onDidChangeVisibility((visible) => visible && void server.start()),
    vscode.commands.registerCommand("steersman.ui.newSession", () => chat.show(null).then(() => page.reveal(true))),
    vscode.commands.registerCommand("steersman.ui.focusComposer", () => page.reveal(true)),
    vscode.commands.registerCommand("steersman.ui.stop", () => chat.stop()),
    vscode.commands.registerCommand("steersman.ui.restart", () => server.restart()),
  );
}

/** Assembles the rooms. No server starts before the chat is shown or a command is run. */

import * as vscode from "vscode";
import { Approvals } from "./approvals/approvals";
import { Changes } from "./changes/changes";
import { CodeActionCommands } from "./context/codeActions";
import { Completions } from "./context/completions";
import { Diagnostics } from "./context/diagnostics";
import { Inputs } from "./context/inputs";
import { registerMenus } from "./context/menus";
import { OpenDocuments } from "./context/openDocuments";
import { Saving } from "./context/saving";
import { EditorContext } from "./context/selection";
import { Tools } from "./context/tools";
import { translateWith } from "./l10n";
import { ServerRoom } from "./server/room";
import { Sessions } from "./sessions/registry";
import { SessionsView } from "./sessions/view";
import { pageActions } from "./transcript/pageActions";
import { Chat } from "./view/chat";
import { Drafts } from "./view/drafts";
import { KeptFile } from "./view/keptFile";
import { CHAT_VIEW, ChatPage } from "./view/page";

export function activate(context: vscode.ExtensionContext): void {
  translateWith(vscode.l10n.t, vscode.env.language);
  const log = vscode.window.createOutputChannel("Steersman", { log: true });
  const approvals = new Approvals(log);
  const inputs = new Inputs();
  const diagnostics = new Diagnostics();
  const openDocuments = new OpenDocuments();
  const editor = new EditorContext([openDocuments, diagnostics]);
  const codeActions = new CodeActionCommands(log);
  const room = new ServerRoom(context, log, [approvals, inputs, diagnostics, openDocuments, new Saving(), new Tools(), codeActions]);
  const { server } = room;
  const sessions = new Sessions(server);
  const completions = new Completions(server);
  const storage = context.storageUri ?? context.globalStorageUri;
  const kept = new KeptFile(vscode.Uri.joinPath(storage, "chat.json").fsPath, (error) =>
    log.warn(`What is typed in the chat can't be kept: ${String(error)}`),
  );
  const drafts = new Drafts(kept);
  const chat = new Chat(server, sessions, drafts, kept, {
    approvals,
    inputs,
    context: (attach) => editor.context(attach),
  });
  const changes = new Changes(server, log, () => chat.current);
  const sessionsView: SessionsView = new SessionsView(server, sessions, chat, () => page.reveal(true));
  const page = new ChatPage(
    context.extensionUri,
    { ...room.handlers, ...chat.handlers, ...approvals.handlers, ...inputs.handlers, ...completions.handlers, ...changes.handlers, ...sessionsView.handlers, ...pageActions() },
    chat,
  );
  chat.connect((message) => page.push(message));
  approvals.connect({ server, sessions, view: page, openSession: (session) => chat.show(session) });
  inputs.connect({
    get visible() {
      return page.visible;
    },
    get session() {
      return chat.current;
    },
    show: async (session) => {
      if (session !== chat.current) void chat.show(session);
      await page.reveal(false);
    },
    onDidChange: (listener) => {
      const listening = [chat.onDidShow(listener), page.onDidChangeVisibility(listener)];
      return vscode.Disposable.from(...listening);
    },
  });
  room.connect(sessions, chat.onDidChangeModel);
  codeActions.connect({
    showSession: async (session) => {
      // The view opens at once; the session is read meanwhile.
      if (session !== null && session !== chat.current) void chat.show(session);
      await page.reveal(false);
    },
    bring: (texts) => chat.bring(texts),
  });

  context.subscriptions.push(
    log,
    room,
    sessions,
    chat,
    approvals,
    inputs,
    completions,
    changes,
    sessionsView,
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, page),
    ...registerMenus({ append: (text) => chat.append(text), focus: () => page.reveal(true) }),
    page.onDidChangeVisibility((visible) => visible && void server.start()),
    vscode.commands.registerCommand("steersman.ui.newSession", () => chat.show(null).then(() => page.reveal(true))),
    vscode.commands.registerCommand("steersman.ui.focusComposer", () => page.reveal(true)),
    vscode.commands.registerCommand("steersman.ui.stop", () => chat.stop()),
  );
  deactivated = () => server.deactivate();
}

let deactivated: () => Promise<void> = () => Promise.resolve();

/** The editor waits for this only briefly: the server is asked to end, and does so by itself. */
export function deactivate(): Promise<void> {
  return deactivated();
}

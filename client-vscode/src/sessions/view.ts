/** The sessions view: the tree with its commands and search, and the session in the chat selected. */

import * as vscode from "vscode";
import { t } from "../l10n";
import type { Server } from "../server/server";
import type { Chat } from "../view/chat";
import type { Handlers } from "../view/bridge";
import { type Named, SessionActions } from "./actions";
import type { SessionNode, TreeNode } from "./groups";
import { pickSession } from "./picker";
import type { Sessions } from "./registry";
import { rowOf } from "./rows";
import { folderName, SessionsTree } from "./tree";

const SESSIONS_VIEW = "steersman.sessionsView";

export class SessionsView implements vscode.Disposable {
  private readonly tree: SessionsTree;
  private readonly view: vscode.TreeView<TreeNode>;
  private readonly actions: SessionActions;
  private readonly disposables: { dispose(): void }[];
  /** The session in the chat was not in the list yet. */
  private unselected = true;

  /** `reveal`: brings the chat to the front. */
  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly chat: Chat,
    reveal: () => Promise<void>,
  ) {
    this.tree = new SessionsTree(server, sessions);
    this.view = vscode.window.createTreeView(SESSIONS_VIEW, {
      treeDataProvider: this.tree,
      canSelectMany: true,
      showCollapseAll: false,
    });
    const shown = { get current() { return chat.current; }, show: (id: string | null) => chat.show(id), reveal };
    this.actions = new SessionActions(server, sessions, shown, () => this.tree.refresh());
    this.tree.visible = this.view.visible;
    this.disposables = [
      this.tree,
      this.view,
      this.view.onDidChangeVisibility(({ visible }) => {
        this.tree.visible = visible;
        this.select();
      }),
      this.tree.onDidChangeState(() => {
        this.say();
        if (this.unselected) this.select();
      }),
      chat.onDidShow(() => this.select()),
      ...this.commands(),
    ];
    this.say();
  }

  /** The page's calls about the session in the chat. */
  get handlers(): Handlers {
    return {
      exportSession: async () => {
        const id = this.chat.current;
        if (id === null) throw new Error(t("There is no session yet: send a message first."));
        await this.actions.export(this.named(id));
        return {};
      },
    };
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  private commands(): vscode.Disposable[] {
    const { actions } = this;
    const command = (name: string, work: (...args: unknown[]) => Promise<void> | void): vscode.Disposable =>
      vscode.commands.registerCommand(`steersman.ui.${name}`, (...args: unknown[]) =>
        actions.told(async () => work(...args)),
      );
    const ofOne = (name: string, work: (session: Named) => Promise<void>): vscode.Disposable =>
      command(name, async (node) => {
        const [session] = this.meant(node);
        if (session) await work(session);
      });
    return [
      command("session.open", (id) => (typeof id === "string" ? actions.open(id) : undefined)),
      ofOne("session.fork", (session) => actions.fork(session)),
      ofOne("session.rename", (session) => actions.rename(session)),
      ofOne("session.export", (session) => actions.export(session)),
      ofOne("session.copyId", (session) => actions.copyId(session)),
      command("session.delete", (node, all) => actions.delete(this.meant(node, all))),
      command("sessions.refresh", () => this.tree.refresh()),
      command("sessions.showMore", (scope) => (typeof scope === "string" ? this.tree.showMore(scope) : undefined)),
      command("sessions.search", () => this.search()),
      command("sessions.clearSearch", () => this.find("")),
      command("sessions.resume", async () => {
        const id = await pickSession(this.server, (listed) => rowOf(listed, this.sessions.listed(listed), false), folderName);
        if (id !== undefined) await actions.open(id);
      }),
    ];
  }

  /**
   * What a command applies to: the item of its menu (or the whole selection, if that includes it), the selection for a key,
   * the session in the chat for the palette.
   */
  private meant(node: unknown, all?: unknown): Named[] {
    const nodes = Array.isArray(all) ? all : node === undefined ? this.view.selection : [node];
    const chosen = (nodes as readonly TreeNode[]).filter((each): each is SessionNode => each.kind === "session");
    if (chosen.length > 0) return chosen.map(({ row }) => ({ id: row.id, title: row.title }));
    return this.chat.current === null ? [] : [this.named(this.chat.current)];
  }

  private named(id: string): Named {
    return { id, title: this.sessions.get(id).title ?? this.tree.find(id)?.row.title ?? null };
  }

  private async search(): Promise<void> {
    const words = await vscode.window.showInputBox({
      title: t("Search Sessions"),
      prompt: t("Words of the title. Empty: all sessions"),
      value: this.tree.query,
    });
    if (words === undefined) return;
    this.find(words);
    await vscode.commands.executeCommand(`${SESSIONS_VIEW}.focus`);
  }

  private find(words: string): void {
    this.tree.query = words;
    void vscode.commands.executeCommand("setContext", "steersman.sessionsFiltered", this.tree.query !== "");
    this.say();
  }

  /** Sets the line above the list. An empty view without such a line shows its welcome. */
  private say(): void {
    const { query, state, problem } = this.tree;
    void vscode.commands.executeCommand("setContext", "steersman.sessionsState", state);
    if (problem !== undefined) this.view.message = problem;
    else if (query === "" || state === "failed") this.view.message = undefined;
    else if (state === "empty") this.view.message = t("No session has “{0}” in its title.", query);
    else this.view.message = t("Sessions with “{0}” in the title", query);
  }

  /** Selects the session in the chat, if it is listed, and expands its groups. */
  private select(): void {
    const node = this.chat.current === null ? undefined : this.tree.find(this.chat.current);
    this.unselected = this.chat.current !== null;
    if (!node || !this.view.visible) return;
    this.unselected = false;
    // If the list is drawn again meanwhile, it no longer knows the node: the next list selects the session.
    this.view.reveal(node, { select: true, focus: false }).then(undefined, () => (this.unselected = true));
  }
}

/** The items of the sessions view. It asks the server only while the view is visible. */

import * as vscode from "vscode";
import { locale, t } from "../l10n";
import type { ListedSession } from "../protocol";
import type { Server } from "../server/server";
import type { SessionNow } from "./current";
import { type Drawing, Drawings } from "./drawings";
import { WhileVisible } from "./whileVisible";
import {
  type GroupNode,
  type Listing,
  otherNodes,
  ownNodes,
  type SessionNode,
  type TreeNode,
} from "./groups";
import { ageText, descriptionOf, factsOf, iconOf, spokenOf, titleOf } from "./labels";
import { SessionList } from "./list";
import type { Sessions } from "./registry";
import { changesList, Failures, type Row, rowOf } from "./rows";

/** What the view shows: one of these at a time. */
export type TreeState = "listed" | "empty" | "failed";

export class SessionsTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<TreeNode | undefined>();
  private readonly states = new vscode.EventEmitter<void>();
  private readonly failures = new Failures();
  private readonly list: SessionList;
  private readonly refreshing = new WhileVisible(() => this.changes.fire(undefined), later);
  private readonly listening: vscode.Disposable[];
  private readonly drawings = new Drawings();
  /** What each row was made of. */
  private readonly listed = new WeakMap<Row, ListedSession>();
  private knowsOthers = false;
  private minute: NodeJS.Timeout | undefined;
  private told: TreeState = "listed";
  private why: string | undefined;

  readonly onDidChangeTreeData = this.changes.event;
  readonly onDidChangeState = this.states.event;

  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
  ) {
    this.list = new SessionList(
      (params) => this.server.execute("steersman.sessions", params),
      (listed) => this.row(listed, sessions.listed(listed)),
    );
    this.listening = [
      server.onEvent((event) => {
        this.failures.apply(event);
        if (changesList(event)) this.refreshing.want();
      }),
      server.onDidChangeState(({ kind }) => (kind === "running" || kind === "failed") && this.refreshing.want()),
      sessions.onDidChange((session) => this.redraw(session)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refreshing.want()),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.refreshing.want()),
    ];
  }

  get state(): TreeState {
    return this.told;
  }

  /** Why there is no list. Undefined if the server could not be started, which the chat shows. */
  get problem(): string | undefined {
    return this.why;
  }

  get query(): string {
    return this.list.query;
  }

  set query(words: string) {
    this.list.query = words;
    this.refreshing.want();
  }

  set visible(visible: boolean) {
    clearInterval(this.minute);
    // Relative times change while nothing happens.
    if (visible) this.minute = setInterval(() => this.refreshing.want(), 60_000);
    this.refreshing.visible = visible;
  }

  refresh(): void {
    this.refreshing.want();
  }

  showMore(scope: string): void {
    this.list.showMore(scope);
    this.refreshing.want();
  }

  /** The node of a session, if it is listed. */
  find(session: string): SessionNode | undefined {
    return this.drawings.find(session);
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return node.parent;
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    if (node === undefined) return this.roots();
    if (node.kind !== "others") return "children" in node ? node.children : [];
    const drawing = this.drawings.latest;
    return this.asked(drawing, async () => drawing.keep(otherNodes(await this.others(drawing), node)));
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    switch (node.kind) {
      case "session":
        return sessionItem(node);
      case "folder":
      case "age":
        return groupItem(node);
      case "others": {
        const open = vscode.TreeItemCollapsibleState;
        const item = new vscode.TreeItem(t("Other folders"), this.query ? open.Expanded : open.Collapsed);
        // A search expands it; with another id, its previous state returns afterwards.
        item.id = this.query ? "others:found" : "others";
        return item;
      }
      case "more":
      case "end": {
        const item = new vscode.TreeItem(node.kind === "more" ? t("Show more…") : t("Older sessions: search for them"));
        item.id = node.id;
        item.command =
          node.kind === "more"
            ? { command: "steersman.ui.sessions.showMore", title: t("Show more…"), arguments: [node.scope] }
            : { command: "steersman.ui.sessions.search", title: t("Search Sessions") };
        return item;
      }
    }
  }

  dispose(): void {
    clearInterval(this.minute);
    this.refreshing.dispose();
    for (const listener of this.listening) listener.dispose();
    this.changes.dispose();
    this.states.dispose();
  }

  private async roots(): Promise<TreeNode[]> {
    const drawing = this.drawings.begin();
    // The user restarts a server that could not be started; drawing a list must not.
    if (this.server.state.kind === "failed") {
      this.become("failed");
      return [];
    }
    return this.asked(drawing, async () => {
      const folders = ownFolders();
      const listings = await Promise.all(folders.map(async (folder) => [folder, await this.list.of(folder)] as const));
      const own = new Map<string, Listing>(listings);
      drawing.own = new Set(listings.flatMap(([, { rows }]) => rows.map(({ id }) => id)));
      const nodes = drawing.keep(ownNodes(own, new Date()));
      if (folders.length === 0) nodes.push(...drawing.keep(otherNodes(await this.others(drawing), undefined)));
      else if (await this.hasOthers(drawing, listings.map(([, listing]) => listing))) {
        nodes.push({ kind: "others", id: "others", parent: undefined });
      }
      this.become(nodes.length > 0 ? "listed" : "empty", drawing);
      return nodes;
    });
  }

  private others({ own }: Drawing): Promise<Listing> {
    return this.list.others(ownFolders(), own);
  }

  /** Once there are some, it does not ask again. A search covers all folders. */
  private async hasOthers(drawing: Drawing, own: readonly Listing[]): Promise<boolean> {
    if (this.query) return (await this.others(drawing)).rows.length > 0;
    const known = own.reduce((sum, { rows }) => sum + rows.length, 0);
    this.knowsOthers ||= own.some(({ more }) => more !== "none") || (await this.list.hasOthers(known));
    return this.knowsOthers;
  }

  private async asked(drawing: Drawing, question: () => Promise<TreeNode[]>): Promise<TreeNode[]> {
    try {
      const nodes = await question();
      if (drawing === this.drawings.latest) this.why = undefined;
      return nodes;
    } catch (error) {
      if (drawing !== this.drawings.latest) return [];
      const started = this.server.state.kind === "running";
      this.why = started ? t("The sessions can't be listed: {0}", (error as Error).message) : undefined;
      this.become("failed");
      return [];
    }
  }

  /** An overtaken drawing has nothing to tell. */
  private become(state: TreeState, drawing = this.drawings.latest): void {
    if (drawing !== this.drawings.latest) return;
    this.told = state;
    this.states.fire();
  }

  private row(listed: ListedSession, now: SessionNow): Row {
    const row = rowOf(listed, now, this.failures.has(listed.session));
    this.listed.set(row, listed);
    return row;
  }

  /** A session's state has changed, but not its place in the list. */
  private redraw(session: string): void {
    for (const node of this.drawings.latest.of(session)) {
      const listed = this.listed.get(node.row);
      if (!listed) continue;
      const row = this.row(listed, this.sessions.get(session));
      if (row.state === node.row.state && row.title === node.row.title && row.model === node.row.model) continue;
      node.row = row;
      this.changes.fire(node);
    }
  }
}

export function folderName(uri: string): string {
  return uri === "" ? t("No folder") : vscode.Uri.parse(uri).fsPath;
}

function later(work: () => void): { cancel(): void } {
  const timer = setTimeout(work, 300);
  return { cancel: () => clearTimeout(timer) };
}

function ownFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
}

function groupItem(node: GroupNode): vscode.TreeItem {
  const open = vscode.TreeItemCollapsibleState.Expanded;
  const item =
    node.kind === "age"
      ? new vscode.TreeItem(ageText(node.name as Parameters<typeof ageText>[0]), open)
      : new vscode.TreeItem(vscode.Uri.parse(node.name).path.split("/").pop() ?? "", open);
  if (node.kind === "folder") {
    if (node.name === "") item.label = t("No folder");
    else item.tooltip = item.description = folderName(node.name);
  }
  item.id = node.id;
  return item;
}

function sessionItem(node: SessionNode): vscode.TreeItem {
  const { row } = node;
  const now = new Date();
  const item = new vscode.TreeItem(titleOf(row));
  const icon = iconOf(row.state);
  item.id = node.id;
  item.iconPath = new vscode.ThemeIcon(icon.name, icon.color ? new vscode.ThemeColor(icon.color) : undefined);
  item.description = descriptionOf(row, now, locale());
  item.accessibilityInformation = { label: spokenOf(row, now, locale()) };
  item.tooltip = new vscode.MarkdownString().appendMarkdown("**").appendText(titleOf(row)).appendMarkdown("**\n\n");
  for (const [name, value] of factsOf(row, folderName, locale())) {
    item.tooltip.appendMarkdown("- ").appendText(`${name}: ${value}`).appendMarkdown("\n");
  }
  item.contextValue = `session.${row.state}`;
  item.command = { command: "steersman.ui.session.open", title: t("Open"), arguments: [row.id] };
  return item;
}

/** The sessions by folder and date: the tree as values. Pure: the clock and the folders are passed in. */

import type { Row } from "./rows";

export type Age = "today" | "yesterday" | "week" | "earlier";

/** The sessions of one folder, or of all other folders, as far as they were asked for. */
export interface Listing {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** `page`: there are more. `end`: there may be more than the server lists. */
  readonly more: "none" | "page" | "end";
}

interface Child {
  readonly id: string;
  readonly parent: TreeNode | undefined;
}

export interface SessionNode extends Child {
  readonly kind: "session";
  row: Row;
}

export interface GroupNode extends Child {
  readonly kind: "folder" | "age";
  /** A URI of a folder ("" for sessions without one), or an `Age`. */
  readonly name: string;
  readonly children: TreeNode[];
}

/** The sessions of other folders; its children are fetched when it is opened. */
export interface OthersNode extends Child {
  readonly kind: "others";
}

/** "Show more" for a scope, or a note that no more can be shown. */
export interface MoreNode extends Child {
  readonly kind: "more" | "end";
  readonly scope: string;
}

export type TreeNode = SessionNode | GroupNode | OthersNode | MoreNode;

/** The scope of all folders outside this workspace. */
export const OTHERS = "others";

/** By calendar days in the clock's time zone; the future counts as today. */
export function ageOf(time: number, now: Date): Age {
  const daysAgo = (days: number): number =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime();
  if (time >= daysAgo(0)) return "today";
  if (time >= daysAgo(1)) return "yesterday";
  return time >= daysAgo(7) ? "week" : "earlier";
}

/** The same folder, however its URI is spelled. */
export function sameFolder(one: string, other: string): boolean {
  return spelled(one) === spelled(other);
}

/** The workspace's sessions by date, within folders if it has several. Folders without sessions are left out. */
export function ownNodes(folders: ReadonlyMap<string, Listing>, now: Date): TreeNode[] {
  const filled = [...folders].filter(([, listing]) => listing.rows.length > 0);
  if (folders.size === 1) return filled.flatMap(([folder, listing]) => byAge(folder, listing, now, undefined));
  return filled.map(([folder, listing]) => {
    const children: TreeNode[] = [];
    const node: GroupNode = { kind: "folder", id: `folder:${folder}`, name: folder, parent: undefined, children };
    children.push(...byAge(folder, listing, now, node));
    return node;
  });
}

/** Other folders' sessions by folder, the one with the newest session first. `parent` is undefined for the top level. */
export function otherNodes(listing: Listing, parent: TreeNode | undefined): TreeNode[] {
  const groups = new Map<string, GroupNode>();
  for (const row of listing.rows) {
    const folder = spelled(row.folders[0] ?? "");
    let group = groups.get(folder);
    if (!group) {
      group = { kind: "folder", id: `other:${folder}`, name: row.folders[0] ?? "", parent, children: [] };
      groups.set(folder, group);
    }
    // A folder with two names may be on both sides: a different id for each.
    group.children.push({ kind: "session", id: `other:${row.id}`, row, parent: group });
  }
  return [...groups.values(), ...moreNodes(OTHERS, listing, parent)];
}

/** Every session below some nodes. */
export function sessionsOf(nodes: readonly TreeNode[]): SessionNode[] {
  return nodes.flatMap((node) => {
    if (node.kind === "session") return [node];
    return "children" in node ? sessionsOf(node.children) : [];
  });
}

function byAge(scope: string, listing: Listing, now: Date, parent: TreeNode | undefined): TreeNode[] {
  const groups = new Map<Age, GroupNode>();
  for (const row of listing.rows) {
    const age = ageOf(row.updated, now);
    let group = groups.get(age);
    if (!group) {
      group = { kind: "age", id: `age:${scope}:${age}`, name: age, parent, children: [] };
      groups.set(age, group);
    }
    group.children.push({ kind: "session", id: row.id, row, parent: group });
  }
  return [...groups.values(), ...moreNodes(scope, listing, parent)];
}

function moreNodes(scope: string, { more }: Listing, parent: TreeNode | undefined): MoreNode[] {
  if (more === "none") return [];
  return [{ kind: more === "page" ? "more" : "end", id: `more:${scope}`, scope, parent }];
}

function spelled(uri: string): string {
  let plain = uri;
  try {
    plain = decodeURIComponent(uri);
  } catch {
    // It is not percent-encoded.
  }
  return plain.replace(/\/+$/, "");
}

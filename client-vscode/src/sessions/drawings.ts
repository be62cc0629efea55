/**
 * The nodes of the list as it was last drawn. A drawing takes a while, and a later one may begin meanwhile: what the earlier
 * one still finds is of no use to it, and must not stand beside its own. Pure.
 */

import { type SessionNode, sessionsOf, type TreeNode } from "./groups";

export class Drawing {
  private readonly nodes = new Map<string, SessionNode[]>();
  /** Ids of the sessions listed under this workspace. */
  own: ReadonlySet<string> = new Set();

  keep(nodes: TreeNode[]): TreeNode[] {
    for (const node of sessionsOf(nodes)) {
      // Opened again, a group gives its nodes anew.
      const others = this.of(node.row.id).filter(({ id }) => id !== node.id);
      this.nodes.set(node.row.id, [...others, node]);
    }
    return nodes;
  }

  /** A session's nodes: a folder with two names lists its sessions twice. */
  of(session: string): readonly SessionNode[] {
    return this.nodes.get(session) ?? [];
  }
}

export class Drawings {
  private now = new Drawing();

  /** The one that is shown, or is about to be. */
  get latest(): Drawing {
    return this.now;
  }

  /** Begins one that takes the place of all before. */
  begin(): Drawing {
    return (this.now = new Drawing());
  }

  /** The node of a session, if it is listed. */
  find(session: string): SessionNode | undefined {
    return this.now.of(session)[0];
  }
}

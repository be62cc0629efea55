/** What a list shows of one session: the summary of its log, with what this window has heard since. Pure. */

import type { Event, ListedSession, UsageData } from "../protocol";
import type { SessionNow } from "./current";

/** `locked`: another process has it open. `elsewhere`: another process has a live run in it. */
export type RowState = "running" | "waiting" | "interrupted" | "failed" | "locked" | "elsewhere" | "idle";

export interface Row {
  readonly id: string;
  readonly title: string | null;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
  /** URIs; the first is its own folder. */
  readonly folders: readonly string[];
  readonly model: string | null;
  readonly usage: UsageData | null;
  /** Bytes of its log. */
  readonly size: number;
  readonly state: RowState;
}

/** `now`: its state as this window has heard of it, or a fresh one. `failed`: its last run ended with an error. */
export function rowOf(listed: ListedSession, now: SessionNow, failed: boolean): Row {
  return {
    id: listed.session,
    title: now.title ?? listed.title,
    created: listed.created,
    updated: listed.updated,
    folders: listed.roots,
    model: now.model ?? listed.model,
    usage: listed.usage,
    size: listed.size,
    state: stateOf(listed, now, failed),
  };
}

function stateOf(listed: ListedSession, now: SessionNow, failed: boolean): RowState {
  if (now.run !== null) return now.state === "waitingApproval" || now.state === "waitingInput" ? "waiting" : "running";
  if (listed.locked) return listed.state === "live" ? "elsewhere" : "locked";
  if (failed) return "failed";
  return now.state === "interrupted" || listed.state === "interrupted" ? "interrupted" : "idle";
}

/** The sessions whose last run ended with an error, as far as this window has heard: the server's list doesn't tell. */
export class Failures {
  private readonly sessions = new Set<string>();

  has(session: string): boolean {
    return this.sessions.has(session);
  }

  apply(event: Event): void {
    if (event.type === "agent_start") this.sessions.delete(event.session);
    if (event.type === "agent_end" && event.data.stopReason === "error") this.sessions.add(event.session);
  }
}

/** Whether an event changes the list: a session is new or moves to another place. */
export function changesList(event: Event): boolean {
  return ["session", "session_renamed", "agent_start", "agent_end", "head"].includes(event.type);
}

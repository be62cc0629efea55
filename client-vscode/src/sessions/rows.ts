/** What a list shows of one session: its log's summary, with what this window has heard of it since. Pure. */

import type { Event, ListedSession, UsageData } from "../protocol";
import type { SessionNow } from "./current";

/** `locked`: another process has it open. `elsewhere`: a run of another process is under way in it. */
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

/** `now` is that of an unknown session where this window has heard nothing; `failed`: its last run ended by an error. */
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

/** The sessions whose last run ended by an error, as far as this window has heard it: no list tells that. */
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

/** Whether an event makes the list another one: a session that is new, or is at another place in it. */
export function changesList(event: Event): boolean {
  return ["session", "session_renamed", "agent_start", "agent_end", "head"].includes(event.type);
}

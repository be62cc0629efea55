/** The current state of a session, as far as the event stream tells it. Pure. */

import type { AgentStartData, Event, ListedSession, QueuedItem } from "../protocol";
import type { Mode } from "../view/messages";

export interface SessionNow {
  title: string | null;
  model: string | null;
  mode: Mode;
  run: string | null;
  state: string;
  queue: readonly QueuedItem[];
  /** Milliseconds since 1970 when the live run began, where it is known. */
  startedAt?: number;
}

export function fresh(): SessionNow {
  return { title: null, model: null, mode: null, run: null, state: "idle", queue: [] };
}

/** The state after an event; the same object where nothing changes. */
export function after(now: SessionNow, event: Event): SessionNow {
  switch (event.type) {
    case "config":
      return { ...now, model: event.data.model ?? now.model, mode: event.data.mode ?? now.mode };
    case "session_renamed":
      return { ...now, title: event.data.title };
    case "agent_start":
      return {
        ...now,
        run: event.run ?? null,
        startedAt: event.ts,
        state: "streaming",
        model: event.data.model,
        title: now.title ?? titleOf(event.data),
      };
    case "state":
      return { ...now, state: event.data.state };
    case "queue_update":
      return { ...now, queue: event.data.items };
    case "agent_end": {
      const { title, model, mode } = event.data.session;
      const state = event.data.stopReason === "interrupted" ? "interrupted" : "idle";
      return { title: title ?? now.title, model: model ?? now.model, mode: mode ?? now.mode, run: null, state, queue: [] };
    }
    default:
      return now;
  }
}

/**
 * The state after the session's log was read for a list; the same object where nothing changes. Another window may have
 * named the session; not while a run is live here, whose log is this window's and may lack what its events have told.
 */
export function afterListing(now: SessionNow, { title }: Pick<ListedSession, "title">): SessionNow {
  if (now.run !== null || now.title === null || title === null || title === now.title) return now;
  return { ...now, title };
}

/** The title of a session that its user has not named: the first line of its first message, if that has text. */
export function titleOf({ inputs }: AgentStartData): string | null {
  return inputs[0]?.text.trim().split("\n", 1)[0] || null;
}

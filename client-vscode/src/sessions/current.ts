/** What the extension knows of each session's state at the moment, from the event stream alone. Pure. */

import type { Event, QueuedItem } from "../protocol";
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

/** What `event` makes of `now`; the same object where it changes nothing. */
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
        title: now.title ?? firstLine(event.data.inputs[0]?.text),
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

function firstLine(text: string | undefined): string | null {
  return text?.trim().split("\n", 1)[0] ?? null;
}

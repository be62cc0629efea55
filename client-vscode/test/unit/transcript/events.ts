/** Events of a session, made as short as the server makes them long, and those that the real server has told. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Event, MessageEndData, UsageData } from "../../../src/protocol";
import type { Transcript } from "../../../src/transcript/fold";

export const USAGE: UsageData = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };

type Content = MessageEndData["content"];

const PASSING = new Set(["message_update", "tool_execution_update", "state", "export_end"]);

export type DataOf<T extends Event["type"]> = Extract<Event, { type: T }>["data"];

/** Gives events of one session their numbers. */
export class Session {
  private seq = 0;
  private ts = 1000;

  event<T extends Event["type"]>(type: T, data: DataOf<T>, run = "run_1"): Event {
    this.ts += 10;
    const durable = PASSING.has(type) ? {} : { seq: ++this.seq };
    return { ...durable, session: "ses_1", run, ts: this.ts, type, data } as Event;
  }

  user(messageId: string, parent: string | null, text: string): Event[] {
    return this.message({ messageId, role: "user", parent, content: [{ type: "text", text }] });
  }

  /** A whole answer. */
  answer(messageId: string, parent: string | null, ...content: Content): Event[] {
    return this.message({ messageId, role: "assistant", parent, content, usage: USAGE });
  }

  message(data: MessageEndData): Event[] {
    const { messageId, role } = data;
    return [this.event("message_start", { messageId, role }), this.event("message_end", data)];
  }

  update(messageId: string, index: number, offset: number, text: string): Event {
    return this.event("message_update", { messageId, index, kind: "text", offset, text });
  }
}

/** A log of the real server, as `steersman run --json` prints it. */
export function recorded(name: string): Event[] {
  const path = join(import.meta.dirname, "fixtures", `${name}.jsonl`);
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Event);
}

export const RECORDINGS = ["rich", "declined", "retry", "failed", "compaction", "aborted"] as const;

export function durable(events: readonly Event[]): Event[] {
  return events.filter((event) => "seq" in event);
}

/** What is shown, without what only the next batch needs. */
export function visible({ entries, usage, contextTokens }: Transcript): object {
  return { entries, usage, contextTokens };
}

export function texts({ entries }: Transcript): string[] {
  return entries.map((entry) => ("text" in entry ? entry.text : entry.kind));
}

/** Any session: its events in the order in which the server tells them, with branches, failures and live updates. */

import fc from "fast-check";
import type { Event, MessageEndData } from "../../../src/protocol";
import { type DataOf, Session, USAGE } from "./events";

type Content = MessageEndData["content"];

interface Step {
  readonly kind: "talk" | "discard" | "call" | "notice" | "back" | "compact" | "revert" | "config" | "retry" | "end";
  readonly text: string;
  /** Which of the nodes so far, for `back`. */
  readonly pick: number;
  /** Where streamed texts are cut, and which pieces the stream drops. */
  readonly cuts: readonly number[];
  readonly drop: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    ...(["talk", "discard", "call", "notice", "back", "compact", "revert", "config", "retry", "end"] as const),
  ),
  text: fc.string({ unit: "binary", maxLength: 12 }),
  pick: fc.nat(),
  cuts: fc.array(fc.nat({ max: 12 }), { maxLength: 4 }),
  drop: fc.boolean(),
});

export const anySession: fc.Arbitrary<Event[]> = fc.array(step, { maxLength: 25 }).map((steps) => {
  const teller = new Teller();
  for (const each of steps) teller.tell(each);
  return teller.events;
});

class Teller {
  readonly events: Event[] = [];
  private readonly session = new Session();
  private readonly nodes: (string | null)[] = [null];
  private tip: string | null = null;
  private count = 0;

  tell(step: Step): void {
    const { session } = this;
    const id = `${step.kind}_${++this.count}`;
    switch (step.kind) {
      case "talk":
        this.events.push(...session.user(`u_${id}`, this.tip, step.text));
        this.node(`u_${id}`);
        return this.answer(id, step, [{ type: "text", text: step.text }]);
      case "call":
        return this.call(id, step);
      case "discard":
        this.events.push(session.event("message_start", { messageId: id, role: "assistant" }));
        this.stream(id, step);
        return this.push("message_end", {
          messageId: id,
          discarded: "failed",
          partial: step.text === "" ? [] : [{ type: "text", text: step.text }],
          usage: USAGE,
        });
      case "retry":
        this.events.push(session.event("message_start", { messageId: id, role: "assistant" }));
        this.stream(id, step);
        this.push("retry", { attempt: 1, afterMs: 5, kind: "overloaded", message: step.text });
        return this.push("message_end", { messageId: id, discarded: "retried", partial: [], usage: USAGE });
      case "notice":
        return this.push("notice", { message: step.text });
      case "back":
        this.tip = this.nodes[step.pick % this.nodes.length] ?? null;
        return this.push("head", { tip: this.tip });
      case "config":
        this.push("config", { id, parent: this.tip, model: step.text, mode: "ask" });
        return this.node(id);
      case "compact":
        this.push("compaction_start", { reason: "user", tokens: 10 });
        if (step.drop || this.tip === null) return this.push("compaction_end", { failed: step.text, usage: USAGE });
        this.push("compaction_end", { id, parent: this.tip, summary: step.text, tokensAfter: 3, usage: USAGE });
        return this.node(id);
      case "revert":
        this.push("revert_start", { id, checkpoint: "c", title: step.text });
        return this.push("revert_end", { id, files: [] });
      case "end":
        return this.end(id);
    }
  }

  private call(id: string, step: Step): void {
    const toolCallId = `call_${id}`;
    const call = { type: "toolCall", id: toolCallId, name: "bash", arguments: `{"command": "ls"}` } as const;
    this.answer(id, step, [{ type: "text", text: step.text }, call]);
    this.push("tool_execution_start", { toolCallId, name: "bash", args: { command: "ls" } });
    this.push("tool_execution_running", { toolCallId });
    for (const [offset, text] of pieces(step)) this.push("tool_execution_update", { toolCallId, offset, text });
    const content: Content = [{ type: "text", text: step.text }];
    this.push("tool_execution_end", { toolCallId, name: "bash", outcome: "ok", isError: false, content, durationMs: 1 });
  }

  private answer(messageId: string, step: Step, content: Content): void {
    this.push("message_start", { messageId, role: "assistant" });
    this.stream(messageId, step);
    const { tip: parent } = this;
    this.push("message_end", { messageId, role: "assistant", parent, content, usage: USAGE });
    this.node(messageId);
  }

  private stream(messageId: string, step: Step): void {
    for (const [offset, text] of pieces(step)) this.events.push(this.session.update(messageId, 0, offset, text));
  }

  private end(run: string): void {
    const session = { title: null, model: null, mode: null, usage: USAGE } as const;
    const facts = { files: [], commands: [], denied: [], undelivered: [], turns: 1, cost: 0, text: "", message: "" };
    const data = { stopReason: "complete", usage: USAGE, session, ...facts } as const;
    this.events.push(this.session.event("agent_end", data, run));
    if (this.count % 2 === 0) this.events.push(this.session.event("agent_end", data, run));
  }

  private push<T extends Event["type"]>(type: T, data: DataOf<T>): void {
    this.events.push(this.session.event(type, data));
  }

  private node(id: string): void {
    this.nodes.push(id);
    this.tip = id;
  }
}

function pieces({ text, cuts, drop }: Step): (readonly [offset: number, text: string])[] {
  const at = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].sort((a, b) => a - b);
  const all = at.slice(1).map((end, i) => [at[i] ?? 0, text.slice(at[i], end)] as const);
  return all.filter(([, piece], i) => piece !== "" && !(drop && i === 1));
}

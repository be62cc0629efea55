/** Applies events to a session's memory. There is one writer per batch; see `fold.ts`. */

import type {
  AgentEndData,
  CompactionEndData,
  ConfigData,
  DiscardedData,
  EditAppliedData,
  Event,
  MessageEndData,
  StreamedMessage,
  UsageData,
} from "../protocol";
import type { Memory } from "./fold";
import { Ledger } from "./ledger";
import { entriesOf, entriesOfDiscarded } from "./messages";
import { asOf, UNSEEN, updated, type OpenMessage } from "./streamed";
import * as tools from "./tools";
import { plus } from "./usage";
import { followed } from "./whereabouts";

export class Writer {
  private readonly ledger: Ledger;
  private now: Memory;

  constructor(before: Memory) {
    this.now = before;
    this.ledger = new Ledger(before.ledger);
  }

  get memory(): Memory {
    return { ...this.now, ledger: this.ledger.state };
  }

  /** Adds the message that is being streamed, as answered to a question. */
  streaming(message: StreamedMessage): void {
    this.stream(message.messageId, (open) => asOf(open, message));
  }

  apply(event: Event): void {
    switch (event.type) {
      case "session":
        return this.set({ roots: event.data.roots });
      case "agent_start":
        return this.runStarts(event.run ?? "", event.ts, event.data.contextWindow);
      case "agent_end":
        return this.runEnds(event.run ?? "", event.ts, event.data);
      case "config":
        return this.config(event.data);
      case "head":
        return this.ledger.moveTo(event.data.tip);
      case "message_start":
        this.retryIsOver();
        if (event.data.role !== "assistant") return;
        return this.stream(event.data.messageId, (open) => ({ ...open, started: true }));
      case "message_update":
        return this.stream(event.data.messageId, (open) => updated(open, event.data));
      case "message_end":
        return "discarded" in event.data ? this.discard(event.data) : this.commit(event.data);
      case "tool_execution_start":
        return this.ledger.changeCall(event.data.toolCallId, (call) => tools.started(call, event.data));
      case "tool_execution_running":
        return this.ledger.changeCall(event.data.toolCallId, (call) => tools.running(call, event.ts));
      case "tool_execution_update":
        return this.ledger.changeCall(event.data.toolCallId, (call) => tools.outputMore(call, event.data));
      case "tool_execution_end":
        return this.ledger.changeCall(event.data.toolCallId, (call) => tools.ended(call, event.data));
      case "approval_requested":
        return this.ledger.changeCall(event.data.toolCallId, (call) => tools.asked(call, event.data));
      case "approval_resolved":
        return this.ledger.changeCall(event.data.toolCallId, (call) => tools.answered(call, event.data));
      case "edit_applied":
        return this.edited(event.data);
      case "retry":
        this.retryIsOver();
        return this.set({ retrying: { kind: "retry", id: this.number("retry"), data: event.data, busy: true } });
      case "compaction_start": {
        const { reason } = event.data;
        return this.set({ compacting: { kind: "compaction", id: this.number("compaction"), reason, busy: true } });
      }
      case "compaction_end":
        return this.compacted(event.data);
      case "revert_start": {
        const { id, title } = event.data;
        if (this.ledger.has(id)) return;
        this.ledger.addOfFiles({ kind: "revert", id, title, files: [], busy: true, cut: false });
        return this.set({ reverting: id });
      }
      case "revert_end": {
        const { id, files, cut } = event.data;
        this.ledger.change(id, (entry) =>
          entry.kind === "revert" ? { ...entry, files, busy: false, cut: cut === true } : entry,
        );
        return this.set({ reverting: null });
      }
      case "notice":
        return this.ledger.add({ kind: "notice", id: this.number("notice"), text: event.data.message });
      // Shown elsewhere or not at all: the host keeps the session's state and queue.
      case "session_renamed":
      case "turn_start":
      case "turn_end":
      case "state":
      case "queue_update":
      case "edit_start":
      case "checkpoint":
      case "export_end":
        return;
    }
  }

  private runStarts(run: string, ts: number, window: number | null | undefined): void {
    this.set({ window: window ?? null });
    if (!this.now.runs.has(run)) this.set({ runs: new Map(this.now.runs).set(run, ts) });
  }

  /** A second one of the same run changes nothing. */
  private runEnds(run: string, ts: number, data: AgentEndData): void {
    this.retryIsOver();
    const id = `end/${run}`;
    if (this.ledger.has(id)) return;
    const since = this.now.runs.get(run);
    const took = since === undefined ? {} : { tookMs: Math.max(0, ts - since) };
    // A message without an end of its own (the log could not be written) is not being streamed any more.
    const open = new Map([...this.now.open].filter(([, message]) => !message.started));
    // Some providers tell the context window only with an answer.
    const window = data.contextWindow ?? this.now.window;
    this.set({ open, compacting: null, usage: data.session.usage, window });
    this.ledger.add({ kind: "runEnd", id, data, ...took });
  }

  /** The first setting needs no line: the pickers show it. */
  private config({ id, parent, model, mode }: ConfigData): void {
    if (this.ledger.knows(id)) return;
    this.ledger.node(id, parent);
    const before = this.now.config;
    this.set({ config: { model, mode } });
    if (!before || (before.model === model && before.mode === mode)) return;
    this.ledger.add({
      kind: "config",
      id,
      model: before.model === model ? null : model,
      mode: before.mode === mode ? null : mode,
    });
  }

  private commit(data: MessageEndData): void {
    const { messageId, parent, usage } = data;
    this.close(messageId);
    if (this.ledger.knows(messageId)) return;
    this.ledger.node(messageId, parent, usage && usage.input + usage.output);
    for (const entry of entriesOf(data)) this.ledger.add(entry);
    if (usage) this.spend(usage);
  }

  private discard(data: DiscardedData): void {
    this.close(data.messageId);
    if (this.now.discarded.has(data.messageId)) return;
    this.set({ discarded: new Set(this.now.discarded).add(data.messageId) });
    for (const entry of entriesOfDiscarded(data)) this.ledger.add(entry);
    this.spend(data.usage);
  }

  private compacted(data: CompactionEndData): void {
    const { id, parent, summary, failed, replaced, tokensBefore, tokensAfter, usage } = data;
    if (id !== undefined && this.ledger.knows(id)) return;
    const started = this.now.compacting;
    this.set({ compacting: null });
    this.spend(usage);
    if (id !== undefined && summary !== undefined) this.ledger.node(id, parent ?? null, tokensAfter);
    const told = { summary, failed, replaced, tokensBefore, tokensAfter };
    const entryId = started?.id ?? this.number("compaction");
    const reason = started?.reason ?? "threshold";
    this.ledger.add({ kind: "compaction", id: entryId, reason, busy: false, ...defined(told) });
  }

  private edited(data: EditAppliedData): void {
    const { toolCallId } = data;
    this.set({ whereabouts: followed(this.now.whereabouts, data) });
    if (toolCallId !== null) return this.ledger.changeCall(toolCallId, (call) => tools.edited(call, data));
    // The end of a revert lists its files.
    if (this.now.reverting !== null) return;
    this.ledger.addOfFiles({ kind: "lateEdit", id: this.number("edit"), edit: tools.appliedEdit(data) });
  }

  private stream(messageId: string, change: (open: OpenMessage) => OpenMessage): void {
    if (this.ledger.knows(messageId) || this.now.discarded.has(messageId)) return;
    const before = this.now.open.get(messageId) ?? UNSEEN;
    const after = change(before);
    if (after !== before) this.set({ open: new Map(this.now.open).set(messageId, after) });
  }

  private close(messageId: string): void {
    if (!this.now.open.has(messageId)) return;
    const open = new Map(this.now.open);
    open.delete(messageId);
    this.set({ open });
  }

  private retryIsOver(): void {
    const { retrying } = this.now;
    if (retrying === null) return;
    this.ledger.add({ ...retrying, busy: false });
    this.set({ retrying: null });
  }

  private spend(more: UsageData): void {
    this.set({ usage: plus(this.now.usage, more) });
  }

  private number(kind: string): string {
    const counted = this.now.counted + 1;
    this.set({ counted });
    return `${kind}/${counted}`;
  }

  private set(part: Partial<Memory>): void {
    this.now = { ...this.now, ...part };
  }
}

function defined<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const known = Object.entries(value).filter(([, each]) => each !== undefined && each !== null);
  return Object.fromEntries(known) as { [K in keyof T]?: NonNullable<T[K]> };
}

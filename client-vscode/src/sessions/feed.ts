/**
 * One session's events, whole and in order: what the stream tells, and what is asked for where it left a gap.
 *
 * It knows a source of pages and a sink, neither the editor nor the page that shows them.
 */

import type { Event, EventsAnswer, StreamedMessage } from "../protocol";
import { SingleFlight } from "../singleFlight";
import { EventOrder } from "./eventOrder";

/** Asks `steersman.events`; may throw, then the feed stays behind until the next durable event or `catchUp`. */
export type AskEvents = (after: number) => Promise<EventsAnswer>;

export interface FeedSink {
  /** Events that can be applied now: durable ones in order, passing ones as they came. */
  events(events: readonly Event[]): void;
  /** The message that is being streamed, as of a question: its blocks from offset 0. */
  streaming(message: StreamedMessage): void;
  /** What is missing could not be had. Told once of several failures in a row. */
  failed(error: unknown): void;
}

export class SessionFeed {
  private readonly order = new EventOrder();
  private readonly asking = new SingleFlight(() => (this.closed ? Promise.resolve() : this.askAll()));
  private failing = false;
  private closed = false;

  constructor(
    private readonly ask: AskEvents,
    private readonly sink: FeedSink,
  ) {}

  get seq(): number {
    return this.order.seq;
  }

  /** An event of the stream. */
  accept(event: Event): void {
    if (this.closed) return;
    this.apply([event]);
    // Passing events come by the hundred: none of them is a reason to ask again what could not be had just now.
    const durable = "seq" in event && event.seq !== undefined;
    if (durable && this.order.behind) void this.catchUp();
  }

  /**
   * Asks for what is missing, until there is nothing more. One question at a time; a call while one is open has it
   * asked once more afterwards, because the answer may be older than the call.
   */
  catchUp(): Promise<void> {
    return this.asking.run();
  }

  /** Another session is shown: nothing more is asked or told, not even the answer to an open question. */
  close(): void {
    this.closed = true;
  }

  private async askAll(): Promise<void> {
    try {
      await this.askPages();
      this.failing = false;
    } catch (error) {
      if (this.closed) return;
      if (!this.failing) this.sink.failed(error);
      this.failing = true;
    }
  }

  private async askPages(): Promise<void> {
    for (let more = true; more; ) {
      const before = this.order.seq;
      const answer = await this.ask(before);
      if (this.closed) return;
      this.apply(answer.events);
      // An answer that brings nothing on must not be asked for for ever.
      more = answer.more && this.order.seq > before;
      // It comes after all that is in the log: with an earlier page it would stand before what the next one tells.
      if (answer.streaming && !more) this.sink.streaming(answer.streaming);
    }
  }

  private apply(events: readonly Event[]): void {
    const ready = this.order.accept(events);
    if (ready.length > 0) this.sink.events(ready);
  }
}

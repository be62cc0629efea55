/**
 * One session's events, complete and in order: from the stream, and asked for where the stream has gaps.
 *
 * It knows a source and a sink of events, but neither the editor nor the page that shows them.
 */

import type { Event, EventsAnswer, StreamedMessage } from "../protocol";
import { SingleFlight } from "../singleFlight";
import { EventOrder } from "./eventOrder";

/** Asks `steersman.events`. If it throws, the feed stays behind until the next durable event or `catchUp`. */
export type AskEvents = (after: number) => Promise<EventsAnswer>;

export interface FeedSink {
  /** Events that can be applied now: durable ones in order, transient ones as they came. */
  events(events: readonly Event[]): void;
  /** The message that is being streamed, as answered to a question: its blocks from offset 0. */
  streaming(message: StreamedMessage): void;
  /** Missing events could not be fetched. Called once for several failures in a row. */
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
    // Transient events come by the hundred: they are no reason to repeat a question that has just failed.
    const durable = "seq" in event && event.seq !== undefined;
    if (durable && this.order.behind) void this.catchUp();
  }

  /**
   * Asks for what is missing until there is nothing more. One question at a time; a call while one is open repeats it
   * afterwards, because the answer may be older than the call.
   */
  catchUp(): Promise<void> {
    return this.asking.run();
  }

  /** Another session is shown: asks nothing more, and drops even the answer to an open question. */
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
      // An answer without progress must not be asked for forever.
      more = answer.more && this.order.seq > before;
      // It comes after everything in the log: with an earlier page, it would stand before the next one's events.
      if (answer.streaming && !more) this.sink.streaming(answer.streaming);
    }
  }

  private apply(events: readonly Event[]): void {
    const ready = this.order.accept(events);
    if (ready.length > 0) this.sink.events(ready);
  }
}

/**
 * One session's events, whole and in order: what the stream tells, and what is asked for where it left a gap.
 *
 * It knows a source of pages and a sink, neither the editor nor the page that shows them.
 */

import type { Event, EventsAnswer, StreamedMessage } from "../protocol";
import { EventOrder } from "./eventOrder";

/** Asks `steersman.events`; may throw, then the feed stays behind until the next event or `catchUp`. */
export type AskEvents = (after: number) => Promise<EventsAnswer>;

export interface FeedSink {
  /** Events that can be applied now: durable ones in order, passing ones as they came. */
  events(events: readonly Event[]): void;
  /** The message that is being streamed, as of a question: its blocks from offset 0. */
  streaming(message: StreamedMessage): void;
  /** What is missing could not be had. */
  failed(error: unknown): void;
}

export class SessionFeed {
  private readonly order = new EventOrder();
  private asking: Promise<void> | undefined;
  private again = false;

  constructor(
    private readonly ask: AskEvents,
    private readonly sink: FeedSink,
  ) {}

  get seq(): number {
    return this.order.seq;
  }

  /** An event of the stream. */
  accept(event: Event): void {
    const ready = this.order.accept([event]);
    if (ready.length > 0) this.sink.events(ready);
    if (this.order.behind) void this.catchUp();
  }

  /**
   * Asks for what is missing, until there is nothing more. One question at a time; a call while one is open has it
   * asked once more afterwards, because the answer may be older than the call.
   */
  catchUp(): Promise<void> {
    this.again = true;
    this.asking ??= this.askAll().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async askAll(): Promise<void> {
    while (this.again) {
      this.again = false;
      let more = true;
      while (more) {
        const before = this.order.seq;
        let answer: EventsAnswer;
        try {
          answer = await this.ask(before);
        } catch (error) {
          this.sink.failed(error);
          return;
        }
        const ready = this.order.accept(answer.events);
        if (ready.length > 0) this.sink.events(ready);
        if (answer.streaming) this.sink.streaming(answer.streaming);
        // An answer that brings nothing on must not be asked for for ever.
        more = answer.more && this.order.seq > before;
      }
    }
  }
}

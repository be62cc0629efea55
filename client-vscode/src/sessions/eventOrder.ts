/**
 * The durable events of one session in their order, each once, whatever the stream missed or told twice.
 *
 * Pure: who asks the server for what is missing is `feed.ts`. protocol.md, "Events", says the rules.
 */

import type { Event } from "../protocol";

export class EventOrder {
  private readonly ahead = new Map<number, Event>();
  private last = 0;

  /** The last number that is known with all before it: what to ask `steersman.events` `after`. */
  get seq(): number {
    return this.last;
  }

  /** An event lies beyond a gap. */
  get behind(): boolean {
    return this.ahead.size > 0;
  }

  /** Takes in some events and says which can be applied now, in order. Passing ones (no `seq`) go through. */
  accept(events: readonly Event[]): Event[] {
    const ready: Event[] = [];
    for (const event of events) {
      const seq = "seq" in event ? event.seq : undefined;
      if (seq === undefined) ready.push(event);
      else if (seq === this.last + 1) {
        this.last = seq;
        ready.push(event);
        this.release(ready);
      } else if (seq > this.last) this.ahead.set(seq, event);
    }
    return ready;
  }

  private release(ready: Event[]): void {
    for (let next = this.ahead.get(this.last + 1); next; next = this.ahead.get(this.last + 1)) {
      this.last += 1;
      this.ahead.delete(this.last);
      ready.push(next);
    }
    for (const seq of this.ahead.keys()) if (seq <= this.last) this.ahead.delete(seq);
  }
}

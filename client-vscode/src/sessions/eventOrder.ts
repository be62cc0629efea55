/**
 * Puts the durable events of one session in order, each once, whatever the stream leaves out or repeats.
 *
 * Pure: `feed.ts` asks the server for missing events. The rules are in protocol.md, "Events".
 */

import type { Event } from "../protocol";

export class EventOrder {
  private readonly ahead = new Map<number, Event>();
  private last = 0;

  /** The highest number up to which all events are known: the `after` for `steersman.events`. */
  get seq(): number {
    return this.last;
  }

  /** An event beyond a gap waits. */
  get behind(): boolean {
    return this.ahead.size > 0;
  }

  /** Takes in events and returns those that can be applied now, in order. Transient ones (no `seq`) pass straight through. */
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

/** Sends events to the page in one message per frame: a message per delta would keep both sides busy. */

import type { Event } from "../protocol";

const FRAME_MS = 16;

export class Batches {
  private unsent: Event[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly push: (events: readonly Event[]) => void) {}

  add(events: readonly Event[]): void {
    for (const event of events) this.unsent.push(event);
    this.timer ??= setTimeout(() => this.flush(), FRAME_MS);
  }

  /** Sends what waits, now. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const events = this.unsent;
    this.unsent = [];
    if (events.length > 0) this.push(events);
  }

  /** Drops what waits. */
  clear(): void {
    this.unsent = [];
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

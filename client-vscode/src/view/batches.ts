/**
 * Events on their way to the page, a message for each frame: one for each delta would keep both sides busy with nothing
 * else.
 */

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

  /** Pushes what there is, now. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const events = this.unsent;
    this.unsent = [];
    if (events.length > 0) this.push(events);
  }

  /** What has not been pushed is of no interest any more. */
  clear(): void {
    this.unsent = [];
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

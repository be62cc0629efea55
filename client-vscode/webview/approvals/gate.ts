/**
 * Whether a question's buttons can be pressed yet: not for the first half second after the page first showed it, nor
 * after the page was hidden. By the page's own clock, since the host's may be another machine's. Knows no DOM.
 */

import { inertFor } from "../../src/approvals/inert";

export interface Clock {
  /** Milliseconds from any beginning. */
  now(): number;
  /** Calls `done` once; the answer takes it back. */
  after(ms: number, done: () => void): () => void;
}

export class Gate {
  private readonly firstSeen = new Map<string, number>();
  private readonly watching = new Set<() => void>();
  private uncovered = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** Milliseconds until the question can be answered; asking for the first time is seeing it for the first time. */
  remaining(id: string): number {
    const now = this.clock.now();
    const seen = this.firstSeen.get(id) ?? now;
    this.firstSeen.set(id, seen);
    return inertFor(now, seen, this.uncovered);
  }

  /** The page is visible again: what is under the pointer or has the focus may be another thing than before. */
  uncover(): void {
    this.uncovered = this.clock.now();
    for (const look of this.watching) look();
  }

  /** Calls `changed` whenever the question's buttons become inert or can be pressed, until the answer is called. */
  watch(id: string, changed: () => void): () => void {
    let forget: () => void = () => undefined;
    const wait = (): void => {
      forget();
      const left = this.remaining(id);
      if (left > 0) forget = this.clock.after(left, wait);
      changed();
    };
    this.watching.add(wait);
    wait();
    return () => {
      this.watching.delete(wait);
      forget();
    };
  }
}

export const PAGE_CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, done) => {
    const timer = setTimeout(done, ms);
    return () => clearTimeout(timer);
  },
};

let pages: Gate | undefined;

/** The one of this page. */
export function pageGate(): Gate {
  if (!pages) {
    const gate = new Gate(PAGE_CLOCK);
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && gate.uncover());
    pages = gate;
  }
  return pages;
}

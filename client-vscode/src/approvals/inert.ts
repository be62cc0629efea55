/** How long a question can't be answered after it was first shown: a press that was meant for something else is none. */

/** Milliseconds. */
export const INERT_MS = 500;

/** Milliseconds that are left, given when it was first shown and when it was last uncovered; 0: it can be answered. */
export function inertFor(now: number, ...since: readonly number[]): number {
  return Math.max(0, INERT_MS - (now - Math.max(...since)));
}

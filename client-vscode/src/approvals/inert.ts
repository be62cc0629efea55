/** How long a question can't be answered after it appears, so that a click meant for something else does not answer it. */

/** Milliseconds. */
export const INERT_MS = 500;

/** Milliseconds left, given the times at which it was shown or uncovered; 0: it can be answered. */
export function inertFor(now: number, ...since: readonly number[]): number {
  return Math.max(0, INERT_MS - (now - Math.max(...since)));
}

/** Going through what was said before, by ArrowUp in an empty box. Pure. */

import type { Entry } from "../../src/transcript/entries";

/** What the user has typed in this session, the newest first, each once. */
export function saidBefore(entries: readonly Entry[]): string[] {
  const texts = entries.flatMap((entry) =>
    entry.kind === "user" && entry.source === undefined && entry.text.trim() !== "" ? [entry.text] : [],
  );
  return [...new Set(texts.reverse())];
}

/** Place in the history: -1 is the empty box. */
export function step(history: readonly string[], place: number, by: 1 | -1): number {
  return Math.max(-1, Math.min(history.length - 1, place + by));
}

/** Applies some of the proposed hunks to a text, and finds where the hunks are in it. Pure. */

import type { HunkData } from "../protocol";

/** The place of a hunk in a text to which some hunks have been applied. */
export interface PlacedHunk {
  readonly id: string;
  /** Zero-based; its first line that differs. */
  readonly line: number;
  readonly chosen: boolean;
}

export interface Chosen {
  readonly text: string;
  readonly hunks: readonly PlacedHunk[];
}

/**
 * `oldText` with the chosen ones of the hunks that lead to `newText`, as the server applies them. Hunks are in order and
 * disjoint; their lines count from 1 and include the context. Only LF ends a line.
 */
export function choose(
  oldText: string,
  newText: string,
  hunks: readonly HunkData[],
  isChosen: (id: string) => boolean,
): Chosen {
  const before = lines(oldText);
  const after = lines(newText);
  const out: string[] = [];
  const placed: PlacedHunk[] = [];
  let count = 0;
  const put = (part: readonly string[]): void => {
    out.push(part.join(""));
    count += part.length;
  };
  let at = 0;
  for (const hunk of hunks) {
    const oldLines = before.slice(hunk.oldStart - 1, hunk.oldStart - 1 + hunk.oldLines);
    const newLines = after.slice(hunk.newStart - 1, hunk.newStart - 1 + hunk.newLines);
    const chosen = isChosen(hunk.id);
    put(before.slice(at, hunk.oldStart - 1));
    placed.push({ id: hunk.id, line: count + common(oldLines, newLines), chosen });
    put(chosen ? newLines : oldLines);
    at = hunk.oldStart - 1 + hunk.oldLines;
  }
  put(before.slice(at));
  const last = Math.max(0, count - 1);
  return { text: out.join(""), hunks: placed.map((hunk) => ({ ...hunk, line: Math.min(hunk.line, last) })) };
}

/** With more hunks, a text other than the whole proposal is taken for the user's own. */
const MOST_HUNKS = 1000;

/**
 * Ids of the hunks that a text leaves out, if it is `oldText` with some of the hunks and nothing else. It doesn't matter how
 * the user got there: by choosing, by undoing, or with the diff editor's own arrows. Null for any other text.
 */
export function leftOutOf(
  oldText: string,
  newText: string,
  hunks: readonly HunkData[],
  text: string,
): ReadonlySet<string> | null {
  if (text === newText) return new Set();
  if (hunks.length > MOST_HUNKS) return null;
  const [before, after, now] = [lines(oldText), lines(newText), lines(text)];
  const failed = new Set<string>();
  // Both sides of a hunk may match, if one is the beginning of the other: then what follows decides.
  const walk = (index: number, at: number): string[] | null => {
    const hunk = hunks[index];
    const last = hunks[index - 1];
    const gap = before.slice(last ? last.oldStart - 1 + last.oldLines : 0, hunk ? hunk.oldStart - 1 : undefined);
    const key = `${index} ${at}`;
    if (failed.has(key) || !fits(now, at, gap)) return null;
    const from = at + gap.length;
    if (!hunk) return from === now.length ? [] : null;
    const newLines = after.slice(hunk.newStart - 1, hunk.newStart - 1 + hunk.newLines);
    const oldLines = before.slice(hunk.oldStart - 1, hunk.oldStart - 1 + hunk.oldLines);
    if (fits(now, from, newLines)) {
      const rest = walk(index + 1, from + newLines.length);
      if (rest) return rest;
    }
    if (fits(now, from, oldLines)) {
      const rest = walk(index + 1, from + oldLines.length);
      if (rest) return [hunk.id, ...rest];
    }
    failed.add(key);
    return null;
  };
  const found = walk(0, 0);
  return found && new Set(found);
}

/** The first line of `text`, zero-based, that differs from `oldText`. */
export function firstDifference(oldText: string, text: string): number {
  const now = lines(text);
  return Math.min(common(lines(oldText), now), Math.max(0, now.length - 1));
}

function fits(text: readonly string[], at: number, part: readonly string[]): boolean {
  return part.every((line, index) => text[at + index] === line);
}

/** Lines with their ends; the last may have none. */
function lines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** How many lines two lists have in common at the beginning. */
function common(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

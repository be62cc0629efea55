/** Which lines of a file a run has changed, and where they are after further edits. Pure. */

import { diffLines } from "../transcript/diff";

/** Lines from 0, without `end`. Removed lines give an empty range: they were before line `start`. */
export interface Mark {
  readonly kind: "added" | "modified" | "removed";
  readonly start: number;
  readonly end: number;
}

/** An edit of a document: the range (lines and characters from 0) is replaced by `text`. */
export interface TextChange {
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
  readonly text: string;
}

/**
 * The changed lines, from the unified diff that a revert would make: its old side is the file as it is now. In ascending
 * order; text that is no diff gives no marks.
 */
export function marksOf(revertDiff: string): Mark[] {
  const marks: Mark[] = [];
  let line = 0;
  let now = 0;
  let before = 0;
  const settle = (): void => {
    if (now > 0) marks.push({ kind: before > 0 ? "modified" : "added", start: line - now, end: line });
    else if (before > 0) marks.push({ kind: "removed", start: line, end: line });
    now = before = 0;
  };
  for (const { kind, text } of diffLines(revertDiff)) {
    switch (kind) {
      case "hunk": {
        settle();
        const [, start = "1", count = "1"] = /^@@ -(\d+)(?:,(\d+))?/.exec(text) ?? [];
        // A hunk without old lines gives the line before it.
        line = Number(count) === 0 ? Number(start) : Number(start) - 1;
        break;
      }
      case "context":
        settle();
        line += 1;
        break;
      case "removed":
        // Within a change removed lines come first: one after an added line begins another change.
        if (now === 0 && before > 0) settle();
        now += 1;
        line += 1;
        break;
      case "added":
        before += 1;
        break;
      case "note":
        break;
    }
  }
  settle();
  return marks;
}

/** The marks after an edit of the document; a mark whose lines are all gone is dropped. */
export function moved(marks: readonly Mark[], { range, text }: TextChange): readonly Mark[] {
  const first = range.start.line;
  const inserted = text.split("\n").length - 1;
  const delta = inserted - (range.end.line - first);
  // If whole lines were inserted, removed or replaced, marks that begin where the edit ends are behind it.
  const whole = range.start.character === 0 && range.end.character === 0;
  const behind = whole ? range.end.line : range.end.line + 1;
  if (delta === 0 && !whole) return marks;
  return marks.flatMap((mark) => {
    if (mark.start >= behind) return { ...mark, start: mark.start + delta, end: mark.end + delta };
    if (mark.end <= first) return mark;
    const last = first + inserted + (whole ? 0 : 1);
    const start = Math.min(mark.start, last);
    const end = mark.end >= behind ? mark.end + delta : Math.min(mark.end, last);
    if (mark.kind === "removed") return { ...mark, start, end: start };
    return end > start ? { ...mark, start, end } : [];
  });
}

/** The mark after (or before) a line; undefined if there is none. Marks that contain the line are skipped. */
export function nextMark(marks: readonly Mark[], line: number, forwards: boolean): Mark | undefined {
  if (forwards) return marks.find(({ start }) => start > line);
  return marks.filter(({ start, end }) => Math.max(end - 1, start) < line).at(-1);
}

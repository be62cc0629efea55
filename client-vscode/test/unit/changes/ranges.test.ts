import fc from "fast-check";
import { expect, test } from "vitest";
import { type Mark, marksOf, moved, nextMark, type TextChange } from "../../../src/changes/ranges";

const mark = (kind: Mark["kind"], start: number, end: number): Mark => ({ kind, start, end });

test("the old side of a revert's diff is the file as it is: lines that were changed, added and removed", () => {
  const diff = [
    "--- a/cart.py",
    "+++ b/cart.py",
    "@@ -1,7 +1,7 @@",
    " one",
    "-two, changed",
    "+two",
    " three",
    "-new",
    "-new too",
    " four",
    "+was here",
    "+was here too",
    " five",
    "",
  ].join("\n");
  expect(marksOf(diff)).toEqual([mark("modified", 1, 2), mark("added", 3, 5), mark("removed", 6, 6)]);
});

test("a file that was made has all its lines marked, and one that was emptied its beginning", () => {
  expect(marksOf("@@ -1,2 +0,0 @@\n-a\n-b\n")).toEqual([mark("added", 0, 2)]);
  expect(marksOf("@@ -0,0 +1,2 @@\n+a\n+b\n")).toEqual([mark("removed", 0, 0)]);
});

test("several hunks, and a missing line end, are taken as they come", () => {
  const diff = "@@ -1 +1 @@\n-a\n+b\n@@ -9,2 +9,2 @@\n x\n-c\n\\ No newline at end of file\n+d\n";
  expect(marksOf(diff)).toEqual([mark("modified", 0, 1), mark("modified", 9, 10)]);
});

test("what is no diff has no marks", () => {
  expect(marksOf("")).toEqual([]);
  expect(marksOf("Binary files differ")).toEqual([]);
});

function change(from: [number, number], to: [number, number], text: string): TextChange {
  return { range: { start: { line: from[0], character: from[1] }, end: { line: to[0], character: to[1] } }, text };
}

const MARKS = [mark("modified", 2, 4), mark("removed", 6, 6), mark("added", 8, 9)];

test("lines inserted above move the marks down; below they change nothing", () => {
  expect(moved(MARKS, change([0, 0], [0, 0], "x\ny\n"))).toEqual([
    mark("modified", 4, 6),
    mark("removed", 8, 8),
    mark("added", 10, 11),
  ]);
  expect(moved(MARKS, change([12, 0], [12, 0], "x\n"))).toEqual(MARKS);
});

test("a line inserted right before a mark is not part of it", () => {
  expect(moved(MARKS, change([2, 0], [2, 0], "x\n"))[0]).toEqual(mark("modified", 3, 5));
});

test("typing within a line moves nothing, and a line broken within a mark lengthens it", () => {
  expect(moved(MARKS, change([2, 3], [2, 3], "abc"))).toEqual(MARKS);
  expect(moved(MARKS, change([2, 3], [2, 3], "\n"))).toEqual([
    mark("modified", 2, 5),
    mark("removed", 7, 7),
    mark("added", 9, 10),
  ]);
});

test("a mark whose lines are all removed is gone", () => {
  expect(moved(MARKS, change([1, 0], [5, 0], ""))).toEqual([mark("removed", 2, 2), mark("added", 4, 5)]);
});

test("a mark that loses a part keeps the rest", () => {
  expect(moved(MARKS, change([3, 0], [5, 0], ""))[0]).toEqual(mark("modified", 2, 3));
  expect(moved(MARKS, change([1, 0], [3, 0], ""))[0]).toEqual(mark("modified", 1, 2));
});

test("whatever is edited, marks stay in order, inside the document, and with their lines where those survive", () => {
  const place = fc.tuple(fc.nat(19), fc.nat(3));
  const edit = fc.record({ from: place, to: place, lines: fc.nat(4), whole: fc.boolean() });
  fc.assert(
    fc.property(edit, ({ from, to, lines, whole }) => {
      const [start, end] = [from, to].sort((a, b) => a[0] - b[0] || a[1] - b[1]) as [typeof from, typeof to];
      const at = (point: [number, number]): [number, number] => (whole ? [point[0], 0] : point);
      const document = Array.from({ length: 20 }, (_, line) => `${line}`.padStart(4, "_"));
      const text = Array<string>(lines).fill("new\n").join("");
      const [s, e] = [at(start), at(end)];
      const before = document.join("\n");
      const offset = ([line, character]: [number, number]): number => line * 5 + character;
      const after = (before.slice(0, offset(s)) + text + before.slice(offset(e))).split("\n");
      const marks = document.slice(0, 19).map((_, line) => mark("added", line, line + 1));
      const now = moved(marks, change(s, e, text));
      for (const each of now) {
        expect(each.start).toBeGreaterThanOrEqual(0);
        expect(each.end).toBeLessThanOrEqual(after.length);
        expect(each.end).toBeGreaterThan(each.start);
      }
      expect([...now].sort((a, b) => a.start - b.start)).toEqual([...now]);
      // A line that the edit does not touch has exactly its own mark.
      const single = now.filter((each) => each.end === each.start + 1).map((each) => after[each.start]);
      for (const [line, words] of document.slice(0, 19).entries()) {
        if (line < s[0] || line > e[0]) expect(single).toContain(words);
      }
    }),
    { seed: 7 },
  );
});

test("the next change lies after the line, the one before ends above it", () => {
  expect(nextMark(MARKS, 0, true)).toEqual(MARKS[0]);
  expect(nextMark(MARKS, 2, true)).toEqual(MARKS[1]);
  expect(nextMark(MARKS, 8, true)).toBeUndefined();
  expect(nextMark(MARKS, 8, false)).toEqual(MARKS[1]);
  expect(nextMark(MARKS, 3, false)).toBeUndefined();
  expect(nextMark(MARKS, 20, false)).toEqual(MARKS[2]);
});

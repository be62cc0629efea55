import { expect, test } from "vitest";
import { diffIn } from "../../../src/transcript/changes";
import { diffLines, firstChangedLine } from "../../../src/transcript/diff";

const DIFF = [
  "--- a/cart.py",
  "+++ b/cart.py",
  "@@ -10,3 +10,4 @@ class Cart:",
  " def total(items):",
  "--- an old comment",
  "+++ a new comment",
  "+return 0",
  " end",
  "\\ No newline at end of file",
].join("\n");

test("a diff's lines have their numbers, also those that look like a header", () => {
  expect(diffLines(DIFF)).toEqual([
    { kind: "hunk", text: "@@ -10,3 +10,4 @@ class Cart:" },
    { kind: "context", text: "def total(items):", oldLine: 10, newLine: 10 },
    { kind: "removed", text: "-- an old comment", oldLine: 11 },
    { kind: "added", text: "++ a new comment", newLine: 11 },
    { kind: "added", text: "return 0", newLine: 12 },
    { kind: "context", text: "end", oldLine: 12, newLine: 13 },
    { kind: "note", text: "No newline at end of file" },
  ]);
});

test("a change begins at its first changed line in the new file", () => {
  expect(firstChangedLine(diffLines(DIFF))).toBe(11);
  expect(firstChangedLine(diffLines("@@ -3,2 +3,1 @@\n-gone\n stays"))).toBe(3);
  expect(firstChangedLine([])).toBeUndefined();
});

test("the first diff in a result is found between its sentences", () => {
  const text = `Changed cart.py (+2 −1):\n${DIFF}\nThe user changed your text:\n--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y`;
  expect(diffIn(text)).toBe(DIFF);
  expect(diffIn("Created cart.py.")).toBe("");
});

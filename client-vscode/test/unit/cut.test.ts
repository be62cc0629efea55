import { expect, test } from "vitest";
import { cut } from "../../src/cut";

test.each([
  ["plain", 9, "plain"],
  ["plain", 5, "plain"],
  ["plain", 3, "pla"],
  ["plain", 0, ""],
  ["a😀b", 2, "a"],
  ["a😀b", 3, "a😀"],
  ["a😀", 2, "a"],
])("%j has at most %i units as %j, and no half of a character", (text, most, expected) => {
  expect(cut(text, most)).toBe(expected);
});

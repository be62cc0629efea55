import { expect, test } from "vitest";
import { choose, firstDifference, leftOutOf } from "../../../src/approvals/hunks";
import { HUNKS, NEW, OLD } from "./fixtures";

const chosen = (...ids: string[]) => choose(OLD, NEW, HUNKS, (id) => ids.includes(id));

test("all hunks make the proposed text, none leave the old one", () => {
  expect(chosen("1-aa", "2-bb", "3-cc").text).toBe(NEW);
  expect(chosen().text).toBe(OLD);
});

test("the chosen hunks are made and the others are not", () => {
  expect(chosen("2-bb").text).toBe(OLD.replace("line 10\n", ""));
  expect(chosen("1-aa", "3-cc").text).toBe(
    OLD.replace("line 2\n", "second\n").replace("line 19\n", "line 19\nmore\n"),
  );
});

test("each hunk is placed at its first line that differs, in the text as it is then", () => {
  const lines = (...ids: string[]) => chosen(...ids).hunks.map(({ id, line }) => `${id}@${line}`);
  expect(lines("1-aa", "2-bb", "3-cc")).toEqual(["1-aa@1", "2-bb@9", "3-cc@18"]);
  expect(lines()).toEqual(["1-aa@1", "2-bb@9", "3-cc@19"]);
});

test("a new file is one hunk, and so is an emptied one", () => {
  const born = [{ id: "1", oldStart: 1, oldLines: 0, newStart: 1, newLines: 2 }];
  expect(choose("", "a\nb", born, () => true)).toEqual({
    text: "a\nb",
    hunks: [{ id: "1", line: 0, chosen: true }],
  });
  const gone = [{ id: "1", oldStart: 1, oldLines: 2, newStart: 1, newLines: 0 }];
  expect(choose("a\nb", "", gone, () => true)).toEqual({ text: "", hunks: [{ id: "1", line: 0, chosen: true }] });
});

test("a line ends at LF only: another end is part of the line", () => {
  const hunks = [{ id: "1", oldStart: 1, oldLines: 2, newStart: 1, newLines: 2 }];
  expect(choose("a\rb\nc", "a\rb\nd", hunks, () => true).hunks[0]?.line).toBe(1);
});

test("every choice of hunks is recognised by its text, and no other text is", () => {
  const ids = HUNKS.map(({ id }) => id);
  for (let bits = 0; bits < 8; bits++) {
    const some = ids.filter((_, index) => bits & (1 << index));
    const leftOut = leftOutOf(OLD, NEW, HUNKS, chosen(...some).text);
    expect([...(leftOut ?? ["none"])]).toEqual(ids.filter((id) => !some.includes(id)));
  }
  expect(leftOutOf(OLD, NEW, HUNKS, `${NEW}x`)).toBeNull();
  expect(leftOutOf(OLD, NEW, HUNKS, NEW.slice(0, -1))).toBeNull();
  expect(leftOutOf(OLD, NEW, HUNKS, "")).toBeNull();
});

test("where one side of a hunk begins with the other, what follows decides", () => {
  const hunks = [{ id: "1", oldStart: 1, oldLines: 2, newStart: 1, newLines: 1 }];
  expect([...(leftOutOf("a\nb\n", "a\n", hunks, "a\nb\n") ?? ["none"])]).toEqual(["1"]);
  expect([...(leftOutOf("a\nb\n", "a\n", hunks, "a\n") ?? ["none"])]).toEqual([]);
});

test("a very long file with very many hunks is handled", () => {
  const count = 20_000;
  const unit = Array.from({ length: 10 }, (_, index) => `${index}\n`).join("");
  const oldText = unit.repeat(count);
  const newText = `x\n${unit.slice(2)}`.repeat(count);
  const many = Array.from({ length: count }, (_, index) => {
    const start = index * 10 + 1;
    return { id: `${index}`, oldStart: start, oldLines: 4, newStart: start, newLines: 4 };
  });
  expect(choose(oldText, newText, many, () => true).text).toBe(newText);
  expect(leftOutOf(oldText, newText, many, newText)?.size).toBe(0);
  expect(leftOutOf(oldText, newText, many, oldText)).toBeNull();
});

test("the first difference is the first line that differs, or else the last line", () => {
  expect(firstDifference(OLD, NEW)).toBe(1);
  expect(firstDifference("", "a\nb\n")).toBe(0);
  expect(firstDifference("a\nb\n", "a\n")).toBe(0);
  expect(firstDifference("a\n", "")).toBe(0);
});

import { expect, test } from "vitest";
import { Proposal } from "../../../src/approvals/proposal";
import { change, HUNKS, NEW, OLD, request } from "./fixtures";

const uri = "file:///shop/calc.py";
const other = "file:///shop/other.py";

function proposal(): Proposal {
  return new Proposal(request({ changes: [change({ hunks: HUNKS })] }), [{ uri, oldText: OLD, newText: NEW }]);
}

function two(): Proposal {
  const changes = [change({ hunks: HUNKS }), change({ uri: other, hunks: HUNKS.slice(0, 1).map((hunk) => ({ ...hunk, id: "1-dd" })) })];
  return new Proposal(request({ changes }), [
    { uri, oldText: OLD, newText: NEW },
    { uri: other, oldText: "a\nb\nc\nd\ne\n", newText: "a\nB\nc\nd\ne\n" },
  ]);
}

test("a yes to an unaltered proposal is a plain yes", () => {
  expect(proposal().complete({ decision: "acceptForRun" })).toEqual({ decision: "acceptForRun" });
});

test("with a hunk left out, a yes names the others, and the proposed side shows what it would write", () => {
  const made = proposal();
  const text = made.toggle(0, "2-bb");
  expect(text).toContain("line 10\n");
  expect(made.text(0)).toBe(text);
  expect(made.chosenHunks).toEqual(["1-aa", "3-cc"]);
  expect(made.complete({ decision: "accept" })).toEqual({ decision: "accept", hunks: ["1-aa", "3-cc"] });
});

test("a hunk that is taken in again leaves a plain yes", () => {
  const made = proposal();
  made.toggle(0, "2-bb");
  made.toggle(0, "2-bb");
  expect(made.complete({ decision: "accept" })).toEqual({ decision: "accept" });
});

test("if one file leaves out hunks, the hunks of all files are named", () => {
  const made = two();
  made.toggle(0, "1-aa");
  expect(made.complete({ decision: "accept" }).hunks).toEqual(["2-bb", "3-cc", "1-dd"]);
});

test("the last hunk of the only file can't be left out", () => {
  const made = proposal();
  made.toggle(0, "1-aa");
  made.toggle(0, "2-bb");
  expect(() => made.toggle(0, "3-cc")).toThrow("decline");
  expect(made.edited).toBe(false);
  expect(made.chosenHunks).toEqual(["3-cc"]);
});

test("of several files one can be left out as a whole, but not all of them", () => {
  const made = two();
  expect(made.toggle(1, "1-dd")).toBe("a\nb\nc\nd\ne\n");
  expect(made.complete({ decision: "accept" })).toEqual({ decision: "accept", hunks: ["1-aa", "2-bb", "3-cc"] });
  for (const id of ["1-aa", "2-bb"]) made.toggle(0, id);
  expect(() => made.toggle(0, "3-cc")).toThrow("decline");
  expect(made.chosenHunks).toEqual(["3-cc"]);
});

test("a file that the user has restored is left out beside one that is rewritten", () => {
  const made = two();
  made.wrote(1, "a\nb\nc\nd\ne\n");
  made.wrote(0, "mine\n");
  expect(made.complete({ decision: "accept" }).edited).toEqual([
    { uri, newText: "mine\n" },
    { uri: other, newText: "a\nb\nc\nd\ne\n" },
  ]);
  made.wrote(0, OLD);
  expect(() => made.complete({ decision: "accept" })).toThrow("decline");
});

test("rewritten text is sent whole, and only for the files that differ", () => {
  const made = two();
  expect(made.wrote(0, `${NEW}mine\n`)).toBe(true);
  expect(made.edited).toBe(true);
  expect(made.complete({ decision: "accept" })).toEqual({
    decision: "accept",
    edited: [{ uri, newText: `${NEW}mine\n` }],
  });
});

test("with rewritten text, hunks left out elsewhere are sent as text too: an answer has one or the other", () => {
  const made = two();
  made.toggle(0, "2-bb");
  made.wrote(1, "mine\n");
  const answer = made.complete({ decision: "accept" });
  expect(answer.hunks).toBeUndefined();
  expect(answer.edited?.map((file) => file.uri)).toEqual([uri, other]);
  expect(answer.edited?.[0]?.newText).toContain("line 10\n");
});

test("the editor's line ends are no edit, and what is sent has LF", () => {
  const made = proposal();
  expect(made.wrote(0, NEW.replaceAll("\n", "\r\n"))).toBe(false);
  expect(made.edited).toBe(false);
  made.wrote(0, "a\r\nb\r\n");
  expect(made.complete({ decision: "accept" }).edited?.[0]?.newText).toBe("a\nb\n");
});

test("an edit that is undone is none, and an undone choice of hunks is recognised", () => {
  const made = proposal();
  const without = made.toggle(0, "2-bb");
  made.wrote(0, "mine");
  expect(made.edited).toBe(true);
  made.wrote(0, without);
  expect(made.edited).toBe(false);
  expect(made.chosenHunks).toEqual(["1-aa", "3-cc"]);
  made.wrote(0, NEW);
  expect(made.chosenHunks).toBeNull();
});

test("rewritten text has no hunks to choose", () => {
  const made = proposal();
  made.wrote(0, "mine");
  expect(made.hunks(0)).toEqual([]);
  expect(() => made.toggle(0, "1-aa")).toThrow("edited");
});

test("a no carries nothing of what was edited", () => {
  const made = proposal();
  made.wrote(0, "mine");
  expect(made.complete({ decision: "decline", feedback: "no" })).toEqual({ decision: "decline", feedback: "no" });
});

test("a deleted or moved file has no text that could be edited", () => {
  const changes = (["create", "edit", "delete", "move"] as const).map((kind) => change({ kind, uri: `file:///${kind}` }));
  const made = new Proposal(request({ changes }), []);
  expect(changes.map((_, index) => made.editable(index))).toEqual([true, true, false, false]);
});

test("a hunk that was taken back by the diff editor's own arrow is left out, not edited", () => {
  const made = proposal();
  made.wrote(0, NEW.replace("second\n", "line 2\n"));
  expect(made.edited).toBe(false);
  expect(made.chosenHunks).toEqual(["2-bb", "3-cc"]);
});

test("once everything is undone a yes is refused, and the hunks can be taken in again", () => {
  const made = proposal();
  made.wrote(0, OLD);
  expect(() => made.complete({ decision: "accept" })).toThrow("decline");
  expect(made.complete({ decision: "decline" })).toEqual({ decision: "decline" });
  made.toggle(0, "1-aa");
  expect(made.complete({ decision: "accept" }).hunks).toEqual(["1-aa"]);
});

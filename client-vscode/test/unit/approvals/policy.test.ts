import { expect, test } from "vitest";
import { opensItself, placeOf } from "../../../src/approvals/policy";
import { change, request } from "./fixtures";

test("a diff opens by itself in modes that ask, unless the setting says on request", () => {
  expect(opensItself(request(), "automatic", "ask")).toBe(true);
  expect(opensItself(request(), "automatic", "read-only")).toBe(true);
  expect(opensItself(request(), "onRequest", "ask")).toBe(false);
});

test("a mode that changes files without asking opens no diff, whatever it asks about", () => {
  expect(opensItself(request({ kind: "protected" }), "automatic", "auto-edit")).toBe(false);
  expect(opensItself(request({ kind: "outside" }), "automatic", "full-auto")).toBe(false);
});

test("a question about no text opens nothing", () => {
  expect(opensItself(request({ kind: "command", changes: [] }), "automatic", "ask")).toBe(false);
  expect(opensItself(request({ kind: "move", changes: [change({ kind: "move" })] }), "automatic", "ask")).toBe(false);
});

test("an editor that may be in use keeps its place and its focus: the diff opens beside it", () => {
  expect(placeOf(false, true)).toBe("beside");
  expect(placeOf(false, false)).toBe("active");
});

test("while the chat has the focus a diff takes it from no editor", () => {
  expect(placeOf(true, true)).toBe("active");
});

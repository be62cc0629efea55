import { expect, test } from "vitest";
import { editedIn, touchedIn } from "../../../src/context/editUris";

const text = (uri: string): object => ({ textDocument: { uri, version: 1 }, edits: [] });

test("an edit concerns each file once, in either of its forms", () => {
  expect(editedIn({ changes: { "file:///a": [], "file:///b": [] } })).toEqual(["file:///a", "file:///b"]);
  expect(editedIn({ documentChanges: [text("file:///a"), text("file:///a")] })).toEqual(["file:///a"]);
  expect(editedIn({})).toEqual([]);
});

test("a file that is deleted, or moved from or to, is touched but its text is not edited", () => {
  const documentChanges = [
    text("file:///a"),
    { kind: "delete", uri: "file:///b" },
    { kind: "rename", oldUri: "file:///c", newUri: "file:///d" },
  ];
  expect(editedIn({ documentChanges })).toEqual(["file:///a"]);
  expect(touchedIn({ documentChanges })).toEqual(["file:///a", "file:///b", "file:///c", "file:///d"]);
});

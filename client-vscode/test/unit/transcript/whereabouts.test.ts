import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changedFiles, followed, linkNow, placeNow, type Whereabouts } from "../../../src/transcript/whereabouts";

type Change = Parameters<typeof followed>[1];

const NOWHERE: Whereabouts = new Map();
const at = (name: string): string => `file:///shop/${name}`;
const after = (...changes: readonly Change[]): Whereabouts => changes.reduce(followed, NOWHERE);
const create = (name: string): Change => ({ kind: "create", uri: at(name) });
const edit = (name: string): Change => ({ kind: "edit", uri: at(name) });
const remove = (name: string): Change => ({ kind: "delete", uri: at(name) });
const move = (from: string, to: string): Change => ({ kind: "move", uri: at(from), target: at(to) });

test.each<[string, Change[], string | null]>([
  ["an edited file is where it was", [edit("a")], "a"],
  ["a moved file is at its new place", [move("a", "b")], "b"],
  ["a file that was moved twice is at the last", [move("a", "b"), edit("b"), move("b", "c")], "c"],
  ["a file that was moved and then deleted is nowhere", [move("a", "b"), remove("b")], null],
  ["a file that came back is where it was", [move("a", "b"), move("b", "a")], "a"],
  ["a deleted file that is written again is there", [remove("a"), create("a")], "a"],
  ["a new file in a moved one's place is what its name means", [move("a", "b"), create("a")], "a"],
])("%s", (_, changes, place) => {
  expect(placeNow(at("a"), after(...changes))).toBe(place === null ? null : at(place));
});

test("a change that moves nothing leaves the same object", () => {
  const moved = after(move("a", "b"));
  expect(followed(moved, edit("b"))).toBe(moved);
});

test("whatever is moved, made and deleted, a name leads to a file that is there, or nowhere", () => {
  const name = fc.constantFrom("a", "b", "c", "d");
  const step = fc.tuple(fc.constantFrom("create", "delete", "move"), name, name);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const files = new Set(["a", "b"]);
      let now = NOWHERE;
      for (const [kind, from, to] of steps) {
        if (kind === "create" && !files.has(from)) {
          files.add(from);
          now = followed(now, create(from));
        } else if (kind === "delete" && files.delete(from)) now = followed(now, remove(from));
        else if (kind === "move" && files.has(from) && !files.has(to)) {
          files.delete(from);
          files.add(to);
          now = followed(now, move(from, to));
        }
        for (const file of files) expect(placeNow(at(file), now)).toBe(at(file));
        for (const place of now.values()) if (place !== null) expect(files).toContain(place.slice(at("").length));
      }
    }),
  );
});

describe("a list of changed files", () => {
  const counted = (name: string, added: number, removed: number) => ({ uri: at(name), added, removed });

  test("has a file that was changed, moved and changed again once, where it is", () => {
    const files = [counted("a", 1, 0), counted("c", 5, 5), counted("b", 2, 1)];
    expect(changedFiles(files, after(move("a", "b")))).toEqual([
      { was: at("a"), place: at("b"), added: 3, removed: 1 },
      { was: at("c"), place: at("c"), added: 5, removed: 5 },
    ]);
  });

  test("has a deleted file without a place", () => {
    expect(changedFiles([counted("a", 0, 3)], after(remove("a")))).toEqual([
      { was: at("a"), place: null, added: 0, removed: 3 },
    ]);
  });
});

test.each([
  [at("a"), at("b")],
  ["a", at("b")],
  ["./shop/a", "./shop/a"],
  ["gone", "gone"],
  ["https://example.org/a", "https://example.org/a"],
])("a link to %s opens %s", (named, opened) => {
  expect(linkNow(named, ["file:///shop"], after(move("a", "b"), remove("gone")))).toBe(opened);
});

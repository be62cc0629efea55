import { expect, test } from "vitest";
import { appended, linesOf, mention, pathFrom } from "../../../src/context/mention";

const shop = { path: "/home/ada/shop", name: "shop" };
const lib = { path: "/home/ada/lib", name: "lib" };

test.each([
  ["cart.py", undefined, "@cart.py"],
  ["src/cart.py", { first: 3, last: 9 }, "@src/cart.py#L3-L9"],
  ["src/cart.py", { first: 3, last: 3 }, "@src/cart.py#L3"],
  ["release notes.md", { first: 3, last: 9 }, '@"release notes.md"#L3-L9'],
  ['odd"name\\.md', undefined, '@"odd\\"name\\\\.md"'],
  ["a#b.md", undefined, '@"a#b.md"'],
  ["what?", undefined, '@"what?"'],
  ["dir(1)", undefined, '@"dir(1)"'],
  ["déjà.py", undefined, "@déjà.py"],
  ["a", undefined, "@a"],
])("%s is mentioned so that the server reads it back", (path, lines, text) => {
  expect(mention(path, lines)).toBe(text);
});

function selection(line: number, character: number, endLine: number, endCharacter: number) {
  return linesOf({ start: { line, character }, end: { line: endLine, character: endCharacter } });
}

test("a selection is the lines that it touches", () => {
  expect(selection(2, 4, 8, 1)).toEqual({ first: 3, last: 9 });
  expect(selection(2, 0, 2, 5)).toEqual({ first: 3, last: 3 });
});

test("whole lines end at the start of the next, which is not meant", () => {
  expect(selection(2, 0, 9, 0)).toEqual({ first: 3, last: 9 });
});

test("a cursor is no selection", () => {
  expect(selection(2, 4, 2, 4)).toBeUndefined();
});

test("a path starts in the first folder, and in another one with that one's name", () => {
  expect(pathFrom("/home/ada/shop/src/cart.py", [shop, lib])).toBe("src/cart.py");
  expect(pathFrom("/home/ada/lib/x.py", [shop, lib])).toBe("lib/x.py");
  expect(pathFrom("/home/ada/lib", [shop, lib])).toBe("lib");
  expect(pathFrom("/home/ada/shop", [shop, lib])).toBe(".");
});

test("a path outside is absolute, and a folder whose name begins alike does not hold it", () => {
  expect(pathFrom("/home/ada/shop2/a.py", [shop, lib])).toBe("/home/ada/shop2/a.py");
  expect(pathFrom("/tmp/a.py", [])).toBe("/tmp/a.py");
});

test("the innermost folder names it, unless another one has its name", () => {
  const inner = { path: "/home/ada/lib/inner", name: "inner" };
  expect(pathFrom("/home/ada/lib/inner/a.py", [shop, lib, inner])).toBe("inner/a.py");
  const namesake = { path: "/srv/lib", name: "lib" };
  expect(pathFrom("/srv/lib/a.py", [shop, lib, namesake])).toBe("/srv/lib/a.py");
});

test("the root of the disk can be a folder", () => {
  expect(pathFrom("/etc/hosts", [{ path: "/", name: "root" }])).toBe("etc/hosts");
});

test("a text appended to a draft is separated by a space and followed by one", () => {
  expect(appended("", "@a.py")).toBe("@a.py ");
  expect(appended("look at", "@a.py")).toBe("look at @a.py ");
  expect(appended("look at\n", "@a.py")).toBe("look at\n@a.py ");
});

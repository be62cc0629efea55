import { expect, test } from "vitest";
import { changes, hover, locations, MAX_ENTRIES, symbols, type RangeLike } from "../../../src/context/lspShapes";

/** As the editor's objects: more in them than LSP has. */
class Uri {
  constructor(private readonly text: string) {}
  readonly scheme = "file";
  toString(): string {
    return this.text;
  }
}

const a = new Uri("file:///shop/a.ts");

function range(line: number, character = 0, endLine = line, endCharacter = character + 1): RangeLike {
  return { start: { line, character }, end: { line: endLine, character: endCharacter } };
}

test("a location is its URI as the editor spells it, and its range", () => {
  expect(locations([{ uri: a, range: range(3, 4) }])).toEqual([{ uri: "file:///shop/a.ts", range: range(3, 4) }]);
});

test("of a link only the name is meant, or its whole where that isn't known", () => {
  const whole = range(10, 0, 20, 1);
  expect(
    locations([
      { targetUri: a, targetRange: whole, targetSelectionRange: range(10, 9) },
      { targetUri: a, targetRange: whole },
    ]).map((each) => each.range),
  ).toEqual([range(10, 9), whole]);
});

test("results are bounded", () => {
  const many = Array.from({ length: MAX_ENTRIES + 10 }, (_, line) => ({ uri: a, range: range(line) }));
  expect(locations(many)).toHaveLength(MAX_ENTRIES);
  const symbol = { name: "x", kind: 11, range: range(0), selectionRange: range(0), children: [] };
  const deep = Array.from({ length: 100 }, () => ({ ...symbol, children: Array.from({ length: 100 }, () => symbol) }));
  const count = (all: ReturnType<typeof symbols>): number =>
    all.reduce((sum, each) => sum + 1 + count([...(each.children ?? [])]), 0);
  expect(count(symbols(deep))).toBe(MAX_ENTRIES);
});

test("symbols of a document keep their nesting, and kinds count from 1", () => {
  const add = { name: "add", kind: 5, range: range(4), selectionRange: range(4, 2), children: [] };
  const cart = { name: "Cart", kind: 4, range: range(3, 0, 9), selectionRange: range(3, 6), children: [add] };
  expect(symbols([cart])).toEqual([
    {
      name: "Cart",
      kind: 5,
      range: range(3, 0, 9),
      selectionRange: range(3, 6),
      children: [{ name: "add", kind: 6, range: range(4), selectionRange: range(4, 2), children: [] }],
    },
  ]);
});

test("symbols of a document come in its order, whatever the extension's", () => {
  const at = (name: string, line: number) => ({ name, kind: 11, range: range(line), selectionRange: range(line) });
  const found = symbols([{ ...at("b", 9), children: [at("d", 11), at("c", 10)] }, at("a", 2)]);
  expect(found.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(found[1]?.children?.map(({ name }) => name)).toEqual(["c", "d"]);
});

test("symbols of the workspace have a place, and a range where it is known", () => {
  expect(
    symbols([
      { name: "total", kind: 11, containerName: "cart", location: { uri: a, range: range(2) } },
      { name: "totals", kind: 11, containerName: "", location: { uri: a } },
    ]),
  ).toEqual([
    { name: "total", kind: 12, containerName: "cart", location: { uri: "file:///shop/a.ts", range: range(2) } },
    { name: "totals", kind: 12, location: { uri: "file:///shop/a.ts" } },
  ]);
});

test("a rename is its edits by file", () => {
  const edit = { range: range(1), newText: "sum" };
  expect(changes([[a, [edit]], [new Uri("file:///shop/b.ts"), [edit, edit]]])).toEqual({
    changes: { "file:///shop/a.ts": [edit], "file:///shop/b.ts": [edit, edit] },
  });
});

test("what several extensions say of a symbol is one hover", () => {
  expect(
    hover([
      { contents: [{ language: "ts", value: "let x: number" }, "  "], range: range(1) },
      { contents: [{ value: "the *sum*" }] },
    ]),
  ).toEqual({
    contents: { kind: "markdown", value: "```ts\nlet x: number\n```\n\nthe *sum*" },
    range: range(1),
  });
  expect(hover([{ contents: [""] }])).toBeNull();
});

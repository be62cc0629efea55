import { expect, test } from "vitest";
import { BadArguments, documentIn, placeIn, textIn } from "../../../src/context/toolArguments";

const params = { textDocument: { uri: "file:///a.ts" }, position: { line: 3, character: 7 }, newName: "sum" };

test("the params of an LSP request are a place and a text", () => {
  expect(placeIn(params)).toEqual({ uri: "file:///a.ts", line: 3, character: 7 });
  expect(documentIn(params)).toBe("file:///a.ts");
  expect(documentIn({ query: "x" })).toBeUndefined();
  expect(textIn(params, "newName")).toBe("sum");
});

test.each([null, 3, {}, { ...params, position: { line: -1, character: 0 } }, { ...params, position: { line: 0.5 } }, { ...params, textDocument: {} }])(
  "%j is no place",
  (given) => {
    expect(() => placeIn(given)).toThrow(BadArguments);
  },
);

test("a text that is missing is said", () => {
  expect(() => textIn({}, "query")).toThrow(BadArguments);
});

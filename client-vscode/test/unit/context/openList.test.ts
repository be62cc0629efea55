import { expect, test } from "vitest";
import { isUnsavedElsewhere, MAX_LISTED, openList, type TabLike } from "../../../src/context/openList";

function tab(uri: string, more: Partial<TabLike> = {}): TabLike {
  return { uri, dirty: false, editor: "text", visible: false, active: false, ...more };
}

test("what has a tab is open, and what the user sees and is in is said", () => {
  expect(openList([tab("a", { visible: true, active: true }), tab("b", { visible: true }), tab("c")], [])).toEqual([
    { uri: "a", dirty: false, visible: true, active: true },
    { uri: "b", dirty: false, visible: true, active: false },
    { uri: "c", dirty: false, visible: false, active: false },
  ]);
});

test("a document that an extension has only looked at is not open; one with unsaved text is", () => {
  const found = openList([], [
    { uri: "looked-at", dirty: false },
    { uri: "changed", dirty: true },
  ]);
  expect(found).toEqual([{ uri: "changed", dirty: true, visible: false, active: false }]);
});

test("a text's document knows sooner than its tab whether it is saved", () => {
  expect(openList([tab("a", { dirty: true })], [{ uri: "a", dirty: false }])[0]?.dirty).toBe(false);
  expect(openList([tab("a")], [{ uri: "a", dirty: true }])[0]?.dirty).toBe(true);
});

test("a notebook, or a file too long to be a document, is unsaved when its tab is", () => {
  expect(openList([tab("n.ipynb", { editor: "notebook", dirty: true })], [])[0]?.dirty).toBe(true);
  expect(openList([tab("n.ipynb", { editor: "notebook", dirty: true })], [{ uri: "n.ipynb", dirty: false }])[0]?.dirty).toBe(true);
  expect(openList([tab("long.txt", { dirty: true })], [])[0]?.dirty).toBe(true);
});

test("a file that is open twice is listed once, and seen if one of the two is", () => {
  const found = openList([tab("a", { visible: true }), tab("a"), tab("a", { editor: "notebook", dirty: true })], []);
  expect(found).toEqual([{ uri: "a", dirty: true, visible: true, active: false }]);
});

test("of too many, what is visible or unsaved is listed", () => {
  const many = Array.from({ length: MAX_LISTED + 5 }, (_, number) => tab(`t${number}`));
  const found = openList([...many, tab("seen", { visible: true })], [{ uri: "unsaved", dirty: true }]);
  expect(found).toHaveLength(MAX_LISTED);
  expect(found.slice(0, 2).map(({ uri }) => uri)).toEqual(["seen", "unsaved"]);
});

test("unsaved work in a notebook is not in the file's text document, whether or not that is open too", () => {
  const notebook = tab("n.ipynb", { editor: "notebook", dirty: true });
  const text = tab("n.ipynb");
  expect(isUnsavedElsewhere("n.ipynb", [notebook], [])).toBe(true);
  expect(isUnsavedElsewhere("n.ipynb", [text, notebook], [{ uri: "n.ipynb", dirty: false }])).toBe(true);
  expect(isUnsavedElsewhere("n.ipynb", [text, notebook], [{ uri: "n.ipynb", dirty: true }])).toBe(true);
  expect(isUnsavedElsewhere("other.ipynb", [notebook], [])).toBe(false);
  expect(isUnsavedElsewhere("n.ipynb", [{ ...notebook, dirty: false }, { ...text, dirty: true }], [])).toBe(false);
});

test("an extension's editor may edit the text document: then the two are unsaved together", () => {
  const custom = tab("a.csv", { editor: "custom", dirty: true });
  expect(isUnsavedElsewhere("a.csv", [custom], [{ uri: "a.csv", dirty: true }])).toBe(false);
  expect(isUnsavedElsewhere("a.csv", [custom], [{ uri: "a.csv", dirty: false }])).toBe(true);
});

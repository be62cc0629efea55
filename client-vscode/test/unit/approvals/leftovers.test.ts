import { expect, test } from "vitest";
import { Leftovers } from "../../../src/approvals/leftovers";

const tab = (id?: string) => ({ id });

test("a tab of a question that is over is noticed whenever it comes, once", () => {
  const open = new Set(["open"]);
  const leftovers = new Leftovers(({ id }: { id: string | undefined }) => id !== undefined && !open.has(id));
  expect(leftovers.haveCome([])).toBe(false);
  const tabs = [tab(), tab("open")];
  expect(leftovers.haveCome(tabs)).toBe(false);
  tabs.push(tab("dead"));
  expect(leftovers.haveCome(tabs)).toBe(true);
  expect(leftovers.haveCome(tabs)).toBe(false);
  // The end of a question closes its tab; it is opened again.
  open.clear();
  expect(leftovers.haveCome(tabs)).toBe(false);
  expect(leftovers.haveCome([...tabs, tab("open")])).toBe(true);
});

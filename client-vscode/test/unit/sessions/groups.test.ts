import { expect, test } from "vitest";
import {
  ageOf,
  type Listing,
  otherNodes,
  ownNodes,
  sameFolder,
  sessionsOf,
  type TreeNode,
} from "../../../src/sessions/groups";
import { row } from "./listed";

const NOW = new Date(2026, 2, 30, 10, 0);
const at = (day: number, hour = 12): number => new Date(2026, 2, day, hour).getTime();
const listing = (...rows: Listing["rows"]): Listing => ({ rows, more: "none" });

/** A tree as words. */
function outline(nodes: readonly TreeNode[]): unknown[] {
  return nodes.map((node) => ("children" in node ? [node.name, ...outline(node.children)] : node.id));
}

test("ages are by calendar days, over a change of the clocks as well", () => {
  expect(ageOf(at(30, 9), NOW)).toBe("today");
  expect(ageOf(at(30, 0), NOW)).toBe("today");
  expect(ageOf(at(29, 23), NOW)).toBe("yesterday");
  expect(ageOf(at(29, 0), NOW)).toBe("yesterday");
  expect(ageOf(at(28, 23), NOW)).toBe("week");
  expect(ageOf(at(23, 0), NOW)).toBe("week");
  expect(ageOf(at(22, 23), NOW)).toBe("earlier");
});

test("a time in the future, by another machine's clock, is of today", () => {
  expect(ageOf(at(31), NOW)).toBe("today");
});

test("one folder's sessions are grouped by date, in the order of the server", () => {
  const own = listing(row("a", { updated: at(30, 9) }), row("b", { updated: at(30, 8) }), row("c", { updated: at(1) }));
  expect(outline(ownNodes(new Map([["file:///shop", own]]), NOW))).toEqual([
    ["today", "a", "b"],
    ["earlier", "c"],
  ]);
});

test("of several folders each has its own dates, and one without sessions is left out", () => {
  const folders = new Map([
    ["file:///shop", listing(row("a", { updated: at(30, 9) }))],
    ["file:///empty", listing()],
    ["file:///lib", listing(row("b", { updated: at(29) }))],
  ]);
  expect(outline(ownNodes(folders, NOW))).toEqual([
    ["file:///shop", ["today", "a"]],
    ["file:///lib", ["yesterday", "b"]],
  ]);
});

test("other folders come in the order of their newest session; no two nodes have one id", () => {
  const others = listing(
    row("a", { roots: ["file:///lib"] }),
    row("b", { roots: ["file:///other%20one/"] }),
    row("c", { roots: ["file:///lib/"] }),
    row("d", { roots: [] }),
  );
  const nodes = otherNodes(others, undefined);
  expect(outline(nodes)).toEqual([
    ["file:///lib", "other:a", "other:c"],
    ["file:///other%20one/", "other:b"],
    ["", "other:d"],
  ]);
  expect(sessionsOf(nodes).map(({ row }) => row.id)).toEqual(["a", "c", "b", "d"]);
});

test("where there is more it says so, within its folder", () => {
  const page: Listing = { rows: [row("a", { updated: at(30) })], more: "page" };
  const [, more] = ownNodes(new Map([["file:///shop", page]]), NOW);
  expect(more).toMatchObject({ kind: "more", scope: "file:///shop" });
  const [, end] = otherNodes({ ...page, more: "end" }, undefined);
  expect(end).toMatchObject({ kind: "end", scope: "others" });
});

test("every node knows its parent, so that it can be shown", () => {
  const folders = new Map([
    ["file:///shop", listing(row("a"))],
    ["file:///lib", listing(row("b"))],
  ]);
  const nodes = ownNodes(folders, NOW);
  const [session] = sessionsOf(nodes);
  expect(session?.parent?.parent).toBe(nodes[0]);
});

test("a folder is the same with a slash at its end, and with its letters escaped or not", () => {
  expect(sameFolder("file:///a%20b/", "file:///a b")).toBe(true);
  expect(sameFolder("file:///a", "file:///ab")).toBe(false);
  expect(sameFolder("file:///100%", "file:///100%")).toBe(true);
});

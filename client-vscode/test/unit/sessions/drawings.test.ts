import { expect, test } from "vitest";
import { Drawings } from "../../../src/sessions/drawings";
import { otherNodes, ownNodes, sessionsOf, type TreeNode } from "../../../src/sessions/groups";
import { row } from "./listed";

const nodes = (...sessions: string[]): TreeNode[] =>
  ownNodes(new Map([["file:///shop", { rows: sessions.map((each) => row(each)), more: "none" }]]), new Date(0));

test("a drawing that is overtaken leaves none of its nodes in the later one", () => {
  const drawings = new Drawings();
  const first = drawings.begin();
  const second = drawings.begin();
  first.keep(nodes("a", "gone"));
  const drawn = second.keep(nodes("a"));
  expect(drawings.find("a")).toBe(sessionsOf(drawn)[0]);
  expect(drawings.find("gone")).toBeUndefined();
  expect(drawings.latest.of("a")).toHaveLength(1);
});

test("the nodes of a group that is opened again take the place of its earlier ones", () => {
  const drawings = new Drawings();
  const others = (): TreeNode[] => otherNodes({ rows: [row("a")], more: "none" }, undefined);
  drawings.latest.keep(others());
  const again = drawings.latest.keep(others());
  expect(drawings.latest.of("a")).toEqual(sessionsOf(again));
  expect(drawings.find("a")).toBe(sessionsOf(again)[0]);
});

test("a session that is listed under two names of its folder has two nodes, of which the workspace's is found", () => {
  const drawings = new Drawings();
  const own = drawings.latest.keep(nodes("a"));
  drawings.latest.keep(otherNodes({ rows: [row("a")], more: "none" }, undefined));
  expect(drawings.latest.of("a")).toHaveLength(2);
  expect(drawings.find("a")).toBe(sessionsOf(own)[0]);
});

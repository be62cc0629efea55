import { expect, test } from "vitest";
import type { ListedSession, SessionsParams } from "../../../src/protocol";
import { fresh } from "../../../src/sessions/current";
import { OTHERS } from "../../../src/sessions/groups";
import { MOST, PAGE, SessionList } from "../../../src/sessions/list";
import { rowOf } from "../../../src/sessions/rows";
import { listed } from "./listed";

/** A home with sessions, newest first, which lists as the server does. */
class Home {
  readonly asked: SessionsParams[] = [];

  constructor(private readonly sessions: readonly ListedSession[]) {}

  readonly ask = (params: SessionsParams): Promise<{ sessions: ListedSession[] }> => {
    this.asked.push(params);
    const { root, query = "", limit = PAGE } = params;
    const found = this.sessions.filter(
      ({ roots, title }) => (root ? roots[0] === root : true) && (title ?? "").includes(query),
    );
    return Promise.resolve({ sessions: found.slice(0, Math.min(limit, MOST)) });
  };
}

const SHOP = "file:///shop";
const many = (count: number, root = SHOP): ListedSession[] =>
  Array.from({ length: count }, (_, index) => listed(`${root}#${index}`, { roots: [root] }));

function listOf(...sessions: ListedSession[]): { list: SessionList; home: Home } {
  const home = new Home(sessions);
  return { home, list: new SessionList(home.ask, (each) => rowOf(each, fresh(), false)) };
}

test("a folder's sessions come a page at a time", async () => {
  const { list } = listOf(...many(PAGE + 20));
  const first = await list.of(SHOP);
  expect([first.rows.length, first.more]).toEqual([PAGE, "page"]);
  list.showMore(SHOP);
  const second = await list.of(SHOP);
  expect([second.rows.length, second.more]).toEqual([PAGE + 20, "none"]);
});

test("of thousands the last page says that there is an end to what is listed", async () => {
  const { list, home } = listOf(...many(3 * MOST));
  for (let page = PAGE; page < MOST; page += PAGE) list.showMore(SHOP);
  list.showMore(SHOP);
  const all = await list.of(SHOP);
  expect([all.rows.length, all.more]).toEqual([MOST, "end"]);
  expect(Math.max(...home.asked.map(({ limit }) => limit ?? 0))).toBe(MOST);
});

test("other folders' sessions are found behind many of the workspace's own", async () => {
  const { list } = listOf(...many(350), ...many(3, "file:///lib"));
  const { rows, more } = await list.others([SHOP], new Set());
  expect([rows.map(({ folders }) => folders[0]), more]).toEqual([Array(3).fill("file:///lib"), "none"]);
});

test("a session that is listed with the workspace is not listed with the others, whatever its folder is called", async () => {
  const { list } = listOf(listed("a", { roots: ["file:///link-to-shop"] }), listed("b", { roots: ["file:///lib"] }));
  const { rows } = await list.others([SHOP], new Set(["a"]));
  expect(rows.map(({ id }) => id)).toEqual(["b"]);
});

test("whether there are others takes one short question", async () => {
  const alone = listOf(...many(3));
  expect(await alone.list.hasOthers(3)).toBe(false);
  expect(alone.home.asked).toEqual([{ limit: 4 }]);
  const beside = listOf(...many(3), ...many(1, "file:///lib"));
  expect(await beside.list.hasOthers(3)).toBe(true);
});

test("a search goes to the server, and begins at the first page", async () => {
  const { list, home } = listOf(...many(2 * PAGE), listed("x", { title: "the cart" }));
  list.showMore(SHOP);
  list.showMore(OTHERS);
  list.query = "  cart ";
  const { rows } = await list.of(SHOP);
  expect(rows.map(({ id }) => id)).toEqual(["x"]);
  expect(home.asked).toEqual([{ root: SHOP, query: "cart", limit: PAGE + 1 }]);
});

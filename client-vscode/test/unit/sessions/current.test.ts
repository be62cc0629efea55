import { expect, test } from "vitest";
import { afterListing, fresh } from "../../../src/sessions/current";
import { rowOf } from "../../../src/sessions/rows";
import { listed } from "./listed";

const heard = { ...fresh(), title: "as it was heard" };

test("a session that another window has renamed since has its new title in the list", () => {
  const renamed = listed("a", { title: "renamed elsewhere" });
  const now = afterListing(heard, renamed);
  expect(now.title).toBe("renamed elsewhere");
  expect(rowOf(renamed, now, false).title).toBe("renamed elsewhere");
});

test("while its run is live here, what was heard is newer than its log", () => {
  const live = { ...heard, run: "run_1" };
  expect(afterListing(live, listed("a"))).toBe(live);
});

test("a list that knows no title, or a session that nothing was heard of, changes nothing", () => {
  expect(afterListing(heard, listed("a", { title: null }))).toBe(heard);
  const unheard = fresh();
  expect(afterListing(unheard, listed("a"))).toBe(unheard);
});

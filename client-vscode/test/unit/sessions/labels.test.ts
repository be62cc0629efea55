import { expect, test } from "vitest";
import { descriptionOf, factsOf, iconOf, spokenOf, timeText, titleOf } from "../../../src/sessions/labels";
import type { RowState } from "../../../src/sessions/rows";
import { row } from "./listed";

const NOW = new Date(2026, 2, 30, 10, 0);
const ago = (minutes: number): number => NOW.getTime() - minutes * 60_000;

test("times are relative for a week, then dates", () => {
  const text = (minutes: number): string => timeText(ago(minutes), NOW, "en");
  expect(text(0.5)).toBe("now");
  expect(text(5)).toBe("5 min. ago");
  expect(text(3 * 60)).toBe("3 hr. ago");
  expect(text(2 * 24 * 60)).toBe("2 days ago");
  expect(text(7 * 24 * 60)).toBe("7 days ago");
  expect(text(20 * 24 * 60)).toBe("Mar 10");
  expect(timeText(new Date(2025, 10, 2).getTime(), NOW, "en")).toBe("Nov 2, 2025");
});

test("days are those of the calendar, as the groups are", () => {
  // 46 hours, and two midnights.
  expect(timeText(new Date(2026, 2, 28, 12).getTime(), NOW, "en")).toBe("2 days ago");
  expect(timeText(new Date(2026, 2, 29, 9).getTime(), NOW, "en")).toBe("yesterday");
});

test("a clock that is ahead says now", () => {
  expect(timeText(ago(-90), NOW, "en")).toBe("now");
});

test("beside the title stand the state, if it is worth a word, the time, and the model without its provider", () => {
  const idle = row("a", { updated: ago(5) });
  expect(descriptionOf(idle, NOW, "en")).toBe("5 min. ago · qwen");
  expect(descriptionOf({ ...idle, state: "waiting" }, NOW, "en")).toBe("waiting for you · 5 min. ago · qwen");
  expect(descriptionOf({ ...idle, model: null }, NOW, "en")).toBe("5 min. ago");
});

test("a session without a title has a name all the same", () => {
  expect(titleOf({ ...row("a"), title: null })).toBe("Untitled session");
});

test("who hears the list hears all of it", () => {
  expect(spokenOf({ ...row("a", { updated: ago(5) }), state: "interrupted" }, NOW, "en")).toBe(
    "title of a, interrupted, 5 min. ago, qwen",
  );
});

test("states that want something of the user are told apart by icon and colour", () => {
  const states: RowState[] = ["running", "waiting", "interrupted", "failed", "locked", "idle"];
  expect(new Set(states.map((state) => iconOf(state).name)).size).toBe(states.length);
  expect(iconOf("running").name).toBe("loading~spin");
  expect(iconOf("failed").color).toBe("list.errorForeground");
});

test("the tooltip has tokens, the cost where it is known, folders and size", () => {
  const usage = { input: 18_200, output: 940, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0.1 };
  const facts = new Map(factsOf(row("a", { usage, size: 61_440 }), (uri) => uri.slice(7), "en"));
  expect(facts.get("Tokens")).toBe("18.2k in, 940 out");
  expect(facts.get("Cost")).toBe("$0.10");
  expect(facts.get("Folder")).toBe("/shop");
  expect(facts.get("Log")).toBe("61 kB");
  const costOf = (cost: number | null) => new Map(factsOf(row("b", { usage: { ...usage, cost } }), String, "en")).get("Cost");
  expect(costOf(0)).toBe("$0.00");
  expect(costOf(null)).toBeUndefined();
});

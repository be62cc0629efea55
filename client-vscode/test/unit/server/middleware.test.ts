import { expect, test } from "vitest";
import { mergeMiddleware } from "../../../src/server/middleware";

interface Hooks {
  save?: (name: string, next: (name: string) => string) => string;
  open?: (name: string, next: (name: string) => string) => string;
  window?: { show?: (name: string, next: (name: string) => string) => string; ask?: () => string };
}

const last = (name: string): string => `<${name}>`;
const adding = (letter: string) => (name: string, next: (name: string) => string) => next(name + letter);

test("a hook of one feature is that hook", () => {
  const merged = mergeMiddleware<Hooks>([{ save: adding("a") }, undefined, { open: adding("b") }]);
  expect(merged.save?.("x", last)).toBe("<xa>");
  expect(merged.open?.("x", last)).toBe("<xb>");
});

test("hooks of one name are put around each other, the first outermost", () => {
  const merged = mergeMiddleware<Hooks>([{ save: adding("a") }, { save: adding("b") }, { save: adding("c") }]);
  expect(merged.save?.("x", last)).toBe("<xabc>");
});

test("the first can keep the others from being called", () => {
  const merged = mergeMiddleware<Hooks>([{ save: () => "mine" }, { save: adding("b") }]);
  expect(merged.save?.("x", last)).toBe("mine");
});

test("groups of hooks are put together name by name", () => {
  const merged = mergeMiddleware<Hooks>([
    { window: { show: adding("a"), ask: () => "asked" } },
    { window: { show: adding("b") } },
  ]);
  expect(merged.window?.show?.("x", last)).toBe("<xab>");
  expect(merged.window?.ask?.()).toBe("asked");
});

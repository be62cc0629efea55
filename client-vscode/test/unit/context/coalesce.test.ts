import { expect, test } from "vitest";
import { Coalescer, type After } from "../../../src/context/coalesce";

/** A clock that is moved by hand. */
class Clock {
  private now = 0;
  private timers: { at: number; run: () => void }[] = [];

  readonly after: After = (ms, run) => {
    const timer = { at: this.now + ms, run };
    this.timers.push(timer);
    return { dispose: () => (this.timers = this.timers.filter((each) => each !== timer)) };
  };

  get waiting(): number {
    return this.timers.length;
  }

  pass(ms: number): void {
    const until = this.now + ms;
    for (let due = this.due(until); due; due = this.due(until)) {
      this.timers = this.timers.filter((each) => each !== due);
      this.now = due.at;
      due.run();
    }
    this.now = until;
  }

  private due(until: number): { at: number; run: () => void } | undefined {
    return this.timers.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
  }
}

function coalescer(batch: number, first?: (key: string) => boolean) {
  const clock = new Clock();
  const told: (readonly string[])[] = [];
  const changes = new Coalescer<string>((keys) => told.push(keys), { delayMs: 100, batch }, clock.after, first);
  return { clock, told, changes };
}

test("what changes often is told once in a while, and a steady flow of changes does not put it off", () => {
  const { clock, told, changes } = coalescer(10);
  for (let ms = 0; ms < 300; ms += 30) {
    changes.add(["a"]);
    clock.pass(30);
  }
  expect(told.length).toBeGreaterThanOrEqual(2);
  expect(told.every((keys) => keys.length === 1)).toBe(true);
});

test("very many changes are sent in batches, each once", () => {
  const { clock, told, changes } = coalescer(2);
  changes.add(["a", "b", "c", "a", "d", "e"]);
  clock.pass(100);
  expect(told).toEqual([["a", "b"]]);
  clock.pass(200);
  expect(told).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(clock.waiting).toBe(0);
});

test("what matters most does not wait behind the others", () => {
  const { clock, told, changes } = coalescer(2, (key) => key === "open");
  changes.add(["a", "b", "c"]);
  clock.pass(50);
  changes.add(["open"]);
  clock.pass(50);
  expect(told).toEqual([["open", "a"]]);
});

test("a beginning sends the first batch at once, the others as usual", () => {
  const { clock, told, changes } = coalescer(2);
  changes.begin();
  changes.add(["a", "b", "c"]);
  changes.begin();
  expect(told).toEqual([["a", "b"]]);
  clock.pass(100);
  expect(told).toEqual([["a", "b"], ["c"]]);
});

test("a flush tells all that waits at once, and nothing twice", () => {
  const { clock, told, changes } = coalescer(1);
  changes.add(["a", "b"]);
  changes.flush();
  changes.flush();
  clock.pass(1000);
  expect(told).toEqual([["a", "b"]]);
});

test("what is cleared is never told", () => {
  const { clock, told, changes } = coalescer(1);
  changes.add(["a"]);
  changes.clear();
  clock.pass(1000);
  expect(told).toEqual([]);
  expect(clock.waiting).toBe(0);
});

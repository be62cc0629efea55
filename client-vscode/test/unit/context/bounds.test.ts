import { expect, test } from "vitest";
import { GivenUp, Lanes, TooLong, within, type Cancellation } from "../../../src/context/bounds";

class Token implements Cancellation {
  isCancellationRequested = false;
  readonly listeners = new Set<() => void>();

  onCancellationRequested(listener: () => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  }

  cancel(): void {
    this.isCancellationRequested = true;
    for (const listener of [...this.listeners]) listener();
  }
}

/** Timers that go off when they are told to. */
class Timers {
  readonly waiting = new Set<() => void>();
  readonly after = (_: number, run: () => void): { dispose(): void } => {
    this.waiting.add(run);
    return { dispose: () => void this.waiting.delete(run) };
  };
  ring(): void {
    for (const run of [...this.waiting]) run();
  }
}

const never = new Promise<never>(() => undefined);

test("work that ends in time is its result, and leaves nothing behind", async () => {
  const [token, timers] = [new Token(), new Timers()];
  expect(await within(Promise.resolve(1), 10, token, timers.after)).toBe(1);
  expect(token.listeners.size + timers.waiting.size).toBe(0);
});

test("work that takes too long is given up, and so is what nobody waits for", async () => {
  const [token, timers] = [new Token(), new Timers()];
  const slow = within(never, 10, token, timers.after);
  timers.ring();
  await expect(slow).rejects.toThrow(TooLong);
  const unwanted = within(never, 10, token, timers.after);
  token.cancel();
  await expect(unwanted).rejects.toThrow(GivenUp);
  await expect(within(never, 10, token, timers.after)).rejects.toThrow(GivenUp);
  expect(token.listeners.size + timers.waiting.size).toBe(0);
});

test("only a few run at once, the others in order, and a failure frees its lane", async () => {
  const lanes = new Lanes(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const jobs = [0, 1, 2, 3].map((number) =>
    lanes.run(() => {
      begun.push(number);
      return new Promise<void>((resolve, reject) => {
        ends.push(number === 0 ? () => reject(new Error("no")) : resolve);
      });
    }),
  );
  expect(begun).toEqual([0, 1]);
  ends[0]?.();
  await expect(jobs[0]).rejects.toThrow("no");
  expect(begun).toEqual([0, 1, 2]);
  ends[1]?.();
  await jobs[1];
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[2]?.();
  ends[3]?.();
  await Promise.all(jobs.slice(1));
});

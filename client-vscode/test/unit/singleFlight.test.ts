import { expect, test } from "vitest";
import { SingleFlight } from "../../src/singleFlight";

/** Actions that end when they are told to. */
function stepwise(): { action: () => Promise<void>; begun: () => number; end: () => void; fail: () => void } {
  const open: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let begun = 0;
  return {
    action: () => {
      begun++;
      return new Promise<void>((resolve, reject) => open.push({ resolve, reject }));
    },
    begun: () => begun,
    end: () => open.shift()?.resolve(),
    fail: () => open.shift()?.reject(new Error("it failed")),
  };
}

test("of actions that are asked for while one is under way, one follows", async () => {
  const steps = stepwise();
  const flight = new SingleFlight(steps.action);
  const asked = [flight.run(), flight.run(), flight.run(), flight.run()];
  expect(steps.begun()).toBe(1);
  steps.end();
  await asked[0];
  await Promise.resolve();
  expect(steps.begun()).toBe(2);
  steps.end();
  await Promise.all(asked);
  const later = flight.run();
  expect(steps.begun()).toBe(3);
  steps.end();
  await later;
});

test("one that fails is told to who asked, and the next goes on", async () => {
  const steps = stepwise();
  const flight = new SingleFlight(steps.action);
  const first = flight.run();
  const second = flight.run();
  steps.fail();
  await expect(first).rejects.toThrow("it failed");
  await Promise.resolve();
  steps.end();
  await second;
});

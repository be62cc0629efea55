import { expect, test } from "vitest";
import { MakingProgress, type Notify } from "../../../src/server/makingProgress";
import { ServerProblem } from "../../../src/server/problem";

/** Notifications that open when the test lets them, as those of a busy window do. */
class Notifications {
  readonly told: string[] = [];
  closed = 0;
  private readonly waiting: (() => void)[] = [];
  cancel: () => void = () => undefined;

  readonly notify: Notify = (task) => {
    this.waiting.push(() => {
      const ended = task((message) => this.told.push(message), (cancel) => (this.cancel = cancel));
      void ended.then(() => (this.closed += 1));
    });
  };

  get asked(): number {
    return this.waiting.length;
  }

  async open(): Promise<void> {
    for (const open of this.waiting) open();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("steps that come before the notification is there have one between them, which ends with the work", async () => {
  const notifications = new Notifications();
  const seen: string[] = [];
  const progress = new MakingProgress(new AbortController().signal, (text) => seen.push(text), notifications.notify);
  progress.step("Looking for Python");
  progress.step("Creating an environment");
  expect(notifications.asked).toBe(1);
  await notifications.open();
  progress.step("Installing");
  expect(notifications.told).toEqual(["Creating an environment", "Installing"]);
  expect(seen).toEqual(["Looking for Python", "Creating an environment", "Installing"]);
  progress.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(notifications.closed).toBe(1);
});

test("a notification that comes after the end closes at once", async () => {
  const notifications = new Notifications();
  const progress = new MakingProgress(new AbortController().signal, () => undefined, notifications.notify);
  progress.step("Looking for Python");
  progress.end();
  await notifications.open();
  expect(notifications.closed).toBe(1);
});

test("what needs no step needs no notification; cancelling one is a problem with a way on", async () => {
  const notifications = new Notifications();
  const progress = new MakingProgress(new AbortController().signal, () => undefined, notifications.notify);
  expect(notifications.asked).toBe(0);
  progress.step("Looking for Python");
  await notifications.open();
  notifications.cancel();
  expect(progress.signal.reason).toBeInstanceOf(ServerProblem);
});

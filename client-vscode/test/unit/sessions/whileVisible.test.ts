import { expect, test } from "vitest";
import { WhileVisible } from "../../../src/sessions/whileVisible";

/** A timer that rings when it is told. */
class Timer {
  private work: (() => void) | undefined;

  readonly later = (work: () => void): { cancel(): void } => {
    this.work = work;
    return { cancel: () => (this.work = undefined) };
  };

  ring(): void {
    const { work } = this;
    this.work = undefined;
    work?.();
  }
}

function counted(): { timer: Timer; wishes: WhileVisible; done: () => number } {
  let count = 0;
  const timer = new Timer();
  return { timer, wishes: new WhileVisible(() => (count += 1), timer.later), done: () => count };
}

test("many wishes are one", () => {
  const { timer, wishes, done } = counted();
  wishes.visible = true;
  wishes.want();
  wishes.want();
  expect(done()).toBe(0);
  timer.ring();
  wishes.want();
  timer.ring();
  expect(done()).toBe(2);
});

test("nothing is done while nobody looks, and what was wished for is done when somebody does", () => {
  const { timer, wishes, done } = counted();
  wishes.want();
  timer.ring();
  expect(done()).toBe(0);
  wishes.visible = true;
  expect(done()).toBe(1);
  wishes.visible = false;
  wishes.visible = true;
  expect(done()).toBe(1);
});

test("a wish that waits when the view is hidden waits on", () => {
  const { timer, wishes, done } = counted();
  wishes.visible = true;
  wishes.want();
  wishes.visible = false;
  timer.ring();
  expect(done()).toBe(0);
  wishes.visible = true;
  expect(done()).toBe(1);
});

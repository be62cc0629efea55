import { expect, test } from "vitest";
import { Coalesced } from "../../../src/sessions/coalesced";

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

function counted(): { timer: Timer; coalesced: Coalesced; done: () => number } {
  let count = 0;
  const timer = new Timer();
  return { timer, coalesced: new Coalesced(() => (count += 1), timer.later), done: () => count };
}

test("many wishes are one", () => {
  const { timer, coalesced, done } = counted();
  coalesced.visible = true;
  coalesced.want();
  coalesced.want();
  expect(done()).toBe(0);
  timer.ring();
  coalesced.want();
  timer.ring();
  expect(done()).toBe(2);
});

test("nothing is done while nobody looks, and what was wished for is done when somebody does", () => {
  const { timer, coalesced, done } = counted();
  coalesced.want();
  timer.ring();
  expect(done()).toBe(0);
  coalesced.visible = true;
  expect(done()).toBe(1);
  coalesced.visible = false;
  coalesced.visible = true;
  expect(done()).toBe(1);
});

test("a wish that waits when the view is hidden waits on", () => {
  const { timer, coalesced, done } = counted();
  coalesced.visible = true;
  coalesced.want();
  coalesced.visible = false;
  timer.ring();
  expect(done()).toBe(0);
  coalesced.visible = true;
  expect(done()).toBe(1);
});

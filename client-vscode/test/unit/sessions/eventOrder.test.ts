import { expect, test } from "vitest";
import type { Event } from "../../../src/protocol";
import { EventOrder } from "../../../src/sessions/eventOrder";

function numbered(seq: number): Event {
  return { seq, session: "ses_1", ts: 0, type: "notice", data: { message: `${seq}` } };
}

const seqs = (events: readonly Event[]): unknown[] => events.map((event) => ("seq" in event ? event.seq : "passing"));

test("events in their order go through", () => {
  const order = new EventOrder();
  expect(seqs(order.accept([numbered(1), numbered(2)]))).toEqual([1, 2]);
  expect(order.seq).toBe(2);
  expect(order.behind).toBe(false);
});

test("an event beyond a gap waits until the gap is filled, and a known one is ignored", () => {
  const order = new EventOrder();
  expect(order.accept([numbered(3), numbered(2)])).toEqual([]);
  expect(order.behind).toBe(true);
  expect(seqs(order.accept([numbered(1)]))).toEqual([1, 2, 3]);
  expect(order.accept([numbered(2)])).toEqual([]);
  expect(order.behind).toBe(false);
});

test("passing events are never held back", () => {
  const order = new EventOrder();
  const state: Event = { session: "ses_1", ts: 0, type: "state", data: { state: "streaming" } };
  expect(seqs(order.accept([numbered(5), state]))).toEqual(["passing"]);
});

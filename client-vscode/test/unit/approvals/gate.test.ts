import { expect, test } from "vitest";
import { type Clock, Gate } from "../../../webview/approvals/gate";
import { Press } from "../../../webview/approvals/press";
import { HandClock } from "./handClock";

const clock = (): HandClock & Clock => new HandClock();

test("a question can't be answered in the first half second", () => {
  const hands = clock();
  const gate = new Gate(hands);
  expect(gate.remaining("apr_1")).toBe(500);
  hands.pass(499);
  expect(gate.remaining("apr_1")).toBe(1);
  hands.pass(1);
  expect(gate.remaining("apr_1")).toBe(0);
});

test("each question has its own half second", () => {
  const hands = clock();
  const gate = new Gate(hands);
  gate.remaining("apr_1");
  hands.pass(1000);
  expect([gate.remaining("apr_1"), gate.remaining("apr_2")]).toEqual([0, 500]);
});

test("after the page was hidden all are inert again for half a second", () => {
  const hands = clock();
  const gate = new Gate(hands);
  gate.remaining("apr_1");
  hands.pass(5000);
  gate.uncover();
  expect(gate.remaining("apr_1")).toBe(500);
});

test("listeners are told when the buttons become active and when they become inert", () => {
  const hands = clock();
  const gate = new Gate(hands);
  const seen: boolean[] = [];
  const stop = gate.watch("apr_1", () => seen.push(gate.remaining("apr_1") > 0));
  hands.pass(500);
  gate.uncover();
  hands.pass(500);
  expect(seen).toEqual([true, false, true, false]);
  stop();
  gate.uncover();
  hands.pass(500);
  expect(seen).toHaveLength(4);
});

const key = (name: string, repeat = false) => ({ key: name, repeat });

test("a key presses a button when it goes down and comes up on it", () => {
  const press = new Press(() => true);
  expect(press.keyDown(key("Enter"))).toBe(true);
  expect(press.keyUp(key("Enter"))).toBe(true);
  expect(press.keyUp(key("Enter"))).toBe(false);
});

test("a held key presses nothing under which it did not go down", () => {
  const press = new Press(() => true);
  press.keyDown(key("Enter", true));
  expect(press.keyUp(key("Enter"))).toBe(false);
});

test("a key that went down while the button was inert presses nothing, however long it is held", () => {
  let active = false;
  const press = new Press(() => active);
  press.keyDown(key(" "));
  active = true;
  press.keyDown(key(" ", true));
  expect(press.keyUp(key(" "))).toBe(false);
});

test("a key that comes up elsewhere presses nothing, nor does another key", () => {
  const press = new Press(() => true);
  press.keyDown(key("Enter"));
  press.leave();
  expect(press.keyUp(key("Enter"))).toBe(false);
  press.keyDown(key("Enter"));
  expect(press.keyUp(key(" "))).toBe(false);
  expect(press.keyDown(key("Tab"))).toBe(false);
});

test("a click counts when its pointer went down on the active button", () => {
  let active = false;
  const press = new Press(() => active);
  press.pointerDown();
  active = true;
  expect(press.click()).toBe(false);
  press.pointerDown();
  expect(press.click()).toBe(true);
});

test("a screen reader's click has no pointer, and counts once the button is active", () => {
  let active = false;
  const press = new Press(() => active);
  expect(press.click()).toBe(false);
  active = true;
  expect(press.click()).toBe(true);
});

// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from "vitest";
import { keepFocus } from "../../../webview/shell/focus";

let page: HTMLElement;
let button: HTMLButtonElement;
let next: HTMLTextAreaElement;
let stop: () => void;

beforeEach(() => {
  page = document.createElement("main");
  button = page.appendChild(document.createElement("button"));
  next = page.appendChild(document.createElement("textarea"));
  document.body.replaceChildren(page);
  stop = keepFocus(page, () => next.focus());
});

afterEach(() => stop());

/** Until what was to happen within a frame has happened. */
const settled = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));

test("what goes away with the focus leaves it to the next", async () => {
  button.focus();
  button.remove();
  await settled();
  expect(document.activeElement).toBe(next);
});

test("what goes away without it changes nothing", async () => {
  const other = page.appendChild(document.createElement("button"));
  other.focus();
  button.remove();
  await settled();
  expect(document.activeElement).toBe(other);
});

test("a place that the user has left before doesn't count", async () => {
  button.focus();
  button.blur();
  await settled();
  button.remove();
  await settled();
  expect(document.activeElement).toBe(document.body);
});

test("what takes the focus itself keeps it", async () => {
  const other = page.appendChild(document.createElement("button"));
  button.focus();
  button.remove();
  requestAnimationFrame(() => other.focus());
  await settled();
  expect(document.activeElement).toBe(other);
});

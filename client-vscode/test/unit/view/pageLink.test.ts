import { expect, test } from "vitest";
import type { FromPage, Push } from "../../../src/view/messages";
import { PageLink } from "../../../src/view/pageLink";

const FOCUS: Push = { type: "focus" };
const EVERYTHING: Push = { type: "trust", trusted: true };

/** A page: what it has heard. */
class FakePage {
  readonly heard: Push[] = [];
  postMessage(message: Push): void {
    this.heard.push(message);
  }
}

function setUp(): { link: PageLink; open(): FakePage; say(message: FromPage): Promise<void> } {
  const owner = { ready: () => link.push(EVERYTHING), draft: () => undefined, draftText: () => undefined, typed: () => undefined };
  const link: PageLink = new PageLink({ stop: () => ({ stopped: true }) }, owner);
  const open = (): FakePage => {
    const page = new FakePage();
    link.open(page);
    return page;
  };
  return { link, open, say: (message) => link.received(message) };
}

const shown = (): Promise<void> => Promise.resolve();

test("a page hears nothing before it is ready, then everything", async () => {
  const { link, open, say } = setUp();
  const page = open();
  link.push({ type: "pong" });
  expect(page.heard).toEqual([]);
  await say({ type: "ready" });
  expect(page.heard).toEqual([EVERYTHING]);
});

test("the cursor goes into the composer of a page in view once the view has the focus", async () => {
  const { link, open, say } = setUp();
  const page = open();
  await say({ type: "ready" });
  let heardBefore: Push[] = [];
  await link.focus(true, async () => {
    heardBefore = [...page.heard];
    await shown();
  });
  expect(heardBefore).toEqual([EVERYTHING]);
  expect(page.heard).toEqual([EVERYTHING, FOCUS]);
});

test("the cursor goes into a hidden page when it is loaded again, after everything else", async () => {
  const { link, open, say } = setUp();
  const page = open();
  await say({ type: "ready" });
  page.heard.length = 0;
  await link.focus(false, shown);
  expect(page.heard).toEqual([]);
  await say({ type: "ready" });
  expect(page.heard).toEqual([EVERYTHING, FOCUS]);
});

test("the cursor goes into a page that is ready before the editor says that the view is shown", async () => {
  const { link, open, say } = setUp();
  let page = new FakePage();
  await link.focus(false, async () => {
    page = open();
    await say({ type: "ready" });
  });
  expect(page.heard).toEqual([EVERYTHING, FOCUS]);
});

test("a focus that was given is not given again to a page that is loaded later", async () => {
  const { link, open, say } = setUp();
  open();
  await link.focus(false, shown);
  await say({ type: "ready" });
  const later = open();
  await say({ type: "ready" });
  expect(later.heard).toEqual([EVERYTHING]);
});

test("the end of an old page leaves the new one connected", async () => {
  const { link, open, say } = setUp();
  const old = open();
  const page = open();
  await say({ type: "ready" });
  link.close(old);
  await say({ type: "ping" });
  expect(page.heard).toEqual([EVERYTHING, { type: "pong" }]);
  link.close(page);
  await say({ type: "ping" });
  expect(page.heard).toHaveLength(2);
});

test("a call is answered by the room that handles it", async () => {
  const { open, say } = setUp();
  const page = open();
  await say({ type: "ready" });
  await say({ type: "call", id: 7, name: "stop", params: {} });
  expect(page.heard.at(-1)).toEqual({ type: "answer", id: 7, answer: { stopped: true } });
});

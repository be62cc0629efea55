import { expect, test } from "vitest";
import { Follow } from "../../../webview/transcript/follow";

test("keeps to the end while only the page scrolls", () => {
  const follow = new Follow();
  follow.wrote(500);
  follow.scrolled({ top: 500, below: 0 });
  follow.wrote(900);
  follow.scrolled({ top: 900, below: 40 });
  expect(follow.following).toBe(true);
});

test("a scroll upward of three pixels ends it", () => {
  const follow = new Follow();
  follow.wrote(500);
  follow.scrolled({ top: 500, below: 0 });
  follow.scrolled({ top: 497, below: 3 });
  expect(follow.following).toBe(false);
});

test("a push upward ends it before the scroll event comes, and the page's own late event does not begin it again", () => {
  const follow = new Follow();
  follow.wrote(500);
  follow.pushedUp();
  follow.scrolled({ top: 500, below: 0 });
  expect(follow.following).toBe(false);
});

test("text that grows below a scrolled view changes nothing", () => {
  const follow = new Follow();
  follow.wrote(500);
  follow.scrolled({ top: 500, below: 0 });
  follow.scrolled({ top: 300, below: 200 });
  follow.scrolled({ top: 300, below: 900 });
  expect(follow.following).toBe(false);
});

test("reaching the end again, or asking for it, begins it anew", () => {
  const follow = new Follow();
  follow.scrolled({ top: 500, below: 0 });
  follow.scrolled({ top: 300, below: 200 });
  follow.scrolled({ top: 400, below: 100 });
  expect(follow.following).toBe(false);
  follow.scrolled({ top: 500, below: 0 });
  expect(follow.following).toBe(true);
  follow.pushedUp();
  follow.toEnd();
  expect(follow.following).toBe(true);
});

test("an end that comes nearer because text has gone is no scroll of the user's", () => {
  const follow = new Follow();
  follow.wrote(500);
  follow.scrolled({ top: 500, below: 0 });
  follow.scrolled({ top: 420, below: 0 });
  expect(follow.following).toBe(true);
});

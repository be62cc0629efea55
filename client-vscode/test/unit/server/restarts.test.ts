import { expect, test } from "vitest";
import { CrashLimit, PendingRestart } from "../../../src/server/restarts";

test("after a crash the wait doubles, and the fourth within three minutes is the last", () => {
  const limit = new CrashLimit();
  expect([0, 10_000, 20_000, 30_000].map((now) => limit.crashed(now))).toEqual([1000, 2000, 4000, undefined]);
});

test("crashes of long ago don't count, nor those before the user asked for a start", () => {
  const limit = new CrashLimit();
  limit.crashed(0);
  limit.crashed(1000);
  expect(limit.crashed(200_000)).toBe(1000);
  limit.forget();
  expect(limit.crashed(201_000)).toBe(1000);
});

/** A server with runs, as PendingRestart sees it. */
class Seen {
  live = false;
  up = true;
  readonly said: string[] = [];
  readonly pending = new PendingRestart({
    isLive: () => this.live,
    isUp: () => this.up,
    restart: () => this.said.push("restart"),
    wait: () => this.said.push("wait"),
  });
}

test("a change restarts a server at once when no run is live", () => {
  const seen = new Seen();
  seen.pending.changed();
  expect(seen.said).toEqual(["restart"]);
});

test("while a run is live it waits for its end, says so once, and ends no run", () => {
  const seen = new Seen();
  seen.live = true;
  seen.pending.changed();
  seen.pending.changed();
  seen.pending.settled();
  expect(seen.said).toEqual(["wait"]);
  seen.live = false;
  seen.pending.settled();
  seen.pending.settled();
  expect(seen.said).toEqual(["wait", "restart"]);
});

test("a server that was restarted meanwhile is not restarted again", () => {
  const seen = new Seen();
  seen.live = true;
  seen.pending.changed();
  seen.pending.started();
  seen.live = false;
  seen.pending.settled();
  expect(seen.said).toEqual(["wait"]);
});

test("a change before there is a server needs no restart", () => {
  const seen = new Seen();
  seen.up = false;
  seen.pending.changed();
  expect(seen.said).toEqual([]);
});

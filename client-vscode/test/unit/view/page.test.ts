import { describe, expect, it } from "vitest";
import type { FromPage } from "../../../src/view/messages";
import { bundleAttribute } from "../../../src/view/bundle";
import { modelChoices, withRecent } from "../../../src/view/models";
import { Bridge, CallFailed } from "../../../webview/bridge";
import { type Clock, Connection } from "../../../webview/connection";
import { DraftKeeper } from "../../../webview/composer/draftKeeper";
import { readBundle, t, useBundle } from "../../../webview/l10n";
import { Store } from "../../../webview/store";

/** Time that the test moves. */
class HandClock implements Clock {
  private timers = new Map<number, { readonly run: () => void; readonly at: number }>();
  private now = 0;
  private next = 1;

  set(run: () => void, ms: number): number {
    this.timers.set(this.next, { run, at: this.now + ms });
    return this.next++;
  }

  clear(timer: number): void {
    this.timers.delete(timer);
  }

  pass(ms: number): void {
    this.now += ms;
    for (const [timer, { run, at }] of [...this.timers]) {
      if (at > this.now) continue;
      this.timers.delete(timer);
      run();
    }
  }
}

class FakeHost {
  readonly got: FromPage[] = [];
  postMessage(message: FromPage): void {
    this.got.push(message);
  }
}

function setUp(): { host: FakeHost; bridge: Bridge; clock: HandClock; told: boolean[]; connection: Connection } {
  const host = new FakeHost();
  const bridge = new Bridge(host);
  const clock = new HandClock();
  const told: boolean[] = [];
  const connection = new Connection(bridge, clock, (connected) => told.push(connected));
  return { host, bridge, clock, told, connection };
}

describe("the connection to the host", () => {
  it("is lost when neither a call nor a ping is answered; the call fails then", async () => {
    const { host, bridge, clock, told } = setUp();
    const call = bridge.call("stop", {}).catch((error: unknown) => error);
    clock.pass(5000);
    expect(host.got.at(-1)).toEqual({ type: "ping" });
    clock.pass(5000);
    expect(told).toEqual([false]);
    expect(await call).toBeInstanceOf(CallFailed);
  });

  it("is not lost while a slow call is being worked on", () => {
    const { host, bridge, clock, told } = setUp();
    bridge.call("stop", {}).catch(() => undefined);
    for (let round = 0; round < 10; round++) {
      clock.pass(5000);
      if (host.got.at(-1)?.type === "ping") bridge.receive({ type: "pong" });
    }
    expect(told).toEqual([]);
  });

  it("is back with any sign of the host", () => {
    const { bridge, clock, told, connection } = setUp();
    connection.check();
    clock.pass(5000);
    bridge.receive({ type: "focus" });
    expect(told).toEqual([false, true]);
  });

  it("a call without it fails as well, instead of waiting for ever", async () => {
    const { bridge, clock, connection } = setUp();
    connection.check();
    clock.pass(5000);
    const call = bridge.call("stop", {}).catch((error: unknown) => error);
    clock.pass(5000);
    clock.pass(5000);
    expect(await call).toMatchObject({ code: "disconnected" });
  });
});

describe("keeping a draft", () => {
  const image = { mimeType: "image/png", data: "AAAA" };

  it("tells the last text of several, soon", () => {
    const { host, bridge, clock } = setUp();
    const keeper = new DraftKeeper(bridge, clock);
    const images = [image];
    for (const text of ["a", "ab", "abc"]) keeper.changed({ text, images });
    expect(host.got).toEqual([]);
    clock.pass(150);
    expect(host.got).toEqual([{ type: "draft", draft: { text: "abc", images } }]);
  });

  it("sends images only when they change", () => {
    const { host, bridge, clock } = setUp();
    const keeper = new DraftKeeper(bridge, clock);
    const images = [image];
    keeper.changed({ text: "a", images });
    keeper.flush();
    keeper.changed({ text: "ab", images });
    keeper.flush();
    keeper.changed({ text: "ab", images: [] });
    keeper.flush();
    expect(host.got.map(({ type }) => type)).toEqual(["draft", "draftText", "draft"]);
  });

  it("tells at once when the page may go", () => {
    const { host, bridge, clock } = setUp();
    const keeper = new DraftKeeper(bridge, clock);
    keeper.changed({ text: "half a se", images: [] });
    keeper.flush();
    keeper.flush();
    expect(host.got).toHaveLength(1);
  });
});

describe("the store", () => {
  it("has all that the host puts into the composer: the same text twice is two", () => {
    const { bridge } = setUp();
    const store = new Store(bridge);
    const push = { type: "draft", draft: { text: "again", images: [] }, how: "prepend" } as const;
    bridge.receive(push);
    bridge.receive(push);
    expect(store.state.drafts).toMatchObject([push, push]);
  });
});

describe("translations", () => {
  it("reach the page through an attribute, whatever is in them", () => {
    const bundle = { 'Say "{0}" & <go>': 'Sag „{0}“ & "los"' };
    const attribute = bundleAttribute(bundle);
    expect(attribute).not.toMatch(/["<>]/);
    const read = attribute.replace(/&quot;/g, '"').replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
    useBundle(readBundle(read));
    expect(t('Say "{0}" & <go>', "x")).toBe('Sag „x“ & "los"');
    useBundle({});
  });

  it("leave English where there are none", () => {
    useBundle(readBundle(bundleAttribute(undefined)));
    expect(t("{0} of {1}", 1, "two")).toBe("1 of two");
    expect(t("as it is: {0}")).toBe("as it is: {0}");
  });
});

describe("models to choose from", () => {
  const detail = { configured: "configured", open: "open", recent: "recent" };

  it("are those that are configured, open or used before, each once", () => {
    const sessions = [{ model: "b:2" }, { model: null }, { model: "a:1" }] as never[];
    const choices = modelChoices({ model: "a:1", sessions }, ["c:3", "b:2"], detail);
    expect(choices.map(({ value }) => value)).toEqual(["a:1", "b:2", "c:3"]);
    expect(choices[0]?.detail).toBe("configured");
  });

  it("remember the last ones", () => {
    expect(withRecent(["a", "b", "c"], "c")).toEqual(["c", "a", "b"]);
    expect(withRecent(Array.from({ length: 8 }, (_, at) => String(at)), "new")).toHaveLength(8);
  });
});

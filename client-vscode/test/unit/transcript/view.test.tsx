// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Event } from "../../../src/protocol";
import type { FromPage } from "../../../src/view/messages";
import { Bridge } from "../../../webview/bridge";
import { INITIAL, Store } from "../../../webview/store";
import { TranscriptView } from "../../../webview/transcript/view";
import { recorded, Session } from "./events";

type Call = Extract<FromPage, { type: "call" }>;

const session = { ...INITIAL.session, id: "ses_1" };

let root: HTMLElement;
let sent: Call[];
let bridge: Bridge;
let store: Store;

beforeEach(async () => {
  root = document.createElement("div");
  document.body.replaceChildren(root);
  sent = [];
  bridge = new Bridge({ postMessage: (message) => message.type === "call" && sent.push(message) });
  store = new Store(bridge);
  bridge.receive({ type: "session", session });
  await act(() => render(<TranscriptView store={store} bridge={bridge} />, root));
});

afterEach(() => render(null, root));

const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()));

/** What the host pushes is drawn with the next frame. */
async function tell(...events: (Event | readonly Event[])[]): Promise<void> {
  await act(async () => {
    bridge.receive({ type: "events", events: events.flat() });
    await frame();
  });
}

function one(selector: string, name?: string): HTMLElement {
  const all = [...root.querySelectorAll<HTMLElement>(selector)];
  const named = name === undefined ? all : all.filter((each) => nameOf(each).startsWith(name));
  const [found] = named;
  if (!found) throw new Error(`no ${selector} ${name ?? ""}, but ${all.map(nameOf).join(", ")}`);
  return found;
}

const nameOf = (element: Element): string => element.getAttribute("aria-label") ?? element.textContent.trim();

async function press(name: string): Promise<void> {
  await act(() => one("button", name).click());
}

const calls = (): unknown[] => sent.map(({ name, params }) => [name, params]);

test("a long session is a feed of which a part is drawn, each row with its place", async () => {
  const teller = new Session();
  const many = Array.from({ length: 500 }, (_, i) => teller.user(`u${i}`, i > 0 ? `u${i - 1}` : null, `say ${i}`));
  await tell(many.flat());
  const rows = root.querySelectorAll('[role="feed"] article');
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThan(60);
  expect(rows[0]?.getAttribute("aria-setsize")).toBe("500");
  expect(rows[0]?.getAttribute("aria-posinset")).toBe(String(Number(rows[0]?.getAttribute("data-index")) + 1));
});

test("whoever has scrolled up and says something is taken to the end again", async () => {
  const teller = new Session();
  await tell(teller.user("u1", null, "hello"));
  const scroller = one('[role="feed"]');
  Object.defineProperties(scroller, { scrollHeight: { value: 2000 }, clientHeight: { value: 500 } });
  scroller.scrollTop = 900;
  await act(() => void scroller.dispatchEvent(new WheelEvent("wheel", { deltaY: -100 })));
  expect(one("button", "Jump to latest")).toBeTruthy();
  await act(() => store.said());
  expect(root.textContent).not.toContain("Jump to latest");
  expect(scroller.scrollTop).toBe(1500);
});

test("an end that has come nearer and gone away again between two frames is followed", async () => {
  const teller = new Session();
  const scroller = one('[role="feed"]');
  let height = 2000;
  Object.defineProperties(scroller, { scrollHeight: { get: () => height }, clientHeight: { value: 500 } });
  await tell(teller.user("u1", null, "hello"));
  expect(scroller.scrollTop).toBe(1500);
  // A row turns out to be smaller than it was taken for: the browser draws the view up.
  height = 1700;
  scroller.scrollTop = 1200;
  await tell(teller.user("u2", "u1", "and"));
  height = 1900;
  await act(() => void scroller.dispatchEvent(new Event("scroll")));
  expect(root.textContent).not.toContain("Jump to latest");
});

test("an entry that does not change is not drawn again while another one grows", async () => {
  const teller = new Session();
  await tell(
    teller.user("u1", null, "hello"),
    teller.event("message_start", { messageId: "m1", role: "assistant" }),
    teller.update("m1", 0, 0, "# One\n\ntwo\n\nth"),
  );
  const heading = one("h2");
  const said = one(".user-text");
  await tell(teller.update("m1", 0, 14, "ree\n\nfour"));
  expect(one(".row-text").textContent).toContain("three");
  expect(one("h2")).toBe(heading);
  expect(one(".user-text")).toBe(said);
});

test("an error opens itself, a result is folded, and both can be turned", async () => {
  const teller = new Session();
  const call = (id: string) => ({ type: "toolCall", id, name: "bash", arguments: `{"command":"${id}"}` }) as const;
  const end = (toolCallId: string, isError: boolean): Event =>
    teller.event("tool_execution_end", {
      toolCallId,
      name: "bash",
      outcome: isError ? "failed" : "ok",
      isError,
      content: [{ type: "text", text: `output of ${toolCallId}` }],
      durationMs: 1500,
    });
  await tell(teller.answer("m1", null, call("good"), call("bad")), end("good", false), end("bad", true));
  const good = one("article", "Run good");
  const bad = one("article", "Run bad");
  expect(good.querySelector("button")?.getAttribute("aria-expanded")).toBe("false");
  expect(good.textContent).toContain("1.5 s");
  expect(bad.querySelector("button")?.getAttribute("aria-expanded")).toBe("true");
  expect(bad.textContent).toContain("output of bad");
  await act(() => good.querySelector("button")?.click());
  expect(good.textContent).toContain("output of good");
});

test("a call that waits for the user shows its question", async () => {
  const teller = new Session();
  await tell(teller.answer("m1", null, { type: "toolCall", id: "call_1", name: "bash", arguments: `{"command":"ls"}` }));
  const data = {
    id: "apr_1",
    toolCallId: "call_1",
    kind: "command",
    title: "Run ls",
    reason: "Commands are asked about.",
    changes: [],
    decisions: ["accept", "decline"],
    command: "ls",
  } as const;
  const request = { ...data, changes: [], decisions: [...data.decisions], session: "ses_1", run: "run_1" };
  const shown = { request, sessionTitle: null, roots: [], chosenHunks: null, edited: false, shownAt: 0 };
  await act(async () => {
    bridge.receive({ type: "approvals", pending: [shown] });
    await frame();
  });
  expect(nameOf(one("article [role=group]", "Run ls"))).toBe("Run ls");
});

test("a question about several files shows each, with a way to look at it alone", async () => {
  const teller = new Session();
  await tell(teller.answer("m1", null, { type: "toolCall", id: "call_1", name: "edit", arguments: "{}" }));
  const lines = Array.from({ length: 9 }, (_, n) => `+line ${n}\n`).join("");
  const changes = ["a.py", "b.py"].map((name) => ({
    uri: `file:///shop/${name}`,
    kind: "edit" as const,
    base: { sha256: "0" },
    diff: `--- a/${name}\n+++ b/${name}\n@@ -0,0 +1,9 @@\n${lines}`,
    hunks: [],
    added: 9,
    removed: 0,
  }));
  const decisions: ("accept" | "decline")[] = ["accept", "decline"];
  const data = { id: "apr_1", toolCallId: "call_1", kind: "edit" as const, title: "Edit 2 files", reason: "Asked.", changes, decisions };
  await tell([teller.event("approval_requested", data)]);
  const request = { ...data, session: "ses_1", run: "run_1" };
  const shown = { request, sessionTitle: null, roots: [], chosenHunks: null, edited: false, shownAt: 0 };
  await act(async () => {
    bridge.receive({ type: "approvals", pending: [shown] });
    await frame();
  });
  const card = one("article [role=group]", "Edit 2 files");
  expect(card.querySelectorAll(".diff")).toHaveLength(2);
  expect(card.textContent.match(/Show all 9 lines/g)).toHaveLength(2);
  const [, second] = card.querySelectorAll<HTMLButtonElement>('[aria-label^="Show the diff of"]');
  await act(() => second?.click());
  expect(sent.at(-1)).toMatchObject({ name: "showDiff", params: { id: "apr_1", uri: "file:///shop/b.py" } });
});

test("a message of the user can be copied, forked, edited and reverted to", async () => {
  const teller = new Session();
  await tell(teller.user("u1", null, "hello"));
  await press("Copy");
  await press("Fork");
  await press("Edit and send again");
  expect(calls()).toEqual([
    ["copy", { text: "hello" }],
    ["fork", { message: "u1", place: "new" }],
    ["fork", { message: "u1", place: "here" }],
  ]);
  await press("Revert to here");
  expect(one("[role=group]", "Revert")).toBeTruthy();
  expect(calls().at(-1)).toEqual(["revertPreview", { checkpoint: "u1" }]);
});

test("a locked session can be forked, not changed", async () => {
  await act(async () => {
    bridge.receive({ type: "session", session: { ...session, locked: true } });
    await frame();
  });
  await tell(new Session().user("u1", null, "hello"));
  const names = [...root.querySelectorAll(".message-menu button")].map(nameOf);
  expect(names).toEqual(["Copy", "Fork"]);
});

test("a run that an error has ended says so, and can be continued", async () => {
  await tell(recorded("failed"));
  expect(one("article", "End of the run").textContent).toContain("The key is not valid.");
  await press("Continue");
  expect(calls()).toEqual([["continueRun", {}]]);
});

test("a run that ended for want of a key offers to set it", async () => {
  await tell(recorded("failed"));
  await press("Set API key");
  expect(calls()).toEqual([["remedy", { kind: "command", command: "steersman.ui.setApiKey" }]]);
});

test("a run that is complete names its files and cannot be continued", async () => {
  const [start] = recorded("rich");
  await tell(start ?? [], recorded("rich").slice(-1));
  const end = one("article", "End of the run");
  expect(end.textContent).toContain("shop/basket.py");
  expect([...end.querySelectorAll("button")].map(nameOf)).not.toContain("Continue");
  expect(end.textContent).not.toContain("$");
});

test("a call of the page that fails says why, where it was made", async () => {
  await tell(new Session().user("u1", null, "hello"));
  await press("Fork");
  await act(async () => {
    bridge.receive({ type: "failure", id: sent[0]?.id ?? 0, code: "locked", message: "It is locked." });
    await frame();
  });
  expect(one('[role="alert"]').textContent).toContain("It is locked.");
  await press("Close");
  expect(root.querySelector('[role="alert"]')).toBeNull();
});

test("links and buttons in a text ask the host, and nothing else", async () => {
  const teller = new Session();
  const text = "[docs](https://example.org/) [file](a.py#L3)\n\n```sh\nls\n```\n";
  await tell(teller.answer("m1", null, { type: "text", text }));
  for (const link of root.querySelectorAll<HTMLElement>(".markdown a")) await act(() => link.click());
  await press("Insert at cursor");
  expect(calls()).toEqual([
    ["openLink", { href: "https://example.org/" }],
    ["showFile", { uri: "a.py", line: 3 }],
    ["insertAtCursor", { text: "ls\n" }],
  ]);
});

test("an answer that is asked for again is folded away; one that was stopped stays and says so", async () => {
  const teller = new Session();
  const discard = (messageId: string, discarded: "retried" | "aborted"): Event[] => [
    teller.event("message_start", { messageId, role: "assistant" }),
    teller.event("message_end", {
      messageId,
      discarded,
      partial: [{ type: "text", text: `half of ${messageId}` }],
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 },
    }),
  ];
  await tell(discard("m1", "retried"), discard("m2", "aborted"));
  expect(root.textContent).not.toContain("half of m1");
  expect(root.textContent).toContain("half of m2");
  expect(root.textContent).toContain("it was stopped");
});

test("how long a call has been running is counted by the host's clock, which may be hours from the page's", async () => {
  const teller = new Session();
  const call = { type: "toolCall", id: "call_1", name: "bash", arguments: '{"command":"make"}' } as const;
  const begun = teller.event("tool_execution_running", { toolCallId: "call_1" });
  const remote = new Store(bridge, () => begun.ts - 3 * 3_600_000);
  bridge.receive({ type: "session", session });
  await act(() => render(<TranscriptView key="remote" store={remote} bridge={bridge} />, root));
  bridge.receive({ type: "clock", now: begun.ts + 12_000 });
  await tell(
    teller.answer("a1", null, call),
    teller.event("tool_execution_start", { toolCallId: "call_1", name: "bash", args: { command: "make" } }),
    begun,
  );
  expect(root.textContent).toContain("running for 12");
});

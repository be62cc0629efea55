// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ApprovalRequest } from "../../../src/protocol";
import type { FromPage, PendingApproval } from "../../../src/view/messages";
import { ApprovalCard } from "../../../webview/approvals/card";
import { Gate } from "../../../webview/approvals/gate";
import { InView, useOutOfView } from "../../../webview/approvals/inView";
import { ApprovalList } from "../../../webview/approvals/list";
import { Bridge } from "../../../webview/bridge";
import { INITIAL, Store } from "../../../webview/store";
import { change, HUNKS, request } from "./fixtures";
import { HandClock } from "./handClock";

type Call = Extract<FromPage, { type: "call" }>;

let root: HTMLElement;
let sent: Call[];
let bridge: Bridge;
let store: Store;
let clock: HandClock;

beforeEach(() => {
  root = document.createElement("div");
  document.body.replaceChildren(root);
  sent = [];
  clock = new HandClock();
  bridge = new Bridge({ postMessage: (message) => message.type === "call" && sent.push(message) });
  store = new Store(bridge);
  bridge.receive({ type: "session", session: { ...INITIAL.session, id: "ses_1" } });
});

afterEach(() => render(null, root));

function approval(part: Partial<ApprovalRequest> = {}, rest: Partial<PendingApproval> = {}): PendingApproval {
  return {
    request: request({ session: "ses_1", ...part }),
    sessionTitle: null,
    chosenHunks: null,
    roots: [],
    edited: false,
    shownAt: 0,
    ...rest,
  };
}

async function show(shown: PendingApproval, active = true): Promise<void> {
  const gate = new Gate(clock);
  await act(() => render(<ApprovalCard store={store} bridge={bridge} approval={shown} gate={gate} />, root));
  if (active) await act(() => clock.pass(500));
}

function button(name: string): HTMLButtonElement {
  const all = [...root.querySelectorAll("button")];
  const found = all.find((each) => (each.getAttribute("aria-label") ?? each.textContent) === name);
  if (!found) throw new Error(`there is no button ${name}, but ${all.map((each) => each.textContent).join(", ")}`);
  return found;
}

const names = (): string[] =>
  [...root.querySelectorAll("button")].map((each) => each.getAttribute("aria-label") ?? each.textContent);

const click = (name: string): Promise<void> => act(() => button(name).click());

async function type(element: HTMLElement, kind: "keydown" | "keyup", key: string, repeat = false): Promise<KeyboardEvent> {
  const event = new KeyboardEvent(kind, { key, repeat, bubbles: true, cancelable: true });
  await act(() => void element.dispatchEvent(event));
  return event;
}

const answers = (): unknown[] => sent.filter(({ name }) => name === "approve").map(({ params }) => params);

test("the card is a group named after the question, with its reason and its files", async () => {
  const changes = [change({ uri: "file:///home/ada/my%20shop/calc.py", added: 3, removed: 1 })];
  await show(approval({ changes }, { roots: ["file:///home/ada"] }));
  const group = root.querySelector("[role=group]");
  expect(group?.getAttribute("aria-label")).toBe("Edit calc.py (+1 −1)");
  expect(group?.textContent).toContain("Changes are asked about in this mode.");
  expect(root.querySelector("li")?.textContent).toBe("calc.pymy shop+3−1");
});

test("only decisions that the question takes have a button", async () => {
  await show(approval({ decisions: ["accept", "decline", "cancel"], changes: [], kind: "command", command: "ls" }));
  expect(names()).toEqual(["Accept", "Decline", "Stop"]);
  await show(approval({ id: "apr_2" }));
  expect(names()).toEqual(["Accept", "Accept all in this run", "More", "Decline", "Stop", "Show diff"]);
});

test("a command is shown with its folder, and nothing in it is hidden", async () => {
  await show(approval({ kind: "command", changes: [], command: "rm \u202egpj.exe\n<b>ls</b>\u001b[2K", cwd: "/shop" }));
  expect(root.querySelector("pre")?.textContent).toBe("rm \\u{202e}gpj.exe\n<b>ls</b>\\u{1b}[2K");
  expect(root.textContent).toContain("in /shop");
});

test("a tool's arguments are shown in full", async () => {
  const tool = { name: "deploy", arguments: { where: "production", force: true } };
  await show(approval({ kind: "tool", changes: [], tool }));
  expect(JSON.parse(root.querySelector("pre")?.textContent ?? "")).toEqual(tool.arguments);
});

test("what was made of the proposal in the editor is said", async () => {
  const changes = [change({ hunks: HUNKS })];
  await show(approval({ changes }, { chosenHunks: ["1-aa", "3-cc"] }));
  expect(root.textContent).toContain("2 of 3 hunks");
  await show(approval({ changes }, { edited: true }));
  expect(root.textContent).toContain("edited by you");
});

test("in the first half second nothing answers, and nothing loses the focus", async () => {
  await show(approval(), false);
  const accept = button("Accept");
  expect(document.activeElement).toBe(document.body);
  accept.focus();
  expect(accept.getAttribute("aria-disabled")).toBe("true");
  await click("Accept");
  await type(accept, "keydown", "Enter");
  await act(() => clock.pass(500));
  await type(accept, "keyup", "Enter");
  expect(document.activeElement).toBe(accept);
  expect(answers()).toEqual([]);
  expect(button("Accept").getAttribute("aria-disabled")).toBe("false");
});

test("Enter presses a button when it comes up, and its repeats don't", async () => {
  await show(approval());
  const accept = button("Accept");
  const held = await type(accept, "keydown", "Enter", true);
  expect(held.defaultPrevented).toBe(true);
  await type(accept, "keyup", "Enter");
  expect(answers()).toEqual([]);
  await type(accept, "keydown", "Enter");
  expect(answers()).toEqual([]);
  await type(accept, "keyup", "Enter");
  expect(answers()).toEqual([{ id: "apr_1", answer: { decision: "accept" } }]);
});

test("while an answer is on its way there is no second one", async () => {
  await show(approval());
  await click("Accept");
  await click("Stop");
  expect(answers()).toHaveLength(1);
});

test("an answer that fails is told, and the buttons work again", async () => {
  await show(approval());
  await click("Accept");
  await act(async () => {
    bridge.receive({ type: "failure", id: sent[0]?.id ?? 0, code: "badAnswer", message: "It would stay." });
    await Promise.resolve();
  });
  expect(root.querySelector("[role=alert]")?.textContent).toBe("It would stay.");
  await click("Accept all in this run");
  expect(answers()).toHaveLength(2);
  expect(root.querySelector("[role=alert]")).toBeNull();
});

test("Decline asks for a word: Enter sends it, and Escape goes back without a word to anybody else", async () => {
  await show(approval());
  const reached: string[] = [];
  document.addEventListener("keydown", ({ key }) => reached.push(key));
  await click("Decline");
  const box = root.querySelector("input");
  if (!box) throw new Error("there is no textbox");
  expect(box.getAttribute("aria-label")).toBe("Feedback");
  expect(document.activeElement).toBe(box);
  await type(box, "keydown", "Escape");
  expect(names()).toContain("Accept");
  await click("Decline");
  const again = root.querySelector("input");
  if (!again) throw new Error("there is no textbox");
  again.value = " keep the name ";
  await act(() => void again.dispatchEvent(new Event("input", { bubbles: true })));
  await type(again, "keydown", "Enter", true);
  expect(answers()).toEqual([]);
  await type(again, "keydown", "Enter");
  expect(answers()).toEqual([{ id: "apr_1", answer: { decision: "decline", feedback: "keep the name" } }]);
  expect(reached).toEqual([]);
});

test("the word with a no outlives its card and its page, without taking the focus; going back drops it", async () => {
  bridge.receive({ type: "approvals", pending: [approval()] });
  await show(approval());
  await click("Decline");
  const box = (): HTMLInputElement | null => root.querySelector("input");
  await act(() => {
    if (box()) (box() as HTMLInputElement).value = "keep the na";
    box()?.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const typed = { apr_1: "keep the na" };
  expect(store.state.typed).toEqual(typed);
  render(null, root);
  await show(approval());
  expect(box()?.value).toBe("keep the na");
  expect(document.activeElement).toBe(document.body);
  render(null, root);
  store = new Store(bridge);
  bridge.receive({ type: "session", session: { ...INITIAL.session, id: "ses_1" } });
  bridge.receive({ type: "approvals", pending: [approval()] });
  bridge.receive({ type: "typed", typed });
  await show(approval());
  expect(box()?.value).toBe("keep the na");
  await click("Back");
  expect(names()).toContain("Accept");
  render(null, root);
  await show(approval());
  expect(names()).toContain("Accept");
});

test("an empty word is a plain no", async () => {
  await show(approval());
  await click("Decline");
  await click("Decline");
  expect(answers()).toEqual([{ id: "apr_1", answer: { decision: "decline" } }]);
});

test("for the whole session is in the menu behind the arrow, which Escape closes", async () => {
  await show(approval());
  await click("More");
  const item = root.querySelector<HTMLElement>("[role=menuitem]");
  expect(document.activeElement).toBe(item);
  if (!item) throw new Error("there is no menu");
  await type(item, "keydown", "Escape");
  expect(root.querySelector("[role=menu]")).toBeNull();
  expect(document.activeElement).toBe(button("More"));
  await click("More");
  await click("Accept all in this session");
  expect(answers()).toEqual([{ id: "apr_1", answer: { decision: "acceptForSession" } }]);
});

test("Show diff asks for the diff and leaves the question open", async () => {
  await show(approval());
  await click("Show diff");
  expect(sent.map(({ name, params }) => [name, params])).toEqual([["showDiff", { id: "apr_1" }]]);
  await click("Accept");
  expect(answers()).toHaveLength(1);
});

test("of several files each can be looked at alone, and Show diff shows all", async () => {
  const uris = ["file:///shop/calc.py", "file:///shop/src/other.py"];
  await show(approval({ changes: uris.map((uri) => change({ uri })) }, { roots: ["file:///shop"] }));
  expect([...root.querySelectorAll(".approval-files li")].map((each) => each.textContent)).toEqual([
    expect.stringContaining("calc.py"),
    expect.stringContaining("other.py"),
  ]);
  await click("Show the diff of src/other.py");
  await click("Show diff");
  expect(sent.map(({ name, params }) => [name, params])).toEqual([
    ["showDiff", { id: "apr_1", uri: uris[1] }],
    ["showDiff", { id: "apr_1" }],
  ]);
});

test("a question of another session says whose it is and goes there", async () => {
  await show(approval({ session: "ses_2" }, { sessionTitle: "Tidy up" }));
  expect(root.textContent).toContain("in session “Tidy up”");
  await click("Show");
  expect(sent[0]).toMatchObject({ name: "openSession", params: { session: "ses_2" } });
});

test("the list shows what the transcript doesn't, and tells of every question", async () => {
  const pending = [approval(), approval({ id: "apr_2", toolCallId: "", kind: "trust", title: "Trust this folder?", changes: [] })];
  await act(() => render(<ApprovalList store={store} bridge={bridge} />, root));
  expect(root.querySelector("[role=status]")?.textContent).toBe("");
  await act(() => bridge.receive({ type: "approvals", pending }));
  expect(root.querySelector("[role=status]")?.textContent).toContain("Edit calc.py (+1 −1), Trust this folder?");
  expect(root.querySelectorAll("[role=group]")).toHaveLength(2);
});

/** The ids that are out of view, as a component sees them. */
async function outOfView(view: InView): Promise<() => string> {
  function Probe() {
    return <p>{[...useOutOfView(view, ["apr_1", "apr_2"])].join(" ")}</p>;
  }
  await act(() => render(<Probe />, root));
  return () => root.textContent;
}

test("a question that is scrolled away is out of view after a while, and back at once", async () => {
  const view = new InView(clock);
  view.set("apr_2", true);
  const out = await outOfView(view);
  expect(out()).toBe("");
  await act(() => clock.pass(600));
  expect(out()).toBe("apr_1");
  await act(() => view.set("apr_2", false));
  expect(out()).toBe("apr_1");
  await act(() => clock.pass(600));
  expect(out()).toBe("apr_1 apr_2");
  await act(() => view.set("apr_1", true));
  expect(out()).toBe("apr_2");
});

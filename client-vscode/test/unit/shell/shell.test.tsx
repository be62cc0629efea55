// @vitest-environment happy-dom
import { render, type ComponentChild } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CallName, FromPage, Push, SessionView } from "../../../src/view/messages";
import { Bridge } from "../../../webview/bridge";
import { SessionBanner, Untrusted } from "../../../webview/shell/banners";
import { Header } from "../../../webview/shell/header";
import { InputQuestions } from "../../../webview/shell/inputCard";
import { ServerState } from "../../../webview/shell/serverState";
import { INITIAL, Store } from "../../../webview/store";
import { must } from "../must";

type Call = Extract<FromPage, { type: "call" }>;

let got: FromPage[];
let bridge: Bridge;
let store: Store;
let root: HTMLElement;

beforeEach(() => {
  got = [];
  bridge = new Bridge({ postMessage: (message) => void got.push(message) });
  store = new Store(bridge);
  root = document.body.appendChild(document.createElement("div"));
});
afterEach(() => {
  render(null, root);
  root.remove();
});

const show = (what: ComponentChild): Promise<void> => act(() => render(what, root));
const calls = (name: CallName): Call[] =>
  got.filter((message): message is Call => message.type === "call" && message.name === name);
const push = (message: Push): Promise<void> =>
  act(async () => {
    bridge.receive(message);
    await Promise.resolve();
  });
const session = (part: Partial<SessionView>): SessionView => ({ ...INITIAL.session, id: "ses_1", ...part });
const click = (name: string): Promise<void> =>
  act(() => {
    const buttons = [...root.querySelectorAll("button")];
    must(buttons.find((button) => (button.getAttribute("aria-label") ?? button.textContent) === name)).click();
  });
const write = (field: HTMLInputElement | HTMLTextAreaElement, text: string): Promise<void> =>
  act(() => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
const press = (on: Element, key: string): Promise<void> =>
  act(() => void on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })));

describe("a server that can't start", () => {
  const retry = { label: "Retry", remedy: { kind: "retry" } } as const;
  const problem = { message: "Python 3.9 is too old.", detail: "found at /usr/bin/python3", buttons: [retry] };

  it("says why, with what can be done about it", async () => {
    await show(<ServerState server={{ kind: "failed", problem }} banner={false} bridge={bridge} />);
    expect(root.querySelector("[role=alert]")?.textContent).toContain("Python 3.9 is too old.");
    expect(root.querySelector("details")?.textContent).toContain("/usr/bin/python3");
    await click("Retry");
    await click("Retry");
    expect(calls("remedy").map(({ params }) => params)).toEqual([{ kind: "retry" }]);
  });

  it("says when the remedy fails, and can be tried again", async () => {
    await show(<ServerState server={{ kind: "failed", problem }} banner={false} bridge={bridge} />);
    await click("Retry");
    await push({ type: "failure", id: must(calls("remedy")[0]).id, code: "failed", message: "Still too old." });
    expect(root.textContent).toContain("Still too old.");
    await click("Retry");
    expect(calls("remedy")).toHaveLength(2);
  });

  it("tells the step while it starts", async () => {
    await show(<ServerState server={{ kind: "starting", step: "Installing" }} banner={false} bridge={bridge} />);
    expect(root.querySelector("[role=status]")?.textContent).toContain("Installing");
  });
});

describe("a session of another window", () => {
  it("can be forked or tried again", async () => {
    await show(<SessionBanner session={session({ locked: true })} bridge={bridge} />);
    await click("Fork to go on here");
    expect(must(calls("fork")[0]).params).toEqual({ place: "new" });
    await push({ type: "answer", id: must(calls("fork")[0]).id, answer: {} });
    await click("Try again");
    expect(must(calls("openSession")[0]).params).toEqual({ session: "ses_1" });
  });

  it("says nothing where the session is free", async () => {
    await show(<SessionBanner session={session({})} bridge={bridge} />);
    expect(root.textContent).toBe("");
  });
});

describe("a workspace that is not trusted", () => {
  it("says what is less in it, and leads to where trust is given", async () => {
    await show(<Untrusted bridge={bridge} />);
    expect(root.querySelector("[role=status]")?.textContent).toContain("not trusted");
    await click("Manage workspace trust");
    expect(calls("manageTrust")).toHaveLength(1);
  });
});

describe("a question that wants text", () => {
  const asked = { toolCallId: "call_1", session: "ses_1", prompt: "Which total()?", options: ["cart", "report"] };

  beforeEach(async () => {
    await show(<InputQuestions store={store} bridge={bridge} />);
    await push({ type: "session", session: session({}) });
    await push({ type: "inputs", pending: [asked] });
  });

  it("is answered by an option", async () => {
    await click("report");
    expect(must(calls("answerInput")[0]).params).toEqual({ session: "ses_1", toolCallId: "call_1", text: "report" });
  });

  it("is answered by a text, once", async () => {
    const box = must(root.querySelector("textarea"));
    await write(box, "neither");
    await press(box, "Enter");
    await press(box, "Enter");
    expect(calls("answerInput").map(({ params }) => params)).toEqual([{ session: "ses_1", toolCallId: "call_1", text: "neither" }]);
  });

  it("an empty text is no answer, Skip closes it", async () => {
    await press(must(root.querySelector("textarea")), "Enter");
    expect(calls("answerInput")).toEqual([]);
    await click("Skip");
    expect(must(calls("answerInput")[0]).params).toEqual({ session: "ses_1", toolCallId: "call_1", text: null });
  });

  it("has what was typed again when its session is shown again", async () => {
    await write(must(root.querySelector("textarea")), "the one of the ca");
    await push({ type: "session", session: session({ id: "ses_2" }) });
    expect(root.querySelector("textarea")).toBeNull();
    await push({ type: "session", session: session({}) });
    const box = must(root.querySelector("textarea"));
    expect(box.value).toBe("the one of the ca");
    await press(box, "Enter");
    await push({ type: "answer", id: must(calls("answerInput")[0]).id, answer: {} });
    await push({ type: "inputs", pending: [] });
    await push({ type: "inputs", pending: [asked] });
    expect(root.querySelector("textarea")?.value).toBe("");
  });

  it("has what was typed again in a page that is loaded anew, after the host has kept it", async () => {
    await write(must(root.querySelector("textarea")), "the one of the ca");
    expect(got.at(-1)).toEqual({ type: "typed", question: "ses_1 call_1", text: "the one of the ca" });
    store = new Store(bridge);
    await show(<InputQuestions key="again" store={store} bridge={bridge} />);
    await push({ type: "session", session: session({}) });
    await push({ type: "inputs", pending: [asked] });
    await push({ type: "typed", typed: { "ses_1 call_1": "the one of the ca" } });
    expect(root.querySelector("textarea")?.value).toBe("the one of the ca");
  });

  it("is shown in its own session, and everywhere if it has none", async () => {
    await push({ type: "inputs", pending: [{ ...asked, session: "ses_2" }] });
    expect(root.textContent).toBe("");
    await push({ type: "inputs", pending: [{ ...asked, session: "" }] });
    expect(root.textContent).toContain("Which total()?");
  });
});

describe("the header", () => {
  beforeEach(async () => {
    await show(<Header store={store} bridge={bridge} />);
    await push({ type: "session", session: session({ title: "fix the cart" }) });
  });

  it("renames the session", async () => {
    await click("Rename session");
    const box = must(root.querySelector("input"));
    await write(box, "the cart sums up");
    await press(box, "Enter");
    expect(must(calls("rename")[0]).params).toEqual({ title: "the cart sums up" });
    await push({ type: "answer", id: must(calls("rename")[0]).id, answer: {} });
    expect(root.querySelector("input")).toBeNull();
  });

  it("leaves the focus where it has gone while the session is renamed", async () => {
    const elsewhere = document.body.appendChild(document.createElement("input"));
    await click("Rename session");
    const box = must(root.querySelector("input"));
    await write(box, "the cart sums up");
    await press(box, "Enter");
    await act(() => elsewhere.focus());
    await push({ type: "answer", id: must(calls("rename")[0]).id, answer: {} });
    await act(() => new Promise((resolve) => setTimeout(resolve)));
    expect(document.activeElement).toBe(elsewhere);
    elsewhere.remove();
  });

  it("keeps a title that is refused in the field, with the reason", async () => {
    await click("Rename session");
    const box = must(root.querySelector("input"));
    await write(box, "x".repeat(500));
    await press(box, "Enter");
    const { id } = must(calls("rename")[0]);
    await push({ type: "failure", id, code: "badTitle", message: "The title is too long." });
    expect(root.querySelector("[role=alert]")?.textContent).toBe("The title is too long.");
    expect(box.value).toBe("x".repeat(500));
  });

  it("counts a run's time by the host's clock, which may be hours from the page's", async () => {
    const host = 1_800_000_000_000;
    for (const off of [-3, 3]) {
      const remote = new Store(bridge, () => host + off * 3_600_000);
      await show(<Header key={off} store={remote} bridge={bridge} />);
      await push({ type: "clock", now: host });
      await push({ type: "session", session: session({ run: "run_1", state: "streaming", startedAt: host - 7000 }) });
      expect(root.querySelector("[role=timer]")?.textContent).toBe("0:07");
    }
  });

  it("says what the session does", async () => {
    await push({ type: "session", session: session({ run: "run_1", state: "waitingInput" }) });
    expect(root.querySelector("[role=status]")?.textContent).toBe("Waiting for you");
  });
});

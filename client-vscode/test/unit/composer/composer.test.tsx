// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Event as SessionEvent, QueuedItem } from "../../../src/protocol";
import type { CallName, FromPage, Push, SessionView } from "../../../src/view/messages";
import { Bridge } from "../../../webview/bridge";
import { Composer } from "../../../webview/composer/composer";
import { INITIAL, Store } from "../../../webview/store";
import { must } from "../must";

type Call = Extract<FromPage, { type: "call" }>;

/** The page with a host that answers when the test says so. */
class Page {
  readonly got: FromPage[] = [];
  readonly bridge = new Bridge({ postMessage: (message) => void this.got.push(message) });
  readonly store = new Store(this.bridge);
  readonly root = document.body.appendChild(document.createElement("div"));

  async show(): Promise<void> {
    await act(() => render(<Composer store={this.store} bridge={this.bridge} />, this.root));
  }

  close(): void {
    render(null, this.root);
    this.root.remove();
  }

  async push(push: Push): Promise<void> {
    await act(async () => {
      this.bridge.receive(push);
      await Promise.resolve();
    });
  }

  session(part: Partial<SessionView>): Promise<void> {
    return this.push({ type: "session", session: { ...INITIAL.session, id: "ses_1", ...part } });
  }

  calls(name: CallName): Call[] {
    return this.got.filter((message): message is Call => message.type === "call" && message.name === name);
  }

  get box(): HTMLTextAreaElement {
    return must(this.root.querySelector<HTMLTextAreaElement>("textarea[aria-label=Message]"));
  }

  async type(text: string): Promise<void> {
    await act(() => this.put(text));
  }

  private put(text: string): void {
    this.box.value = text;
    this.box.setSelectionRange(text.length, text.length);
    this.box.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Each text is drawn before the next one is put there, and nothing that comes after the drawing has been done. */
  async typeQuickly(...texts: string[]): Promise<void> {
    for (const text of texts) {
      this.put(text);
      await Promise.resolve();
      await Promise.resolve();
    }
    await new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));
  }

  async press(key: string, more: KeyboardEventInit = {}, on: Element = this.box): Promise<void> {
    await act(() => void on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more })));
  }

  button(name: string): HTMLButtonElement | undefined {
    const buttons = [...this.root.querySelectorAll("button")];
    return buttons.find((button) => (button.getAttribute("aria-label") ?? button.textContent) === name);
  }

  async click(name: string): Promise<void> {
    await act(() => must(this.button(name)).click());
  }

  get alert(): string {
    return this.root.querySelector("[role=alert]")?.textContent ?? "";
  }
}

let page: Page;
beforeEach(async () => {
  page = new Page();
  await page.show();
});
afterEach(() => page.close());

const live = { run: "run_1", state: "streaming" };
const queue: readonly QueuedItem[] = [
  { id: "in_1", kind: "steer", text: "mind the tests" },
  { id: "in_2", kind: "followUp", text: "then the docs" },
];

describe("sending", () => {
  it("sends once, however often Enter is pressed, and clears the box with the answer", async () => {
    await page.type("fix it");
    await page.press("Enter");
    await page.press("Enter");
    expect(page.calls("submit")).toHaveLength(1);
    expect(page.box.value).toBe("fix it");
    await page.push({ type: "answer", id: must(page.calls("submit")[0]).id, answer: { disposition: "started" } });
    expect(page.box.value).toBe("");
  });

  it("keeps what was typed on while it was sent", async () => {
    await page.type("fix it");
    await page.press("Enter");
    await page.type("fix it, and more");
    await page.push({ type: "answer", id: must(page.calls("submit")[0]).id, answer: { disposition: "started" } });
    expect(page.box.value).toBe("fix it, and more");
  });

  it("a refusal leaves the text and says why", async () => {
    await page.type("fix it");
    await page.press("Enter");
    const { id } = must(page.calls("submit")[0]);
    await page.push({ type: "failure", id, code: "aborting", message: "The run is being stopped." });
    expect(page.box.value).toBe("fix it");
    expect(page.alert).toContain("The run is being stopped.");
    await page.press("Enter");
    expect(page.calls("submit")).toHaveLength(2);
  });

  it("a message that was given up for lost, and has been said all the same, leaves the box", async () => {
    await page.type("fix it");
    await page.press("Enter");
    const { id } = must(page.calls("submit")[0]);
    await act(async () => {
      page.bridge.giveUp("The connection is lost.");
      await Promise.resolve();
    });
    expect([page.box.value, page.alert]).toEqual(["fix it", "The connection is lost."]);
    await page.push({ type: "answer", id, answer: { disposition: "started" } });
    expect([page.box.value, page.alert]).toEqual(["", ""]);
  });

  it("a refusal for want of a key or a model comes with the button for it", async () => {
    await page.type("fix it");
    await page.press("Enter");
    const { id } = must(page.calls("submit")[0]);
    await page.push({ type: "failure", id, code: "noCredentials", message: "No API key." });
    await page.click("Set API key");
    expect(page.calls("remedy")[0]?.params).toEqual({ kind: "command", command: "steersman.ui.setApiKey" });
  });

  it("Alt+Enter queues for later; what a message mentions goes with it", async () => {
    await page.session(live);
    await page.type("then explain @selection");
    await page.press("Enter", { altKey: true });
    expect(must(page.calls("submit")[0]).params).toMatchObject({ when: "later", attach: ["selection"] });
  });

  it("sends nothing while an input method composes", async () => {
    await page.type("すし");
    await page.press("Enter", { isComposing: true });
    expect(page.calls("submit")).toEqual([]);
  });

  it("a command of the chat is no message", async () => {
    await page.type("/compact keep the names ");
    await page.press("Enter");
    expect(must(page.calls("compact")[0]).params).toEqual({ instructions: "keep the names" });
    expect(page.calls("submit")).toEqual([]);
  });
});

describe("stopping", () => {
  it("is one button and Escape, while something runs", async () => {
    expect(page.button("Stop")).toBeUndefined();
    await page.session(live);
    await page.click("Stop");
    await page.press("Escape");
    expect(page.calls("stop")).toHaveLength(2);
  });

  it("Escape does nothing when nothing runs", async () => {
    await page.session({});
    await page.press("Escape");
    expect(page.calls("stop")).toEqual([]);
  });

  it("a run that has ended by itself is no failure", async () => {
    await page.session(live);
    await page.click("Stop");
    const { id } = must(page.calls("stop")[0]);
    await page.push({ type: "failure", id, code: "notRunning", message: "No run is live." });
    expect(page.alert).toBe("");
  });
});

describe("what comes back", () => {
  it("is put before what is being typed", async () => {
    await page.type("half a thought");
    await page.push({ type: "draft", draft: { text: "mind the tests", images: [] }, how: "prepend" });
    expect(page.box.value).toBe("mind the tests\n\nhalf a thought");
    expect(page.got.at(-1)).toMatchObject({ draft: { text: "mind the tests\n\nhalf a thought" } });
  });

  it("the draft of an earlier page stands in the box again", async () => {
    await page.push({ type: "draft", draft: { text: "typed before the reload", images: [] }, how: "replace" });
    expect(page.box.value).toBe("typed before the reload");
  });

  it("the draft of an earlier page comes before what was typed until it came", async () => {
    await page.type("see @ca");
    await page.push({ type: "draft", draft: { text: "typed before the reload", images: [] }, how: "replace" });
    expect(page.box.value).toBe("typed before the reload\n\nsee @ca");
    expect(page.got.at(-1)).toMatchObject({ draft: { text: "typed before the reload\n\nsee @ca" } });
  });

  it("what comes before the page has been drawn anew is all there", async () => {
    const of = (text: string) => ({ text, images: [] });
    await act(() => {
      page.bridge.receive({ type: "draft", draft: of("half a thought"), how: "replace" });
      page.bridge.receive({ type: "draft", draft: of("not delivered"), how: "prepend" });
      page.bridge.receive({ type: "draft", draft: of("@shop/cart.py"), how: "append" });
    });
    expect(page.box.value).toBe("not delivered\n\nhalf a thought @shop/cart.py ");
  });

  it("a page that was out of touch keeps what it has, once, and tells it", async () => {
    await page.push({ type: "draft", draft: { text: "", images: [] }, how: "replace" });
    await page.type("half a thought");
    await page.push({ type: "draft", draft: { text: "half a", images: [] }, how: "replace" });
    window.dispatchEvent(new Event("pagehide"));
    expect(page.box.value).toBe("half a thought");
    expect(page.got.at(-1)).toMatchObject({ draft: { text: "half a thought" } });
  });

  it("an earlier page that had nothing takes nothing away, and completing goes on", async () => {
    await page.type("see @ca");
    await page.push({ type: "draft", draft: { text: "", images: [] }, how: "replace" });
    expect(page.box.value).toBe("see @ca");
    const { id } = must(page.calls("complete")[0]);
    const items = [{ label: "cart.py", icon: "file", insert: "@shop/cart.py" }];
    await page.push({ type: "answer", id, answer: { items } });
    expect(page.root.querySelector("[role=option]")).not.toBeNull();
  });
});

describe("completing", () => {
  it("what was asked of a host that was gone is asked again when there is one", async () => {
    await page.type("see @ca");
    await act(async () => {
      page.bridge.giveUp("gone");
      page.store.connection(false);
      await Promise.resolve();
    });
    expect(page.calls("complete")).toHaveLength(1);
    await act(() => page.store.connection(true));
    expect(page.calls("complete")).toHaveLength(2);
  });

  it("Escape closes the list, and only then stops the run", async () => {
    await page.session(live);
    await page.type("see @ca");
    const { id } = must(page.calls("complete")[0]);
    const items = [{ label: "cart.py", icon: "file", insert: "@shop/cart.py" }];
    await page.push({ type: "answer", id, answer: { items } });
    expect(page.root.querySelector("[role=listbox]")).not.toBeNull();
    expect(page.box.getAttribute("aria-activedescendant")).toBe(must(page.root.querySelector("[role=option]")).id);
    await page.press("Escape");
    expect(page.root.querySelector("[role=listbox]")).toBeNull();
    expect(page.calls("stop")).toEqual([]);
    await page.press("Escape");
    expect(page.calls("stop")).toHaveLength(1);
  });

  it("Enter takes the item, and does not send", async () => {
    await page.type("see @ca");
    const { id } = must(page.calls("complete")[0]);
    await page.push({
      type: "answer",
      id,
      answer: { items: [{ label: "release notes.md", icon: "file", insert: '@"release notes.md"' }] },
    });
    await page.press("Enter");
    expect(page.box.value).toBe('see @"release notes.md" ');
    expect(page.calls("submit")).toEqual([]);
  });

  it("Tab takes what the host still looks for once it has come, unless something else is done meanwhile", async () => {
    const answer = (place: number): Promise<void> => {
      const items = [{ label: "cart.py", icon: "file", insert: "@shop/cart.py" }];
      return page.push({ type: "answer", id: must(page.calls("complete")[place]).id, answer: { items } });
    };
    await page.type("see @c");
    await page.type("see @ca");
    await page.press("Tab");
    await answer(0);
    expect(page.box.value).toBe("see @ca");
    await answer(1);
    expect(page.box.value).toBe("see @shop/cart.py ");

    await page.type("or @c");
    await page.press("Tab");
    await page.press("x");
    await answer(2);
    expect(page.box.value).toBe("or @c");
  });

  it("goes on where it was when the box loses the focus for a moment", async () => {
    await page.type("see @ca");
    await act(() => void page.box.dispatchEvent(new FocusEvent("blur")));
    await act(() => void page.box.dispatchEvent(new FocusEvent("focus")));
    const items = [{ label: "cart.py", icon: "file", insert: "@shop/cart.py" }];
    await page.push({ type: "answer", id: must(page.calls("complete")[0]).id, answer: { items } });
    expect(page.root.querySelector("[role=option]")?.textContent).toContain("cart.py");
  });

  it("a list that its user has closed stays closed when the box has the focus again", async () => {
    await page.type("see @ca");
    await page.push({
      type: "answer",
      id: must(page.calls("complete")[0]).id,
      answer: { items: [{ label: "cart.py", icon: "file", insert: "@shop/cart.py" }] },
    });
    await page.press("Escape");
    await act(() => void page.box.dispatchEvent(new FocusEvent("blur")));
    await act(() => void page.box.dispatchEvent(new FocusEvent("focus")));
    expect(page.root.querySelector("[role=listbox]")).toBeNull();
    expect(page.calls("complete")).toHaveLength(1);
  });

  it("never keeps Enter from sending while the host looks", async () => {
    await page.type("see @ca");
    await page.press("Enter");
    expect(page.calls("submit")).toHaveLength(1);
  });

  it("goes on for somebody who types quicker than the page comes along", async () => {
    await page.typeQuickly("see @", "see @c", "see @ca");
    const items = [{ label: "cart.py", icon: "file", insert: "@cart.py" }];
    for (let asked = 1; page.calls("complete").length >= asked; asked += 1) {
      await page.push({ type: "answer", id: must(page.calls("complete")[asked - 1]).id, answer: { items } });
    }
    expect(page.root.querySelector("[role=option]")?.textContent).toContain("cart.py");
  });

  it("ends when the text goes, also where the host still looks", async () => {
    await page.type("see @ca");
    const { id: looking } = must(page.calls("complete")[0]);
    await page.press("Enter");
    await page.push({ type: "answer", id: must(page.calls("submit")[0]).id, answer: { disposition: "started" } });
    expect(page.box.value).toBe("");
    await page.push({ type: "answer", id: looking, answer: { items: [{ label: "cart.py", icon: "file", insert: "@cart.py" }] } });
    expect(page.root.querySelector("[role=listbox]")).toBeNull();
  });
});

describe("queued messages", () => {
  const text = (): string => page.root.querySelector("[aria-label='Queued messages']")?.textContent ?? "";

  it("can be taken out, changed to the other kind and moved", async () => {
    await page.session({ ...live, queue });
    expect(text()).toContain("mind the tests");
    await page.click("Follow-up");
    await page.press("ArrowDown", {}, must(page.root.querySelector(".composer-grip")));
    await page.click("Remove");
    expect(page.calls("queue").map(({ params }) => params)).toEqual([
      { op: "move", id: "in_2", kind: "steer" },
      { op: "move", id: "in_1", to: 0, kind: "followUp" },
      { op: "remove", id: "in_1" },
    ]);
  });

  const edit = async (to: string): Promise<HTMLTextAreaElement> => {
    await page.click("Edit");
    const box = must(page.root.querySelector<HTMLTextAreaElement>(".composer-edit"));
    await act(() => {
      box.value = to;
      box.dispatchEvent(new Event("input", { bubbles: true }));
    });
    return box;
  };

  it("are changed in their place", async () => {
    await page.session({ ...live, queue });
    await page.press("Enter", {}, await edit("mind all tests"));
    expect(must(page.calls("queue")[0]).params).toEqual({ op: "edit", id: "in_1", text: "mind all tests" });
  });

  it("a change that comes too late is told, and its text is in the box", async () => {
    await page.session({ ...live, queue });
    await page.press("Enter", {}, await edit("mind all tests"));
    const { id } = must(page.calls("queue")[0]);
    await page.push({ type: "failure", id, code: "unknownItem", message: "No such item." });
    expect(page.alert).toContain("delivered already");
    expect(page.box.value).toBe("mind all tests");
  });

  it("one that is delivered while it is being changed leaves the change in the box", async () => {
    await page.session({ ...live, queue });
    await edit("mind all tests");
    await page.session({ ...live, queue: queue.slice(1) });
    expect(page.box.value).toBe("mind all tests");
    expect(page.alert).toContain("delivered before");
  });

  it("one that is being changed when another session is shown is not taken for delivered", async () => {
    await page.session({ ...live, queue });
    await edit("mind all tests");
    await page.session({ id: "ses_2" });
    expect(page.alert).toBe("");
    expect(page.box.value).toBe("");
    await page.session({ ...live, queue });
    expect(page.root.querySelector<HTMLTextAreaElement>(".composer-edit")?.value).toBe("mind all tests");
  });
});

describe("the pickers", () => {
  it("a mode that loosens is confirmed, once in a session", async () => {
    await page.session({ mode: "ask" });
    const choose = async (name: string): Promise<void> => {
      await page.click("Mode");
      const items = [...page.root.querySelectorAll<HTMLElement>("[role=menuitemradio]")];
      await act(() => must(items.find((item) => item.textContent.includes(name))).click());
    };
    await choose("Auto-edit");
    expect(page.calls("configure")).toEqual([]);
    expect(document.activeElement?.textContent).toBe("Cancel");
    await page.click("Allow in this session");
    expect(must(page.calls("configure")[0]).params).toEqual({ mode: "auto-edit" });
    await page.push({ type: "answer", id: must(page.calls("configure")[0]).id, answer: {} });
    await choose("Auto-edit");
    expect(page.calls("configure")).toHaveLength(2);
  });

  it("a model can be named, and a wrong name is told", async () => {
    await page.click("Model");
    await page.push({ type: "answer", id: must(page.calls("models")[0]).id, answer: { choices: [] } });
    const name = must(page.root.querySelector<HTMLInputElement>("#model-name"));
    const use = (value: string): Promise<void> =>
      act(() => {
        name.value = value;
        name.dispatchEvent(new Event("input", { bubbles: true }));
      }).then(() => act(() => void must(name.form).dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }))));
    await use("some-model");
    expect(page.alert).toContain("PROVIDER:NAME");
    await use("anthropic:some-model");
    expect(must(page.calls("configure")[0]).params).toEqual({ model: "anthropic:some-model" });
  });

  it("all models are chosen from in the editor's own picker", async () => {
    await page.click("Model");
    await page.push({ type: "answer", id: must(page.calls("models")[0]).id, answer: { choices: [] } });
    await page.click("All models…");
    expect(page.calls("pickModel")).toHaveLength(1);
    expect(page.root.querySelector("#model-name")).toBeNull();
  });

  it("the focus goes back to the button of a menu, unless it is elsewhere when the choice has been made", async () => {
    const choose = async (): Promise<void> => {
      await page.session({ mode: "auto-edit" });
      await page.click("Mode");
      await act(() => must(page.root.querySelector<HTMLElement>("[role=menuitemradio]")).click());
    };
    const answer = (): Promise<void> => page.push({ type: "answer", id: must(page.calls("configure").at(-1)).id, answer: {} });
    await choose();
    await answer();
    expect(document.activeElement).toBe(page.button("Mode"));
    await choose();
    await act(() => page.box.focus());
    await answer();
    expect(document.activeElement).toBe(page.box);
  });

  it("what was to be allowed in one session is not asked in another that is shown meanwhile", async () => {
    await page.session({ mode: "ask" });
    await page.click("Mode");
    const items = [...page.root.querySelectorAll<HTMLElement>("[role=menuitemradio]")];
    await act(() => must(items.find((item) => item.textContent.includes("Full auto"))).click());
    expect(page.button("Allow in this session")).toBeDefined();
    await page.session({ id: "ses_2", mode: "ask" });
    expect(page.button("Allow in this session")).toBeUndefined();
  });

  it("the place in a menu stays while the run goes on", async () => {
    await page.session({ ...live, mode: "ask" });
    await page.click("Mode");
    await page.press("ArrowDown", {}, must(document.activeElement));
    const chosen = must(document.activeElement);
    expect(chosen.textContent).toContain("Auto-edit");
    await page.session({ ...live, state: "tool", mode: "ask" });
    expect(document.activeElement).toBe(chosen);
  });

  it("models that come late leave the cursor in the field for another one", async () => {
    await page.click("Model");
    const name = must(page.root.querySelector<HTMLInputElement>("#model-name"));
    await act(() => name.focus());
    await page.push({ type: "answer", id: must(page.calls("models")[0]).id, answer: { choices: [{ value: "a:b", label: "a:b" }] } });
    expect(document.activeElement).toBe(name);
  });

  it("Escape closes a menu, and stops no run", async () => {
    await page.session(live);
    await page.click("Mode");
    await page.press("Escape", {}, must(page.root.querySelector("[role=menuitemradio]")));
    expect(page.root.querySelector("[role=menu]")).toBeNull();
    expect(page.calls("stop")).toEqual([]);
  });
});

describe("the history", () => {
  it("comes by ArrowUp in an empty box, and goes by ArrowDown", async () => {
    const said = (seq: number, text: string): SessionEvent => ({
      type: "message_end",
      session: "ses_1",
      seq,
      ts: 0,
      data: { messageId: `msg_${seq}`, role: "user", content: [{ type: "text", text }], parent: null },
    });
    await page.push({ type: "events", events: [said(1, "first")], reset: true });
    await page.press("ArrowUp");
    expect(page.box.value).toBe("first");
    await page.press("ArrowDown");
    expect(page.box.value).toBe("");
    await page.type("typed");
    await page.press("ArrowUp");
    expect(page.box.value).toBe("typed");
  });
});

// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, expect, test } from "vitest";
import type { EditAppliedData, Event, FileToRevert } from "../../../src/protocol";
import type { FromPage, RevertPreview } from "../../../src/view/messages";
import { Bridge } from "../../../webview/bridge";
import { RevertCard } from "../../../webview/revert/card";
import { INITIAL, Store } from "../../../webview/store";

const CART = "file:///shop/cart.py";
const NOTES = "file:///shop/notes.md";
const DIFF = "--- a/cart.py\n+++ b/cart.py\n@@ -1 +1 @@\n-class Basket:\n+class Cart:\n";

const file = (uri: string, part: Partial<FileToRevert> = {}): FileToRevert => ({
  uri,
  action: "restore",
  state: "ready",
  diff: DIFF,
  added: 1,
  removed: 1,
  ...part,
});

const CONFLICT = file(NOTES, { state: "conflict", reason: "notes.md was changed by somebody else since." });

const APPLIED: EditAppliedData = {
  toolCallId: null,
  uri: CART,
  kind: "edit",
  added: 1,
  removed: 1,
  sha256: null,
  via: "disk",
  unsaved: false,
};

/** The card on a page whose host answers when it is told. */
class Page {
  readonly calls: Extract<FromPage, { type: "call" }>[] = [];
  readonly root = document.body.appendChild(document.createElement("div"));
  private readonly bridge = new Bridge({ postMessage: (message) => message.type === "call" && this.calls.push(message) });
  closed = 0;

  constructor(run: string | null = null) {
    const store = new Store(this.bridge);
    void act(() => {
      this.bridge.receive({ type: "session", session: { ...INITIAL.session, id: "ses_1", run } });
      render(
        <RevertCard store={store} bridge={this.bridge} checkpoint="msg_1" onClose={() => (this.closed += 1)} />,
        this.root,
      );
    });
  }

  async answer(answer: Partial<RevertPreview>): Promise<void> {
    const whole = { checkpoint: "msg_1", files: [], commands: [], notRevertible: [], ...answer };
    await act(async () => {
      this.bridge.receive({ type: "answer", id: this.calls.at(-1)?.id ?? 0, answer: whole });
      await Promise.resolve();
    });
  }

  async refuse(code: string, message: string): Promise<void> {
    await act(async () => {
      this.bridge.receive({ type: "failure", id: this.calls.at(-1)?.id ?? 0, code, message });
      await Promise.resolve();
    });
  }

  async events(...events: Event[]): Promise<void> {
    await act(async () => {
      this.bridge.receive({ type: "events", events });
      await Promise.resolve();
    });
  }

  button(name: string): HTMLButtonElement {
    const buttons = [...this.root.querySelectorAll("button")];
    const found = buttons.find((each) => (each.getAttribute("aria-label") ?? each.textContent) === name);
    if (!found) throw new Error(`no button ${name} among ${buttons.map((each) => each.textContent).join(", ")}`);
    return found;
  }

  click(name: string): void {
    void act(() => this.button(name).click());
  }

  choose(text: string): void {
    const label = [...this.root.querySelectorAll("label")].find((each) => each.textContent === text);
    void act(() => label?.querySelector("input")?.click());
  }

  get text(): string {
    return this.root.textContent;
  }
}

afterEach(() => document.body.replaceChildren());

test("it asks for a preview, and shows each file with what would be done", async () => {
  const page = new Page();
  expect(page.calls).toMatchObject([{ name: "revertPreview", params: { checkpoint: "msg_1" } }]);
  expect(page.text).toContain("Looking at the files…");
  await page.answer({ files: [file(CART), file(NOTES, { action: "delete" })], labels: { [CART]: "cart.py" } });
  expect(page.root.querySelector('[role="group"]')?.getAttribute("aria-label")).toBe("Revert");
  expect(page.text).toContain("Restorecart.py+1−1");
  expect(page.text).toContain(`Delete${NOTES}`);
  expect(page.text).toContain("2 files will be reverted. This can be undone.");
});

test("a file's diff is folded until it is wanted", async () => {
  const page = new Page();
  await page.answer({ files: [file(CART)] });
  expect(page.text).not.toContain("class Cart:");
  page.click(`Diff of ${CART}`);
  expect(page.button(`Diff of ${CART}`).getAttribute("aria-expanded")).toBe("true");
  expect(page.text).toContain("+class Cart:");
});

test("nothing is reverted before each conflict has its choice, and none is chosen beforehand", async () => {
  const page = new Page();
  await page.answer({ files: [file(CART), CONFLICT] });
  expect(page.root.querySelectorAll("input:checked").length).toBe(0);
  expect(page.text).toContain("notes.md was changed by somebody else since.");
  page.click("Revert");
  expect(page.calls.length).toBe(1);
  page.choose("Keep what is there now");
  page.click("Revert");
  expect(page.calls[1]).toMatchObject({ name: "revert", params: { checkpoint: "msg_1", onConflict: { [NOTES]: "keep" } } });
});

test("it stays until the revert has ended, and says what became of the files where it was begun", async () => {
  const page = new Page();
  await page.answer({ files: [file(CART)] });
  page.click("Revert");
  await page.answer({});
  expect(page.button("Reverting…").getAttribute("aria-disabled")).toBe("true");
  await page.events(
    { seq: 1, session: "ses_1", ts: 0, type: "revert_start", data: { id: "rev_1", checkpoint: "msg_1", title: "" } },
    { seq: 2, session: "ses_1", ts: 0, type: "edit_applied", data: APPLIED },
    {
      seq: 3,
      session: "ses_1",
      ts: 0,
      type: "revert_end",
      data: { id: "rev_1", files: [{ uri: CART, outcome: "restored" }] },
    },
  );
  expect(page.root.querySelector('[role="status"]')?.textContent).toBe("1 file was reverted.");
  // The files stay in view: a card that shrinks would take what is read from under the eyes.
  expect(page.text).toContain("cart.py");
  page.click("Close");
  expect(page.closed).toBe(1);
});

test("to skip the only file is nothing to do", async () => {
  const page = new Page();
  await page.answer({ files: [CONFLICT] });
  page.choose("Skip it for now");
  expect(page.text).toContain("There is nothing to revert.");
  expect(page.button("Revert").getAttribute("aria-disabled")).toBe("true");
});

test("what is not taken back is named", async () => {
  const page = new Page();
  await page.answer({ files: [file(CART)], commands: ["pytest -q"], notRevertible: [NOTES], labels: { [NOTES]: "notes.md" } });
  expect(page.text).toContain("What these commands did is not taken back:pytest -q");
  expect(page.text).toContain("Written while a command ran, and left as it is:notes.md");
});

test("a file that was changed meanwhile is asked about: what is there now is looked at again", async () => {
  const page = new Page();
  await page.answer({ files: [file(CART)] });
  page.click("Revert");
  await page.refuse("conflict", "1 file was changed by somebody else since: say for each what to do.");
  expect(page.root.querySelector('[role="alert"]')?.textContent).toContain("1 file was changed");
  await page.answer({ files: [file(CART, { state: "conflict" })] });
  expect(page.text).toContain("Choose what to do with the file that was changed since.");
  expect(page.closed).toBe(0);
});

test("a preview that can't be had says why, and is asked for again by Retry", async () => {
  const page = new Page();
  await page.refuse("locked", "Another process has this session open.");
  expect(page.text).toContain("Another process has this session open.");
  page.click("Retry");
  await page.answer({ files: [file(CART)] });
  expect(page.root.querySelector('[role="alert"]')).toBeNull();
  expect(page.text).toContain("1 file will be reverted.");
});

test("while a run is live nothing is reverted", async () => {
  const page = new Page("run_1");
  await page.answer({ files: [file(CART)] });
  expect(page.text).toContain("Stop the run first.");
  page.click("Revert");
  expect(page.calls.length).toBe(1);
});

test("Cancel and Escape close it; the key goes no further", async () => {
  const page = new Page();
  await page.answer({ files: [file(CART)] });
  page.click("Cancel");
  expect(page.closed).toBe(1);
  let further = 0;
  document.body.addEventListener("keydown", () => (further += 1), { once: true });
  const escape = new KeyboardEvent("keydown", { key: "Escape", bubbles: true });
  void act(() => {
    page.root.querySelector(".revert")?.dispatchEvent(escape);
  });
  expect([page.closed, further]).toEqual([2, 0]);
});

/** A window of VS Code as a person sees it: the palette, editors, notifications, the chat. */

import { dirname, join } from "node:path";
import type { BrowserContext, FrameLocator, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { must } from "../../unit/must";

/** Milliseconds: pages, extension hosts and servers start within it on a slow machine that has much else to do. */
export const PATIENCE = 120_000;

/** Other views and editors have frames, too. */
const CHAT = 'iframe.webview.ready[src*="extensionId=steersman.steersman"]';

export class Window {
  /** The chat page, inside its two frames. */
  readonly chat: Chat;

  private constructor(
    readonly page: Page,
    /** The folder whose files it shows. */
    private readonly folder: string,
  ) {
    this.quickInput = page.locator(".quick-input-widget:visible input");
    this.chat = new Chat(page.frameLocator(CHAT).frameLocator("iframe#active-frame"));
  }

  /** `place`: a folder, or a workspace file. */
  static async open(context: BrowserContext, url: string, place: string): Promise<Window> {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const kind = place.endsWith(".code-workspace") ? "workspace" : "folder";
    const window = new Window(page, kind === "folder" ? place : dirname(place));
    await page.goto(`${url}/?${kind}=${encodeURIComponent(place)}`);
    await window.ready();
    return window;
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  private async ready(): Promise<void> {
    await this.page.locator(".monaco-workbench .part.sidebar").waitFor();
    await this.page.locator(".part.statusbar .statusbar-item").first().waitFor();
  }

  /** Runs a command by its title. */
  async command(title: string): Promise<void> {
    await this.choose(this.quickRow(title), this.quickInput, async (timeout) => {
      await this.page.keyboard.press("F1");
      await this.quickInput.fill(`>${title}`, { timeout });
    });
  }

  /** Opens the palette with the beginning of a command, and leaves it open. */
  async palette(text: string): Promise<void> {
    await this.insist(this.quickInput, () => this.page.keyboard.press("F1"), (timeout) => this.quickInput.fill(`>${text}`, { timeout }));
  }

  /** Answers a question of one line, by its title, that `open` makes VS Code ask. */
  async answer(title: string, text: string, open: () => Promise<unknown>): Promise<void> {
    const box = this.asking(title).locator("input");
    // Into the box itself: one that has gone by then is opened again.
    await this.insist(box, open, async (timeout) => {
      await box.fill(text, { timeout });
      await box.press("Enter", { timeout });
    });
  }

  /** Picks from a list, by its title, that `open` makes VS Code show. */
  async pick(title: string, label: string, open: () => Promise<unknown>): Promise<void> {
    const list = this.asking(title);
    await this.choose(this.row(list, label), list.locator("input"), open);
  }

  /** Waits until a list, by its title, that `open` makes VS Code show has a row, and leaves it open. */
  async offers(title: string, label: string, open: () => Promise<unknown>): Promise<void> {
    const list = this.asking(title);
    await this.insist(list.locator("input"), open, (timeout) => this.row(list, label).waitFor({ timeout }));
  }

  /** Leaves the box of a title open that `open` makes VS Code show. */
  async box(title: RegExp, open: () => Promise<unknown>): Promise<Locator> {
    const heading = this.page.locator(".quick-input-title", { hasText: title });
    await this.insist(this.quickInput, open, (timeout) => heading.waitFor({ timeout }));
    return heading;
  }

  private row(list: Locator, label: string): Locator {
    return list.locator(".monaco-list-row", { hasText: label }).first();
  }

  private asking(title: string): Locator {
    const heading = this.page.locator(".quick-input-title", { hasText: exactly(title) });
    return this.page.locator(".quick-input-widget:visible").filter({ has: heading });
  }

  /** Chooses an action from the light bulb at the cursor. */
  async lightBulb(title: string): Promise<void> {
    const list = this.page.locator(".action-widget").first(); // the second is the menu of a row
    const row = list.locator(".monaco-list-row", { hasText: title }).first();
    await this.choose(row, list, () => this.page.keyboard.press("Control+."));
  }

  private readonly quickInput: Locator;

  private quickRow(title: string): Locator {
    const label = this.page.locator(".label-name", { hasText: exactly(title) });
    return this.page.locator(".quick-input-list .monaco-list-row").filter({ has: label }).first();
  }

  /** Opens a list and chooses a row of it. */
  private choose(row: Locator, list: Locator, open: (timeout: number) => Promise<unknown>): Promise<void> {
    return this.insist(list, open, (timeout) => row.click({ timeout }));
  }

  /**
   * Opens a list or a box and uses it. A list that was opened before everything is known does not learn of it, and what
   * loses the focus closes: to something that has just come, or to a view with the focus that VS Code has drawn again in
   * that moment. Then it is opened again, and has longer each time.
   *
   * @param open may take so many milliseconds
   * @param patience milliseconds that it has the first time
   */
  private async insist(
    opened: Locator,
    open: (timeout: number) => Promise<unknown>,
    use: (timeout: number) => Promise<unknown>,
    patience = 3_000,
  ): Promise<void> {
    for (let timeout = patience; ; timeout *= 2) {
      try {
        await open(timeout);
        await use(timeout);
        return;
      } catch (error) {
        if (timeout > PATIENCE) throw error;
      }
      // Only there: elsewhere Escape means something else.
      if (await opened.isVisible()) await opened.press("Escape", { timeout }).catch(() => undefined);
    }
  }

  /** Chooses a colour theme by its name in the picker. */
  async theme(name: string): Promise<void> {
    // The palette may be there a moment longer.
    const picker = this.page.locator('.quick-input-widget:visible input[placeholder*="Color Theme"]');
    await this.choose(this.quickRow(name), picker, async (timeout) => {
      await this.command("Preferences: Color Theme");
      await picker.fill(name, { timeout });
    });
    await picker.waitFor({ state: "hidden" });
  }

  /** Drags the edge of the side bar, until it is as many pixels wide as that. */
  async sideBar(width: number): Promise<void> {
    const bar = this.page.locator(".part.sidebar");
    await expect
      .poll(
        async () => {
          const { x, y, width: before } = must(await bar.boundingBox());
          if (Math.round(before) === width) return width;
          await this.page.mouse.move(x + before, y + 200);
          await this.page.mouse.down();
          await this.page.mouse.move(x + width, y + 200, { steps: 4 });
          await this.page.mouse.up();
          await this.page.mouse.move(x + width / 2, y + 10);
          return Math.round(must(await bar.boundingBox()).width);
        },
        { timeout: PATIENCE },
      )
      .toBe(width);
  }

  async openChat(): Promise<Chat> {
    // A window that is still being put together may take the focus away again: then it is asked for once more.
    await this.insist(this.quickInput, () => this.command("Steersman: Ask…"), (timeout) => this.chat.focused(timeout), 30_000);
    return this.chat;
  }

  /** Puts the explorer in the chat's place, and waits until the chat is gone. */
  async hideChat(): Promise<void> {
    await this.page.keyboard.press("Control+Shift+E");
    await this.page.locator(".explorer-folders-view").waitFor();
    await this.chat.composer.waitFor({ state: "detached" });
  }

  /** Opens a file of the workspace, as by Quick Open: by its whole path, which needs no search. */
  async openFile(path: string): Promise<void> {
    const name = path.split("/").at(-1) ?? path;
    await this.choose(this.quickRow(name), this.quickInput, async (timeout) => {
      await this.page.keyboard.press("Control+P");
      await this.quickInput.fill(join(this.folder, path), { timeout });
    });
    await this.inFront(name);
  }

  /** Waits until the editor that gets what is typed is a file's of that name: it comes later than its tab. */
  async inFront(name: string): Promise<void> {
    const file = `.monaco-editor[data-uri$="/${name}"]:not([data-uri^="steersman-proposal:"])`;
    await this.page.locator(`.editor-group-container.active ${file} .view-lines`).last().waitFor();
  }

  /** Goes to a file by its tab. */
  async goTo(name: string): Promise<void> {
    await this.page.locator(".tab").filter({ has: this.page.getByText(name, { exact: true }) }).first().click();
    await this.inFront(name);
  }

  tab(name: string | RegExp): Locator {
    return this.page.locator(".tab", { hasText: name });
  }

  /** The lines of the editor that has the focus. */
  get editor(): Locator {
    return this.page.locator(".editor-group-container.active .editor-instance .view-lines").last();
  }

  /** Waits until the editor shows a text. Editors show blanks as no-break spaces. */
  async editorShows(text: string): Promise<void> {
    await expect
      .poll(async () => (await this.editor.innerText().catch(() => "")).replaceAll("\u00a0", " "), { timeout: PATIENCE })
      .toContain(text);
  }

  /** Puts the cursor into the editor. */
  async focusEditor(): Promise<void> {
    await this.editor.click();
    await this.page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor();
  }

  /** Types at the very beginning of the editor's text. */
  async typeAtTop(text: string): Promise<void> {
    await this.focusEditor();
    await this.page.keyboard.press("Control+Home");
    await this.page.keyboard.type(text);
  }

  /**
   * Says yes to the proposal in front by a command; `tab` is its tab, which goes. In the first half second of its diff that
   * is no answer, and VS Code's status bar says so: then it is said again.
   */
  async accept(tab: Locator): Promise<void> {
    const early = this.page.locator(".statusbar-item", { hasText: "This was asked just now" });
    await early.waitFor({ state: "detached" });
    await this.command("Steersman: Accept the Proposal");
    let came = "nothing";
    const look = async (): Promise<string> => {
      if ((await tab.count()) === 0) came = "taken";
      else if ((await early.count()) > 0) came = "early";
      return came;
    };
    await expect.poll(look, { timeout: PATIENCE }).not.toBe("nothing");
    if (came === "early") await this.accept(tab);
  }

  /** Presses a button of a notification: of one that has hidden itself meanwhile in the notifications' centre. */
  async respond(text: string | RegExp, title: string): Promise<void> {
    const notification = this.notification(text);
    const button = notification.getByRole("button", { name: title, exact: true });
    await notification.waitFor();
    await button.click({ timeout: 3_000 }).catch(async () => {
      await this.command("Notifications: Show Notifications");
      await button.click();
    });
  }

  /** One that has just come, or, after some seconds, one of the notifications' centre, once that is open. */
  notification(text: string | RegExp): Locator {
    return this.page.locator(".notification-list-item", { hasText: text }).first();
  }
}

/** The chat by its accessible names, as a screen reader finds it. */
export class Chat {
  readonly composer: Locator;
  readonly transcript: Locator;

  constructor(readonly frame: FrameLocator) {
    this.composer = frame.getByRole("textbox", { name: "Message", exact: true });
    this.transcript = frame.getByLabel("Transcript", { exact: true }).first();
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole("button", { name, exact: typeof name === "string" });
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press("Enter");
    await this.emptied();
  }

  /** The composer is empty: what was in it has been taken. */
  async emptied(): Promise<void> {
    await expect.poll(() => this.composer.inputValue(), { timeout: PATIENCE }).toBe("");
  }

  /** The cursor is in the composer: what is typed goes there. */
  async focused(timeout = PATIENCE): Promise<void> {
    const label = (): Promise<string | false | null | undefined> =>
      this.composer.evaluate(
        ({ ownerDocument }) => ownerDocument.hasFocus() && ownerDocument.activeElement?.ariaLabel,
        undefined,
        { timeout },
      );
    await expect.poll(label, { timeout }).toBe("Message");
  }

  /** All that can be read in it now, and what is being typed: for a story that failed. */
  async said(): Promise<string> {
    const timeout = 3_000;
    const text = await this.frame.locator("body").innerText({ timeout }).catch((error: unknown) => String(error));
    const typed = await this.composer.inputValue({ timeout }).catch((error: unknown) => String(error));
    return `The chat: ${text}\nThe composer: ${JSON.stringify(typed)}`;
  }

  /** Waits until something of the chat can be read. */
  async shows(text: string | RegExp, timeout = PATIENCE): Promise<void> {
    await this.frame.getByText(text).first().waitFor({ timeout });
  }

  /** The card of a question, by its title. */
  question(title: string | RegExp): Locator {
    return this.frame.getByRole("group", { name: title });
  }

  /** Answers a question by one of its buttons, once they are no longer inert. */
  async answer(title: string | RegExp, button: string): Promise<void> {
    await (await this.answerable(title, button)).click();
  }

  /** A button of a question, once it is no longer inert: to press it before is not to answer. */
  async answerable(title: string | RegExp, button: string): Promise<Locator> {
    const control = this.question(title).first().getByRole("button", { name: button, exact: true });
    await expect.poll(() => control.getAttribute("aria-disabled"), { timeout: PATIENCE }).not.toBe("true");
    return control;
  }
}

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
}

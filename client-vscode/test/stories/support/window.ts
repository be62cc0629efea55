/** A window of VS Code as a person sees it: the palette, editors, notifications, the chat. */

import type { BrowserContext, FrameLocator, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { must } from "../../unit/must";

/** Milliseconds: pages, extension hosts and servers start within it on a busy machine. */
export const PATIENCE = 60_000;

/** Other views and editors have frames, too. */
const CHAT = 'iframe.webview.ready[src*="extensionId=steersman.steersman"]';

export class Window {
  /** The chat page, inside its two frames. */
  readonly chat: Chat;

  private constructor(readonly page: Page) {
    this.chat = new Chat(page.frameLocator(CHAT).frameLocator("iframe#active-frame"));
  }

  /** `place`: a folder, or a workspace file. */
  static async open(context: BrowserContext, url: string, place: string): Promise<Window> {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const window = new Window(page);
    const kind = place.endsWith(".code-workspace") ? "workspace" : "folder";
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

  /**
   * Runs a command by its title. A palette that was opened before the extensions are known does not learn of them: it
   * is opened again until the command is there.
   */
  async command(title: string): Promise<void> {
    const label = this.page.locator(".label-name", { hasText: new RegExp(`^${title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`) });
    await this.choose(this.page.locator(".quick-input-list .monaco-list-row").filter({ has: label }).first(), async () => {
      await this.page.keyboard.press("F1");
      await this.page.locator(".quick-input-widget:visible input").fill(`>${title}`);
    });
  }

  /** Chooses an action from the light bulb at the cursor; it too shows what is known when it is opened. */
  async lightBulb(title: string): Promise<void> {
    const row = this.page.locator(".action-widget .monaco-list-row", { hasText: title }).first();
    await this.choose(row, () => this.page.keyboard.press("Control+."));
  }

  private async choose(row: Locator, open: () => Promise<void>): Promise<void> {
    for (const deadline = Date.now() + PATIENCE; ; ) {
      await open();
      const found = await row.waitFor({ timeout: 3_000 }).then(
        () => true,
        (error: unknown) => {
          if (Date.now() > deadline) throw error;
          return false;
        },
      );
      if (found) break;
      await this.page.keyboard.press("Escape");
    }
    await row.click();
  }

  /** Chooses a colour theme by its name in the picker. */
  async theme(name: string): Promise<void> {
    await this.command("Preferences: Color Theme");
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first();
    await this.page.locator(".quick-input-widget:visible input").fill(name);
    await row.waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(".quick-input-widget:visible").waitFor({ state: "detached" }).catch(() => undefined);
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
    await this.command("Steersman: Ask…");
    await this.chat.composer.waitFor();
    return this.chat;
  }

  /** Opens a file of the workspace, as by Quick Open. */
  async openFile(path: string): Promise<void> {
    await this.page.keyboard.press("Control+P");
    await this.page.locator(".quick-input-widget:visible input").waitFor();
    await this.page.keyboard.type(path);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: path.split("/").at(-1) ?? path }).first().waitFor();
    await this.page.keyboard.press("Enter");
    await this.tab(path.split("/").at(-1) ?? path).waitFor();
    await this.editor.waitFor();
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

  /** Types at the very beginning of the editor's text. */
  async typeAtTop(text: string): Promise<void> {
    await this.editor.click();
    await this.page.keyboard.press("Control+Home");
    await this.page.keyboard.type(text);
  }

  notification(text: string | RegExp): Locator {
    return this.page.locator(".notification-list-item", { hasText: text });
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

  /** The cursor is in the composer. */
  async focused(): Promise<void> {
    await expect
      .poll(() => this.composer.evaluate((box) => box === box.ownerDocument.activeElement), { timeout: PATIENCE })
      .toBe(true);
  }

  /** All that can be read in it now, and what is being typed: for a story that failed. */
  async said(): Promise<string> {
    const timeout = 3_000;
    const text = await this.frame.locator("body").innerText({ timeout }).catch((error: unknown) => String(error));
    const typed = await this.composer.inputValue({ timeout }).catch((error: unknown) => String(error));
    return `The chat: ${text}\nThe composer: ${JSON.stringify(typed)}`;
  }

  /** Waits until something of the chat can be read. */
  async shows(text: string | RegExp): Promise<void> {
    await this.frame.getByText(text).first().waitFor({ timeout: PATIENCE });
  }

  /** The card of a question, by its title. */
  question(title: string | RegExp): Locator {
    return this.frame.getByRole("group", { name: title });
  }

  /** Answers a question by one of its buttons, once they are no longer inert. */
  async answer(title: string | RegExp, button: string): Promise<void> {
    const control = this.question(title).first().getByRole("button", { name: button, exact: true });
    await control.waitFor();
    await expect.poll(() => control.getAttribute("aria-disabled"), { timeout: PATIENCE }).not.toBe("true");
    await control.click();
  }
}

/** The list of sessions beside the chat. */

import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { story } from "./support/story";
import { PATIENCE, type Window } from "./support/window";

story(
  "a session of the list is renamed, found, exported, and deleted once its user has said so",
  {
    files: { "a.txt": "a\n" },
    tape: [
      { when: "name a fruit" },
      { text: "An apple." },
      { when: "name a vegetable" },
      { text: "A leek." },
    ],
  },
  async ({ window, has, read, picture }) => {
    const { page } = window;
    const chat = await window.openChat();
    for (const [question, answer] of [["name a fruit", "An apple."], ["name a vegetable", "A leek."]] as const) {
      await window.command("Steersman: New Session");
      await chat.send(question);
      await chat.shows(answer);
    }
    await page.locator(".pane-header", { hasText: "Sessions" }).click();
    await row(window, "name a fruit").waitFor();
    for (const theme of ["Light Modern", "Dark Modern"]) {
      await window.theme(theme);
      for (const width of [240, 400]) {
        await window.sideBar(width);
        await picture(`sessions ${theme} ${width}`);
      }
    }

    // A key, as in the explorer.
    await row(window, "name a fruit").click();
    await chat.shows("An apple.");
    await window.answer("Rename Session", "the apple of it", async () => {
      await window.command("Steersman: Focus on Sessions View");
      await page.keyboard.press("F2");
    });
    await row(window, "the apple of it").waitFor();
    await chat.frame.getByRole("heading", { name: "the apple of it" }).waitFor();
    await row(window, "name a fruit").waitFor({ state: "detached" });

    const search = (): Promise<void> => window.command("Steersman: Search Sessions…");
    await window.answer("Search Sessions", "vegetable", search);
    await row(window, "the apple of it").waitFor({ state: "detached" });
    await page.getByText("Sessions with “vegetable” in the title").waitFor();
    await row(window, "name a vegetable").waitFor();
    await picture("sessions found");
    await window.answer("Search Sessions", "no such thing", search);
    await page.getByText("No session has “no such thing” in its title.").waitFor();
    await picture("sessions not found");
    await page.locator(".pane-header", { hasText: "Sessions" }).hover();
    await page.getByRole("button", { name: "Clear the Search" }).click();
    await row(window, "the apple of it").waitFor();

    await window.pick("Export Session", "Markdown", () => menu(window, "the apple of it", "Export Session…"));
    await page.locator(".quick-input-widget:visible .quick-input-action", { hasText: "OK" }).waitFor();
    await picture("sessions export");
    await page.keyboard.press("Enter");
    await window.notification("The session was exported to").waitFor();
    expect(read("the-apple-of-it.md")).toContain("An apple.");

    await menu(window, "name a vegetable", "Delete Session…");
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.getByText("Delete “name a vegetable”?").waitFor();
    await picture("sessions delete");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await row(window, "name a vegetable").waitFor();
    // The one that is shown: the chat goes on with a new one.
    await menu(window, "the apple of it", "Delete Session…");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await row(window, "the apple of it").waitFor({ state: "detached" });
    await chat.frame.getByRole("heading", { name: "New session" }).waitFor({ state: "attached" });
    await expect.poll(() => chat.frame.getByText("An apple.").count(), { timeout: PATIENCE }).toBe(0);
    expect(has("the-apple-of-it.md")).toBe(true);
  },
);

function row({ page }: Window, title: string): Locator {
  return page.locator(".part.sidebar .pane-body .monaco-list-row", { hasText: title });
}

/** Chooses from the menu of a session of the list. */
async function menu(window: Window, title: string, action: string): Promise<void> {
  await row(window, title).click({ button: "right" });
  const item = window.page.locator(".monaco-menu").getByRole("menuitem", { name: action });
  await item.waitFor();
  // What is clicked in the first moment of a menu is taken for the click that opened it.
  await expect
    .poll(
      async () => {
        await item.click({ timeout: 1_000 }).catch(() => undefined);
        return item.count();
      },
      { timeout: PATIENCE },
    )
    .toBe(0);
}

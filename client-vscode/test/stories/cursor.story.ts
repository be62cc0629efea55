/** Where the cursor is: what is typed goes to the chat as soon as it was asked for. */

import { expect } from "vitest";
import { story } from "./support/story";
import { PATIENCE } from "./support/window";

story(
  "a chat that another view had replaced has the cursor as soon as it is asked for",
  { files: { "a.txt": "a\n" }, tape: [{ when: "hello" }, { text: "Hello." }] },
  async ({ window }) => {
    const chat = await window.openChat();
    await window.hideChat();
    // Once: it is what this story is about.
    await window.command("Steersman: Ask…");
    await chat.focused();
    await window.page.keyboard.type("hello");
    await expect.poll(() => chat.composer.inputValue(), { timeout: PATIENCE }).toBe("hello");
    await window.page.keyboard.press("Enter");
    await chat.shows("Hello.");
  },
);

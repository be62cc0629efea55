/** A workspace that its user does not trust, and then does. */

import { expect } from "vitest";
import { must } from "../unit/must";
import { story } from "./support/story";
import { edit } from "./support/turns";
import { PATIENCE } from "./support/window";

const INSTRUCTIONS = "Always answer in the words of a pirate.";

story(
  "an untrusted workspace is worked in with less, says so, and is whole without a reload once it is trusted",
  {
    files: { "AGENTS.md": `${INSTRUCTIONS}\n`, "note.txt": "one\n", ".steersman/prompts/shout.md": "Shout $1\n" },
    settings: { "security.workspace.trust.enabled": true, "steersman.mode": "auto-edit" },
    models: [{ id: "tape" }],
    tape: [
      { when: "first" },
      { toolCalls: [edit("note.txt", ["one", "two"])] },
      { text: "Two." },
      { when: "second" },
      { toolCalls: [edit("note.txt", ["two", "three"])] },
      { text: "Three." },
    ],
  },
  async ({ window, read, gateway, picture }) => {
    const { page } = window;
    // VS Code's own banner: the folder was opened without an answer.
    await page.getByText("Restricted Mode is intended for safe code browsing").waitFor();
    const chat = await window.openChat();
    const limited = chat.frame.getByText("This workspace is not trusted", { exact: false });
    await limited.waitFor();
    // Modes that ask less are not there to choose, though the user's own setting names one.
    await expect.poll(() => chat.frame.getByText("Ask", { exact: true }).count(), { timeout: PATIENCE }).toBe(1);
    await chat.button("Mode").click();
    await chat.frame.getByRole("menuitemradio").first().waitFor();
    expect(await chat.frame.getByRole("menuitemradio").count()).toBe(2);
    await picture("untrusted modes");
    await chat.composer.press("Escape");
    await chat.send("first");
    await chat.answer(/^Edit note\.txt/, "Accept");
    await chat.shows("Two.");
    expect(must(gateway).system).not.toContain(INSTRUCTIONS);
    for (const [theme, width] of [["Dark Modern", 240], ["Light Modern", 400]] as const) {
      await window.theme(theme);
      await window.sideBar(width);
      await picture(`untrusted ${theme} ${width}`);
    }

    await chat.button("Manage workspace trust").click();
    await page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
    await limited.waitFor({ state: "detached" });
    // A session keeps the mode that it was begun in; the next one has what its user has set.
    await window.command("Steersman: New Session");
    await expect.poll(() => chat.frame.getByText("Auto-edit", { exact: true }).count(), { timeout: PATIENCE }).toBe(1);
    await picture("trusted again");
    await chat.send("second");
    await chat.shows("Three.");
    expect(read("note.txt")).toBe("three\n");
    expect(must(gateway).system).toContain(INSTRUCTIONS);
  },
);

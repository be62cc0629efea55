/** Taking changes back, and going another way from an earlier message. */

import { expect } from "vitest";
import { story } from "./support/story";
import { edit, write } from "./support/turns";
import { PATIENCE } from "./support/window";

story(
  "a revert shows what it will do, leaves a file that somebody else has changed, and takes back the rest",
  {
    files: { "one.txt": "one\n", "two.txt": "two\n" },
    settings: { "steersman.mode": "auto-edit" },
    tape: [
      { when: "shout" },
      { toolCalls: [edit("one.txt", ["one", "ONE"]), edit("two.txt", ["two", "TWO"]), write("three.txt", "THREE\n")] },
      { text: "Shouted." },
    ],
  },
  async ({ window, has, read, write: change, picture }) => {
    const chat = await window.openChat();
    await chat.send("shout");
    await chat.shows("Shouted.");
    await expect.poll(() => read("two.txt"), { timeout: PATIENCE }).toBe("TWO\n");
    change("two.txt", "TWO, by hand\n");
    await chat.button("Revert to here").first().click();
    const card = chat.frame.getByRole("group", { name: "Revert" });
    await card.getByText("one.txt").first().waitFor();
    await picture("revert-preview");
    await card.getByRole("radio", { name: /Keep/ }).first().check();
    await card.getByRole("button", { name: "Revert", exact: true }).click();
    await expect.poll(() => read("one.txt"), { timeout: PATIENCE }).toBe("one\n");
    // Files are taken back one after the other.
    await expect.poll(() => has("three.txt"), { timeout: PATIENCE }).toBe(false);
    expect(read("two.txt")).toBe("TWO, by hand\n");
  },
);

story(
  "a fork goes another way from an earlier message and leaves the first session as it was",
  {
    files: { "a.txt": "a\n" },
    tape: [
      { when: "name a fruit" },
      { text: "An apple." },
      { when: "name a vegetable" },
      { text: "A leek." },
    ],
  },
  async ({ window }) => {
    const chat = await window.openChat();
    await chat.send("name a fruit");
    await chat.shows("An apple.");
    await chat.button("Fork").first().click();
    await expect.poll(() => chat.composer.inputValue(), { timeout: PATIENCE }).toBe("name a fruit");
    await expect.poll(() => chat.frame.getByText("An apple.").count(), { timeout: PATIENCE }).toBe(0);
    await chat.send("name a vegetable");
    await chat.shows("A leek.");
    await window.pick("Resume Session", "name a fruit", () => window.command("Steersman: Resume Session…"));
    await chat.shows("An apple.");
  },
);

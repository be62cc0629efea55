/** Questions that come when something else is in front, or whose file changes while they wait. */

import { expect } from "vitest";
import { story } from "./support/story";
import { bash, edit } from "./support/turns";
import { PATIENCE } from "./support/window";

story(
  "chosen hunks of which one is made by hand meanwhile are asked about again, with what is left of them",
  {
    files: { "long.txt": Array.from({ length: 20 }, (_, n) => `line ${n + 1}\n`).join("") },
    tape: [
      { when: "shout" },
      { toolCalls: [edit("long.txt", ["line 1\n", "LINE 1\n"], ["line 10\n", "LINE 10\n"], ["line 20\n", "LINE 20\n"])] },
      { text: "Shouted." },
    ],
  },
  async ({ window }) => {
    await window.openFile("long.txt");
    const chat = await window.openChat();
    await chat.send("shout");
    await window.editorShows("LINE 1");
    await window.page.getByText("Leave this hunk out").first().click();
    await chat.shows("2 of 3 hunks");
    await window.goTo("long.txt");
    await window.focusEditor();
    for (const key of ["Control+End", "ArrowUp", "Home", "Shift+End"]) await window.page.keyboard.press(key);
    await window.page.keyboard.type("LINE 20");
    await chat.answer(/^Edit long\.txt \(\+3 −3\)/, "Accept");
    await chat.answer(/^Edit long\.txt \(\+1 −1\)/, "Accept");
    await chat.shows("Shouted.");
    await expect.poll(() => window.tab(/proposed change/).count(), { timeout: PATIENCE }).toBe(0);
    await window.editorShows("LINE 10");
    await window.editorShows("line 1\n");
  },
);

story(
  "a question of another session has its card; one that nobody sees has a notification, which is dead once it is answered",
  {
    files: { "a.txt": "a\n" },
    tape: [
      { when: "shout" },
      { toolCalls: [edit("a.txt", ["a", "A"])] },
      { text: "Shouted." },
      { when: "louder" },
      { text: "In a moment.", toolCalls: [bash("while [ ! -e go ]; do sleep 0.1; done")] },
      { toolCalls: [edit("a.txt", ["A", "A!"])] },
      { text: "Louder." },
    ],
  },
  async ({ window, read, write, picture }) => {
    const chat = await window.openChat();
    await chat.send("shout");
    await chat.question(/^Edit a\.txt/).first().waitFor();
    await window.command("Steersman: New Session");
    const card = chat.question(/^Edit a\.txt/);
    await card.getByText(/in session “shout”/).waitFor();
    await picture("question-of-another-session");
    await chat.answer(/^Edit a\.txt/, "Accept");
    await expect.poll(() => read("a.txt"), { timeout: PATIENCE }).toBe("A\n");
    await chat.focused();

    await chat.send("louder");
    await chat.answer(/^Run while/, "Accept");
    await chat.shows("In a moment.");
    await window.hideChat();
    write("go", "");
    const notification = window.notification(/Edit a\.txt/);
    await notification.waitFor();
    await window.page.locator(".activitybar .badge-content", { hasText: "1" }).waitFor();
    await window.editorShows("A!");
    await window.accept(window.tab(/proposed change/));
    await expect.poll(() => read("a.txt"), { timeout: PATIENCE }).toBe("A!\n");
    // It hides itself after some seconds.
    await window.command("Notifications: Show Notifications");
    await notification.getByText("Accept", { exact: true }).click();
    await window.notification("This question has been answered already.").waitFor();
  },
);

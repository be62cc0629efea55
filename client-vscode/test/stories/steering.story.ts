/** Saying something while it works, saying what comes next, and stopping it. */

import { expect } from "vitest";
import { story } from "./support/story";
import { bash } from "./support/turns";
import { PATIENCE } from "./support/window";

story(
  "a steer joins the next request, and a follow-up waits for the end",
  {
    files: { "a.txt": "a\n" },
    settings: { "steersman.mode": "full-auto" },
    tape: [
      { when: "count the files" },
      { text: "Counting.", toolCalls: [bash("while [ ! -e go ]; do sleep 0.1; done; ls")] },
      { when: "only the text files" },
      { expect: { user: "only the text files" }, text: "One text file." },
      { when: "and their lines" },
      { text: "One line." },
    ],
  },
  async ({ window, write, picture }) => {
    const chat = await window.openChat();
    await chat.send("count the files");
    await chat.shows("Counting.");
    await chat.send("only the text files");
    await chat.composer.fill("and their lines");
    await chat.composer.press("Alt+Enter");
    const queue = chat.frame.getByRole("list", { name: "Queued messages" });
    await queue.getByText("only the text files").waitFor();
    await queue.getByText("and their lines").waitFor();
    await picture("steering-queue");
    write("go", "");
    await chat.shows("One text file.");
    await chat.shows("One line.");
  },
);

story(
  "Escape stops the run with its processes, and what was not delivered comes back into the composer",
  {
    files: { "a.txt": "a\n" },
    settings: { "steersman.mode": "full-auto" },
    tape: [
      { when: "build it" },
      { text: "Building.", toolCalls: [bash("echo begun > begun; sleep 300 & wait")] },
      { when: "again" },
      { text: "Not stopped any more." },
    ],
  },
  async ({ window, read }) => {
    const chat = await window.openChat();
    await chat.send("build it");
    await expect.poll(() => begun(read), { timeout: PATIENCE }).toBe("begun\n");
    await chat.button("Stop").waitFor();
    await chat.composer.fill("then test it");
    await chat.composer.press("Alt+Enter");
    await chat.emptied();
    await chat.composer.press("Escape");
    await expect.poll(() => chat.composer.inputValue(), { timeout: PATIENCE }).toBe("then test it");
    await expect.poll(() => chat.button("Stop").count(), { timeout: PATIENCE }).toBe(0);
    await chat.send("again");
    await chat.shows("Not stopped any more.");
  },
);

function begun(read: (path: string) => string): string {
  try {
    return read("begun");
  } catch {
    return "";
  }
}

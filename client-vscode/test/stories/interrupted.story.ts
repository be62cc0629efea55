/** Windows that are reloaded, servers that are killed, two windows on one session. */

import { expect } from "vitest";
import { kill, serversOf } from "./support/processes";
import { story } from "./support/story";
import { ADD, bash, edit } from "./support/turns";
import { PATIENCE } from "./support/window";

story(
  "a window that is reloaded during a run shows it as interrupted, goes on by one click, and keeps what was typed",
  {
    files: { "a.txt": "a\n" },
    settings: { "steersman.mode": "full-auto" },
    tape: [
      { when: "build it" },
      { text: "Building.", toolCalls: [bash("[ -e again ] || { touch again; sleep 300; }; echo built")] },
      { text: "Built in the end." },
    ],
  },
  async ({ window, code, has, picture }) => {
    const chat = await window.openChat();
    await chat.send("build it");
    await chat.shows("Building.");
    await chat.button("Stop").waitFor();
    await expect.poll(() => has("again"), { timeout: PATIENCE }).toBe(true);
    await chat.composer.fill("half a thought");
    await expect.poll(() => code.kept, { timeout: PATIENCE }).toContain("half a thought");
    await window.reload();
    await window.openChat();
    await chat.shows("Building.");
    await chat.button("Continue").first().waitFor();
    await expect.poll(() => chat.composer.inputValue(), { timeout: PATIENCE }).toBe("half a thought");
    await picture("interrupted");
    await chat.button("Continue").first().click();
    await chat.shows("Built in the end.");
  },
);

story(
  "a window that is reloaded during a question changes nothing and leaves no diff, and the question can come again",
  {
    tape: [
      { when: "the tests fail" },
      { toolCalls: [edit(ADD.path, [ADD.wrong, ADD.right])] },
      { toolCalls: [edit(ADD.path, [ADD.wrong, ADD.right])] },
      { text: "Mended." },
    ],
  },
  async ({ window, read }) => {
    const chat = await window.openChat();
    await chat.send("the tests fail: fix it");
    await chat.question(/^Edit shop\/basket\.py/).first().waitFor();
    await window.editorShows("self._items.get(article, 0) + quantity");
    await window.typeAtTop("# not saved\n");
    await window.reload();
    await window.openChat();
    await expect.poll(() => window.tab(/basket\.py/).count(), { timeout: PATIENCE }).toBe(0);
    await chat.button("Continue").first().click();
    expect(read(ADD.path)).toContain(ADD.wrong);
    await chat.answer(/^Edit shop\/basket\.py/, "Accept");
    await chat.shows("Mended.");
    expect(read(ADD.path)).toContain(ADD.right);
  },
);

story(
  "a server that is killed in the middle of a run comes back, and the run goes on from there",
  {
    files: { "a.txt": "a\n" },
    settings: { "steersman.mode": "full-auto" },
    tape: [
      { when: "build it" },
      { text: "Building.", toolCalls: [bash("[ -e again ] || { touch again; sleep 300; }; echo built")] },
      { text: "Built in the end." },
    ],
  },
  async ({ window, has, home }) => {
    const chat = await window.openChat();
    await chat.send("build it");
    await chat.shows("Building.");
    await chat.button("Stop").waitFor();
    await expect.poll(() => has("again"), { timeout: PATIENCE }).toBe(true);
    for (const server of serversOf(home)) kill(server);
    await chat.button("Continue").first().click();
    await chat.shows("Built in the end.");
  },
);

story(
  "a second window on a session says that it is at work elsewhere, and reads it",
  {
    files: { "a.txt": "a\n" },
    tape: [{ when: "say something" }, { text: "Something was said." }],
  },
  async ({ window, another, picture }) => {
    const chat = await window.openChat();
    await chat.send("say something");
    await chat.shows("Something was said.");
    const second = await another();
    await second.pick("Resume Session", "say something", () => second.command("Steersman: Resume Session…"));
    await second.chat.shows("Something was said.");
    await second.chat.shows(/Another window/);
    await picture("locked-first");
  },
);

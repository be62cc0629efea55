/** The main job: ask, watch, look at the proposal, say yes, no, or what to do instead. */

import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import { story } from "./support/story";
import { ADD, bash, edit, FREE, read } from "./support/turns";
import { PATIENCE } from "./support/window";

const QUESTION = /^Edit shop\/basket\.py/;

story(
  "asked, it streams, is approved in the diff, and the tests pass",
  {
    tape: [
      { when: "the tests fail" },
      { text: "I look first.", toolCalls: [read(ADD.path)], chunk: 3, deltaDelayMs: 10 },
      { text: "`add` replaces the quantity.", toolCalls: [edit(ADD.path, [ADD.wrong, ADD.right])] },
      { toolCalls: [edit(FREE.path, [FREE.wrong, FREE.right])] },
      { toolCalls: [bash("python3 -m unittest")] },
      { expect: { toolResults: "OK" }, text: "All tests pass now." },
    ],
  },
  async ({ window, workspace, read: text, picture }) => {
    const chat = await window.openChat();
    await chat.send("the tests fail: fix it");
    await chat.shows("I look first.");

    await window.tab(/basket\.py/).waitFor();
    await window.editorShows("self._items.get(article, 0) + quantity");
    await picture("approve-diff");
    expect(text(ADD.path)).toContain(ADD.wrong);
    await window.accept(window.tab(/basket\.py/));
    await expect.poll(() => text(ADD.path), { timeout: PATIENCE }).toContain(ADD.right);

    await chat.answer(/^Edit shop\/shipping\.py/, "Accept");
    await chat.answer(/python3 -m unittest/, "Accept");
    await chat.shows("All tests pass now.");
    execFileSync("python3", ["-m", "unittest"], { cwd: workspace, stdio: "ignore" });
    await picture("approve-done");
  },
);

story(
  "declined with feedback, the model hears it and tries again",
  {
    tape: [
      { when: "the tests fail" },
      { toolCalls: [edit(ADD.path, [ADD.wrong, "        self._items[article] += quantity\n"])] },
      {
        expect: { toolResults: "the article may not be there yet" },
        text: "Then with a default.",
        toolCalls: [edit(ADD.path, [ADD.wrong, ADD.right])],
      },
      { text: "Done." },
    ],
  },
  async ({ window, read: text }) => {
    const chat = await window.openChat();
    await chat.send("the tests fail: fix it");
    const box = await window.box(/^Decline: Edit/, () => window.command("Steersman: Decline the Proposal"));
    await chat.answer(QUESTION, "Decline");
    const feedback = chat.question(QUESTION).first().getByRole("textbox", { name: "Feedback" });
    await feedback.fill("the article may not be there yet");
    await feedback.press("Enter");
    await chat.shows("Then with a default.");
    await box.waitFor({ state: "hidden" });
    expect(text(ADD.path)).toContain(ADD.wrong);
    await chat.answer(QUESTION, "Accept");
    await chat.shows("Done.");
    expect(text(ADD.path)).toContain(ADD.right);
  },
);

const LONG = Array.from({ length: 60 }, (_, n) => `line ${n + 1}\n`).join("");

story(
  "only the chosen hunks are made, and the model is told which",
  {
    files: { "long.txt": LONG },
    tape: [
      { when: "shout" },
      { toolCalls: [edit("long.txt", ["line 5\n", "LINE 5\n"], ["line 50\n", "LINE 50\n"])] },
      { expect: { toolResults: "LINE 50" }, text: "One of the two." },
    ],
  },
  async ({ window, read: text }) => {
    const chat = await window.openChat();
    await chat.send("shout");
    await window.editorShows("LINE 5");
    await window.page.getByText("Leave this hunk out").first().click();
    await chat.shows("1 of 2 hunks");
    await chat.answer(/^Edit long\.txt/, "Accept");
    await chat.shows("One of the two.");
    expect(text("long.txt")).toContain("line 5\n");
    expect(text("long.txt")).toContain("LINE 50\n");
  },
);

story(
  "a proposal that is changed in the editor is written as it was changed",
  {
    files: { "note.txt": "one\ntwo\nthree\n" },
    tape: [
      { when: "shout" },
      { toolCalls: [edit("note.txt", ["two\n", "TWO\n"])] },
      { expect: { toolResults: "by hand" }, text: "You know better." },
    ],
  },
  async ({ window, read: text }) => {
    const chat = await window.openChat();
    await chat.send("shout");
    await window.editorShows("TWO");
    await window.typeAtTop("by hand\n");
    await chat.shows("edited by you");
    await chat.answer(/^Edit note\.txt/, "Accept");
    await chat.shows("You know better.");
    expect(text("note.txt")).toBe("by hand\none\nTWO\nthree\n");
  },
);

/** One call that edits several files is one question: its card, the multi-diff editor, the choice of hunks, the way back. */

import { expect } from "vitest";
import { story } from "./support/story";
import { bash } from "./support/turns";
import { PATIENCE, type Window } from "./support/window";

const LONG = Array.from({ length: 60 }, (_, n) => `line ${n + 1}\n`).join("");
const FILES = { "long.txt": LONG, "src/total.py": "def total(cart):\n    return sum(cart)\n", "README.md": "# Shop\n\nCall total().\n" };
const DARK = { "workbench.colorTheme": "Default Dark Modern" };
const QUESTION = /^Edit 3 files/;
const TAB = /Steersman: proposed changes/;

const edits = {
  name: "edit",
  arguments: {
    path: "long.txt",
    edits: [
      { oldText: "line 5\n", newText: "LINE 5\n" },
      { oldText: "line 50\n", newText: "LINE 50\n" },
      { path: "src/total.py", oldText: "def total(cart)", newText: "def total(cart, tax=0)" },
      { path: "README.md", oldText: "Call total().", newText: "Call total(cart)." },
    ],
  },
};

/** What the multi-diff editor has on the screen. Editors show blanks as no-break spaces. */
async function severalShows(window: Window, text: string): Promise<void> {
  const editor = window.page.locator(".multiDiffEditor").first();
  await expect
    .poll(async () => (await editor.innerText().catch(() => "")).replaceAll("\u00a0", " "), { timeout: PATIENCE })
    .toContain(text);
}

story(
  "three files are one question, seen in the multi-diff editor, accepted but for one hunk, and taken back",
  {
    files: FILES,
    settings: DARK,
    tape: [
      { when: "shout" },
      { text: "Three files.", toolCalls: [edits] },
      { expect: { toolResults: "LINE 50" }, text: "Three of the four." },
    ],
  },
  async ({ window, read, picture }) => {
    const chat = await window.openChat();
    await window.sideBar(400);
    await chat.send("shout");
    const card = chat.question(QUESTION).first();
    await card.waitFor();
    for (const name of ["long.txt", "src/total.py", "README.md"]) await card.getByText(name).first().waitFor();
    // The first file's diff has opened by itself, and says that there are more.
    await window.tab(/long\.txt: proposed change \(1 of 3 files\)/).waitFor();
    await picture("several-card");

    await card.getByRole("button", { name: "Show diff", exact: true }).click();
    await window.tab(TAB).waitFor();
    for (const text of ["LINE 5", "tax=0", "Call total(cart)."]) await severalShows(window, text);
    await picture("several-diff");

    const several = window.page.locator(".multiDiffEditor").first();
    await several.getByText("Leave this hunk out").first().click();
    await chat.shows("3 of 4 hunks");
    await several.getByText("Hunk 1 of 2, left out: Accept this hunk").waitFor();
    await picture("several-hunk-left-out");

    await chat.answer(QUESTION, "Accept");
    await chat.shows("Three of the four.");
    await expect.poll(() => window.tab(/proposed change/).count(), { timeout: PATIENCE }).toBe(0);
    expect(read("long.txt")).toBe(LONG.replace("line 50\n", "LINE 50\n"));
    expect(read("src/total.py")).toContain("def total(cart, tax=0)");
    expect(read("README.md")).toContain("Call total(cart).");
    await picture("several-done");

    await chat.button("Revert to here").first().click();
    const revert = chat.frame.getByRole("group", { name: "Revert" });
    await revert.getByText("README.md").first().waitFor();
    await revert.getByRole("button", { name: "Revert", exact: true }).click();
    for (const [name, text] of Object.entries(FILES)) {
      await expect.poll(() => read(name), { timeout: PATIENCE }).toBe(text);
    }
  },
);

story(
  "the multi-diff editor of a window that is reloaded goes with its question",
  { files: FILES, tape: [{ when: "shout" }, { toolCalls: [edits] }] },
  async ({ window, read }) => {
    const chat = await window.openChat();
    await chat.send("shout");
    await chat.question(QUESTION).first().getByRole("button", { name: "Show diff", exact: true }).click();
    await window.tab(TAB).waitFor();
    await severalShows(window, "tax=0");
    await window.reload();
    await window.openChat();
    await chat.button("Continue").first().waitFor();
    await expect.poll(() => window.tab(/proposed change/).count(), { timeout: PATIENCE }).toBe(0);
    for (const [name, text] of Object.entries(FILES)) expect(read(name)).toBe(text);
  },
);

story(
  "of several files one is left as it is and one rewritten in the multi-diff editor; who does not see the chat is notified of all",
  {
    files: FILES,
    settings: DARK,
    tape: [
      { when: "shout" },
      { text: "In a moment.", toolCalls: [bash("while [ ! -e go ]; do sleep 0.1; done")] },
      { toolCalls: [edits] },
      { expect: { toolResults: "by hand" }, text: "You know better." },
    ],
  },
  async ({ window, read, write, picture }) => {
    const chat = await window.openChat();
    await window.sideBar(400);
    await chat.send("shout");
    await chat.answer(/^Run while/, "Accept");
    await chat.shows("In a moment.");
    await window.hideChat();
    write("go", "");
    await window.notification(/Edit 3 files \(\+4 −4\): long\.txt, src\/total\.py, README\.md/).waitFor();
    await picture("several-notified");

    await window.openChat();
    const card = chat.question(QUESTION).first();
    await card.getByRole("button", { name: "Show the diff of src/total.py" }).click();
    await window.tab(/total\.py: proposed change \(2 of 3 files\)/).waitFor();
    await window.editorShows("tax=0");
    await window.typeAtTop("# by hand\n");
    await chat.shows("edited by you");

    await card.getByRole("button", { name: "Show diff", exact: true }).click();
    await window.tab(TAB).waitFor();
    await severalShows(window, "# by hand");
    const several = window.page.locator(".multiDiffEditor").first();
    const readme = several.locator(".multiDiffEntry", { hasText: "README.md" });
    await readme.getByText("Leave this file as it is").click();
    await readme.getByText("This file stays as it is: Change it").waitFor();
    await picture("several-rewritten");
    // Its tab is in front: it is the question that the command answers.
    await window.accept(window.tab(/proposed change/));
    await chat.shows("You know better.");
    expect(read("src/total.py")).toBe("# by hand\ndef total(cart, tax=0):\n    return sum(cart)\n");
    expect(read("long.txt")).toContain("LINE 5\n");
    expect(read("README.md")).toBe(FILES["README.md"]);
    await picture("several-rewritten-done");
  },
);

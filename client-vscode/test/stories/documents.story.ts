/** The user's own unsaved work, and what the editor does when it saves. */

import { expect } from "vitest";
import { story } from "./support/story";
import { bash, edit, read } from "./support/turns";
import { PATIENCE } from "./support/window";

story(
  "an unsaved buffer is what the model reads and edits, and it stays unsaved",
  {
    files: { "note.txt": "one\ntwo\n" },
    tape: [
      { when: "shout" },
      { toolCalls: [read("note.txt")] },
      { expect: { toolResults: "typed by hand" }, toolCalls: [edit("note.txt", ["two", "TWO"])] },
      { expect: { toolResults: "TWO" }, text: "Shouted." },
    ],
  },
  async ({ window, read: text }) => {
    await window.openFile("note.txt");
    await window.typeAtTop("typed by hand\n");
    const chat = await window.openChat();
    await chat.send("shout");
    await chat.answer(/^Edit note\.txt/, "Accept");
    await chat.shows("Shouted.");
    await expect.poll(() => window.tab(/proposed change/).count(), { timeout: PATIENCE }).toBe(0);
    await window.openFile("note.txt");
    await window.editorShows("typed by hand");
    await window.editorShows("TWO");
    expect(text("note.txt")).toBe("one\ntwo\n");
    // One proposal is one undo step; what was typed before it is another.
    await window.focusEditor();
    await window.page.keyboard.press("Control+Z");
    await window.editorShows("two");
    await window.editorShows("typed by hand");
  },
);

story(
  "what a formatter makes of an edit when it is saved is the truth from then on",
  {
    files: { "data.json": '{\n  "a": 1\n}\n' },
    settings: { "editor.formatOnSave": true, "files.insertFinalNewline": true, "[json]": { "editor.tabSize": 2, "editor.insertSpaces": true } },
    tape: [
      { when: "add b" },
      { toolCalls: [edit("data.json", ['  "a": 1\n', '  "a": 1,\n        "b": 2\n'])] },
      { toolCalls: [bash("cat data.json")] },
      { expect: { toolResults: '\n  "b": 2\n' }, toolCalls: [edit("data.json", ['  "b": 2', '  "b": 3'])] },
      { text: "Three it is." },
    ],
  },
  async ({ window, read: text }) => {
    await window.openFile("data.json");
    // There is such a command once there is a formatter, and it finds nothing to do.
    await window.command("Format Selection");
    const chat = await window.openChat();
    await chat.send("add b");
    await chat.answer(/^Edit data\.json/, "Accept");
    await chat.answer(/cat data\.json/, "Accept");
    await chat.answer(/^Edit data\.json/, "Accept");
    await chat.shows("Three it is.");
    await expect.poll(() => text("data.json"), { timeout: PATIENCE }).toBe('{\n  "a": 1,\n  "b": 3\n}\n');
  },
);

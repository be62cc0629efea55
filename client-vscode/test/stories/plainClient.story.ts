/** VS Code with a language client that knows nothing of Steersman: what the standard alone gives its user. */

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { installPlain } from "../plain/build";
import { newFolder } from "./support/places";
import { serversOf } from "./support/processes";
import { type Stage, story } from "./support/story";
import { bash, edit } from "./support/turns";
import { PATIENCE, type Window } from "./support/window";

const folder = newFolder("plain");
const extensions = join(folder, "extensions");
beforeAll(() => installPlain(folder, extensions), 3 * PATIENCE);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const NOTE = "one\ntwo\nthree\n";
const ASKED = "Steersman: Edit note.txt (+1 −1)";
const scene = {
  files: { "note.txt": NOTE },
  tape: [{ when: "shout" }, { toolCalls: [edit("note.txt", ["two\n", "TWO\n"])] }, { text: "Shouted." }],
  extensions,
};

/** Begins a run by the key that the plain extension's manifest binds to `steersman.start`, with its words. */
async function shout({ window, home }: Stage): Promise<void> {
  // The key is known when the extension is.
  await expect.poll(() => serversOf(home).length, { timeout: PATIENCE }).toBe(1);
  await window.page.locator(".explorer-folders-view .monaco-list-row", { hasText: "note.txt" }).dblclick();
  await window.editorShows("three");
  await window.focusEditor();
  await window.page.keyboard.press("Control+Alt+S");
}

/** Back to the file, whose diff has a tab of nearly its name. */
async function goToNote(window: Window): Promise<void> {
  await window.page.locator('.tab[data-resource-name="note.txt"]').click();
  await window.inFront("note.txt");
}

/** Files in which a diff is. */
function diffsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".diff"));
}

/** Those of the editor that has the focus. */
function lenses(window: Window): Locator {
  return window.page.locator(".editor-group-container.active .codelens-decoration");
}

story(
  "without our extension: the diff is a document that is no file, answered in it, and the edit is undone in the editor",
  { ...scene, settings: { "plain.schemes": ["file", "steersman"] } },
  async (stage) => {
    const { window, home, picture, read } = stage;
    await shout(stage);
    await window.respond(ASKED, "Show diff");
    await window.tab("note.txt.diff").waitFor();
    await window.editorShows("+TWO");
    expect(diffsBelow(home)).toEqual([]);
    await picture("plain-diff");

    // The key of the light bulb does nothing in a text that can't be edited; the bulb itself, and a lens, do.
    await window.page.locator(".editor-group-container.active [class*=codicon-gutter-lightbulb]").click();
    await window.page.locator(".action-widget .monaco-list-row", { hasText: "Decline: Edit note.txt" }).waitFor();
    await window.page.keyboard.press("Escape");
    await lenses(window).getByText("Accept", { exact: true }).click();
    await window.notification("Shouted.").waitFor();
    await window.editorShows("This question is closed");
    await expect.poll(() => lenses(window).count(), { timeout: PATIENCE }).toBe(0);

    await goToNote(window);
    await window.editorShows("one\nTWO\nthree");
    expect(read("note.txt")).toBe(NOTE);
    await window.focusEditor();
    await window.page.keyboard.press("Control+Z");
    await window.editorShows("one\ntwo\nthree");
  },
);

story(
  "without our extension: where the diff is not attached the question comes again beside it, and the file answers it",
  { ...scene, settings: { "plain.schemes": ["file"] } },
  async (stage) => {
    const { window, home } = stage;
    await shout(stage);
    await window.respond(ASKED, "Show diff");
    await window.editorShows("+TWO");
    expect(diffsBelow(home)).toEqual([]);
    await window.notification(ASKED).waitFor();
    await goToNote(window);
    await window.focusEditor();
    await window.lightBulb("Accept: Edit note.txt");
    await window.notification("Shouted.").waitFor();
    await window.editorShows("one\nTWO\nthree");
    await expect.poll(() => lenses(window).count(), { timeout: PATIENCE }).toBe(0);
  },
);

story(
  "without our extension: a message that is closed is a no, and a command that was accepted is stopped with what it began",
  {
    ...scene,
    tape: [
      { when: "shout" },
      { toolCalls: [edit("note.txt", ["two\n", "TWO\n"])] },
      { expect: { toolResults: "declined" }, toolCalls: [bash("sleep 987654 & echo $! > pid; wait")] },
      { text: "Not reached." },
    ],
  },
  async (stage) => {
    const { window, has, read } = stage;
    await shout(stage);
    await window.notification(ASKED).hover();
    await window.notification(ASKED).locator(".codicon-notifications-clear").click();
    await window.respond("Steersman: Run sleep 987654", "Accept");
    await expect.poll(() => has("pid") && read("pid").endsWith("\n"), { timeout: PATIENCE }).toBe(true);
    const process = `/proc/${read("pid").trim()}/stat`;
    expect(existsSync(process)).toBe(true);
    await window.command("Plain: Stop");
    await window.page.locator(".statusbar-item", { hasText: "Steersman: shout" }).waitFor({ state: "detached" });
    await expect.poll(() => existsSync(process), { timeout: PATIENCE }).toBe(false);
    expect(read("note.txt")).toBe(NOTE);
  },
);

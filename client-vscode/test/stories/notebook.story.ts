/** A notebook that is open in its own editor, and in a text editor too. */

import { expect } from "vitest";
import { story } from "./support/story";
import { edit } from "./support/turns";
import { PATIENCE, type Window } from "./support/window";

/** A cell that has run. */
const cell = (id: string | undefined, source: string): object => ({
  cell_type: "code",
  execution_count: 1,
  ...(id === undefined ? {} : { id }),
  metadata: {},
  outputs: [{ name: "stdout", output_type: "stream", text: ["1\n"] }],
  source: [source],
});

/** As Jupyter writes them: with ids of the cells since 4.5, and with what made them. */
function notebook(minor: number, ...cells: readonly object[]): string {
  const metadata = {
    kernelspec: { display_name: "Python 3 (ipykernel)", language: "python", name: "python3" },
    language_info: { name: "python", version: "3.11.2" },
  };
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: minor }, null, 1)}\n`;
}

/** The end of the first cell, and with another one behind it. */
const END = '    "x = 2"\n   ]\n  },\n';
/** Where a cell of the new format has no id, the editor gives it one by itself, and that is unsaved. */
const more = (id: string | undefined): string =>
  `  {\n   "cell_type": "code",\n   "execution_count": null,\n${id === undefined ? "" : `   "id": "${id}",\n`}   "metadata": {},\n   "outputs": [],\n   "source": [\n    "z = 4"\n   ]\n  },\n`;

for (const [name, minor, ids] of [
  ["of the old format", 2, [undefined, undefined, undefined]],
  ["of the new format, with ids,", 5, ["a1", "b2", "c3"]],
] as const) {
  story(
    `an open notebook ${name} shows what was accepted, and has nothing unsaved`,
    {
      files: { "b.ipynb": notebook(minor, cell(ids[0], "x = 1"), cell(ids[1], "y = 1")) },
      tape: [
        { when: "two" },
        { toolCalls: [edit("b.ipynb", ["x = 1", "x = 2"])] },
        { text: "Two it is." },
        { when: "more" },
        { toolCalls: [edit("b.ipynb", [END, END + more(ids[2])])] },
        { text: "One more." },
      ],
    },
    async ({ window, read, picture }) => {
      const { page } = window;
      // Its editor is an extension's, which is there when ours is.
      await page.locator('.activitybar [aria-label^="Steersman"]').first().waitFor();
      await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "b.ipynb" }).dblclick();
      await shows(window, "x = 1");
      const chat = await window.openChat();
      await chat.send("two");
      await chat.answer(/^Edit b\.ipynb/, "Accept");
      await chat.shows("Two it is.");
      expect(read("b.ipynb")).toContain("x = 2");
      await shows(window, "x = 2");
      await saved(window);
      await chat.send("more");
      await chat.answer(/^Edit b\.ipynb/, "Accept");
      await chat.shows("One more.");
      expect(read("b.ipynb")).toContain("z = 4");
      await shows(window, "z = 4");
      await saved(window);
      await picture(`notebook ${name}`);
    },
  );
}

story(
  "unsaved work in a notebook is safe from an edit of its text, which is open beside it",
  {
    files: { "b.ipynb": notebook(5, cell("a1", "x = 1"), cell("b2", "y = 1")) },
    tape: [
      { when: "two" },
      { toolCalls: [edit("b.ipynb", ["y = 1", "y = 2"])] },
      { expect: { toolResults: "has unsaved work" }, text: "Save it first." },
      { when: "again" },
      { toolCalls: [edit("b.ipynb", ["y = 1", "y = 2"])] },
      { text: "Two it is." },
    ],
  },
  async ({ window, read }) => {
    const { page } = window;
    await page.locator('.activitybar [aria-label^="Steersman"]').first().waitFor();
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "b.ipynb" }).dblclick();
    await shows(window, "x = 1");
    await window.command("View: Split Editor Right");
    // An editor that is still opening doesn't hear it.
    const asText = async (): Promise<boolean> => {
      await window.command("View: Reopen Editor with Text Editor");
      return window.editor.waitFor({ timeout: 10_000 }).then(() => true, () => false);
    };
    await expect.poll(asText, { timeout: PATIENCE }).toBe(true);
    await window.editorShows('"x = 1"');
    await focusCell(window, "1");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("typed = 0; ");
    await expect.poll(() => page.locator(".tab.dirty").count(), { timeout: PATIENCE }).toBe(1);
    const chat = await window.openChat();
    await chat.send("two");
    await chat.answer(/^Edit b\.ipynb/, "Accept");
    await chat.shows("Save it first.");
    expect(read("b.ipynb")).toContain("y = 1");
    await shows(window, "typed = 0; x = 1");
    await focusCell(window, "typed");
    await page.keyboard.press("Control+S");
    await saved(window);
    await chat.send("again");
    await chat.answer(/^Edit b\.ipynb/, "Accept");
    await chat.shows("Two it is.");
    await expect.poll(() => read("b.ipynb"), { timeout: PATIENCE }).toContain("y = 2");
    expect(read("b.ipynb")).toContain("typed = 0; x = 1");
    await shows(window, "y = 2");
    await saved(window);
  },
);

async function shows({ page }: Window, line: string): Promise<void> {
  const lines = page.locator(".notebook-editor .view-lines");
  await expect
    .poll(async () => (await lines.allInnerTexts()).map((text) => text.replaceAll("\u00a0", " ")), { timeout: PATIENCE })
    .toContain(line);
}

/** Puts the cursor into the first cell that has this text. */
async function focusCell({ page }: Window, text: string): Promise<void> {
  await page.locator(".notebook-editor .view-lines", { hasText: text }).first().click();
  await page.locator(".notebook-editor .monaco-editor.focused").first().waitFor();
}

async function saved({ page }: Window): Promise<void> {
  await expect.poll(() => page.locator(".tab.dirty").count(), { timeout: PATIENCE }).toBe(0);
}

/** A workspace of several folders. */

import { expect } from "vitest";
import { story } from "./support/story";
import { edit } from "./support/turns";
import { PATIENCE } from "./support/window";

const NOTEBOOK = {
  cells: [{ cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: ["x = 1"] }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 2,
};

story(
  "a file of the second folder is found, mentioned, named and opened by that folder; a notebook is proposed as text",
  {
    files: { "one/a.txt": "a\n", "two/a.txt": "b\n", "two/b.ipynb": JSON.stringify(NOTEBOOK, null, 1) },
    folders: ["one", "two"],
    tape: [
      { when: "shout" },
      { expect: { user: "two/b.ipynb" }, toolCalls: [edit("two/a.txt", ["b", "B"])] },
      { toolCalls: [edit("two/b.ipynb", ["x = 1", "x = 2"])] },
      { text: "See [the file](two/a.txt)." },
    ],
  },
  async ({ window, read, picture }) => {
    const chat = await window.openChat();
    // A VS Code that has just started finds no file yet; it is asked when something is typed.
    const offered = async (): Promise<boolean> => {
      await chat.composer.fill("shout, as in ");
      await chat.composer.pressSequentially("@b.ipy");
      const option = chat.frame.getByRole("option", { name: /b\.ipynb/ }).first();
      return option.waitFor({ timeout: 10_000 }).then(() => true, () => false);
    };
    await expect.poll(offered, { timeout: PATIENCE }).toBe(true);
    await chat.composer.press("Tab");
    await expect.poll(() => chat.composer.inputValue(), { timeout: PATIENCE }).toBe("shout, as in @two/b.ipynb ");
    await chat.composer.press("Enter");
    await chat.question(/^Edit two\/a\.txt/).first().getByText("two/a.txt", { exact: true }).waitFor();
    await picture("several-folders");
    await chat.answer(/^Edit two\/a\.txt/, "Accept");
    await window.editorShows('"x = 2"');
    await chat.answer(/^Edit two\/b\.ipynb/, "Accept");
    await chat.frame.getByRole("link", { name: "the file" }).click();
    await window.inFront("a.txt");
    await window.editorShows("B");
    await expect.poll(() => window.tab(/proposed change/).count(), { timeout: PATIENCE }).toBe(0);
    expect([read("one/a.txt"), read("two/a.txt")]).toEqual(["a\n", "B\n"]);
    expect(read("two/b.ipynb")).toContain("x = 2");
  },
);

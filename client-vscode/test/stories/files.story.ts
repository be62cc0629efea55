/** Files that a run has moved or deleted, and what leads to them. */

import { expect } from "vitest";
import { story } from "./support/story";
import { edit } from "./support/turns";

story(
  "the end of a run leads to where a moved file is, and names a deleted one without a link",
  {
    files: { "a.txt": "one\n", "old.txt": "old\n", "kept.txt": "kept\n" },
    settings: { "steersman.mode": "full-auto" },
    tape: [
      { when: "tidy" },
      {
        toolCalls: [
          edit("a.txt", ["one", "two"]),
          edit("kept.txt", ["kept", "still kept"]),
          { name: "move", arguments: { from: "a.txt", to: "sub/b.txt" } },
          { name: "delete", arguments: { path: "old.txt" } },
        ],
      },
      { text: "- [x] move [a.txt](a.txt)\n- [x] delete `old.txt`\n- [ ] tell **everybody** about it, in a line that is long enough to be two\n" },
    ],
  },
  async ({ window, picture }) => {
    const chat = await window.openChat();
    await chat.send("tidy");
    const files = chat.frame.getByRole("list", { name: "Changed files" });
    await files.waitFor();
    expect((await files.innerText()).replaceAll(/\s+/g, " ")).toBe("sub/b.txt was a.txt +1 −1 kept.txt +1 −1 old.txt deleted +0 −1");
    expect(await files.getByRole("button").allInnerTexts()).toEqual(["sub/b.txt", "kept.txt"]);
    // A task's box says how it stands, by the task's name, and can't be pressed.
    const box = chat.frame.getByRole("checkbox", { name: "delete old.txt" });
    expect([await box.isChecked(), await box.isDisabled()]).toEqual([true, true]);
    for (const theme of ["Dark Modern", "Light Modern", "Dark High Contrast"]) {
      await window.theme(theme);
      for (const width of [240, 400]) {
        await window.sideBar(width);
        await picture(`moved files ${theme} ${width}`);
      }
    }
    await files.getByRole("button", { name: "sub/b.txt" }).click();
    await window.tab("b.txt").waitFor();
    await window.editorShows("two");
    await window.command("View: Close All Editors");
    await window.tab("b.txt").waitFor({ state: "detached" });
    // The model's own link names the old place.
    await chat.frame.getByRole("link", { name: "a.txt" }).click();
    await window.tab("b.txt").waitFor();
  },
);

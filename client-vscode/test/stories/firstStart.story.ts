/** The first minute: nothing is configured, and the server comes out of the package. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "./support/places";
import { story } from "./support/story";
import { PATIENCE } from "./support/window";

story(
  "with nothing configured the extension makes its own server, and says what is missing to begin",
  { files: { "a.txt": "a\n" }, settings: { "steersman.server.path": "" } },
  async ({ window, picture }) => {
    const chat = await window.openChat();
    await chat.composer.fill("hello");
    await chat.composer.press("Enter");
    // An environment is made and filled before.
    await chat.shows(/No model is configured/, 5 * PATIENCE);
    await picture("first-start");
  },
);

story(
  "a Python that is too old is named, with what is needed, and nothing loops",
  {
    files: { "a.txt": "a\n" },
    settings: { "steersman.server.path": "", "steersman.server.python": oldPython() },
  },
  async ({ window, picture }) => {
    const chat = await window.openChat();
    const alert = chat.frame.getByRole("alert");
    await alert.getByText(/3\.9/).first().waitFor();
    await alert.getByText(/3\.11/).first().waitFor();
    await alert.getByRole("button", { name: "Retry" }).waitFor();
    await picture("first-start-old-python");
  },
);

/** A program that says of itself that it is Python 3.9. */
function oldPython(): string {
  const folder = join(newFolder("old"), "bin");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "python3");
  writeFileSync(path, '#!/bin/sh\necho "3.9.2"\n', { mode: 0o755 });
  return path;
}

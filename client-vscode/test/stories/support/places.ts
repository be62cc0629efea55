/** Where the programs of the stories are, and where each story keeps its things. */

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The checkout. */
export const REPOSITORY = resolve(import.meta.dirname, "../../../..");
const installed = join(REPOSITORY, "client-vscode", ".vscode-test");

export const NODE = join(installed, "node/node_modules/node/bin/node");
export const CODE_SERVER = join(installed, "code-server/node_modules/code-server/out/node/entry.js");
/** Extensions of all stories: only ours. */
export const EXTENSIONS = join(installed, "extensions");
/** Screenshots: of stories that failed, and those that a story takes. */
export const PICTURES = join(installed, "pictures");
export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** The server of this checkout. */
export const STEERSMAN = process.env["STEERSMAN_PROGRAM"] ?? join(REPOSITORY, ".venv/bin/steersman");
export const SAMPLE = join(REPOSITORY, "server/steersman/demo_data/sample-shop");

export function newFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `steersman-${name}-`));
}

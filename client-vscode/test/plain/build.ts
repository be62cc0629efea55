/** Makes the plain extension installable, in a place of extensions of its own. */

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { build } from "esbuild";
import { install } from "../stories/support/codeServer";

const here = import.meta.dirname;

/** Into `extensions`, with what is needed on the way there in `folder`, which is empty. */
export async function installPlain(folder: string, extensions: string): Promise<void> {
  const made = join(folder, "plain");
  mkdirSync(made);
  copyFileSync(join(here, "package.json"), join(made, "package.json"));
  writeFileSync(join(made, "README.md"), "For the stories only.\n");
  await build({
    entryPoints: [join(here, "extension.ts")],
    outfile: join(made, "extension.js"),
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
    mainFields: ["module", "main"],
    logLevel: "warning",
  });
  const packagePath = join(folder, "plain.vsix");
  await createVSIX({ cwd: made, packagePath, dependencies: false, skipLicense: true, allowMissingRepository: true });
  await install(packagePath, join(folder, "install"), extensions);
}

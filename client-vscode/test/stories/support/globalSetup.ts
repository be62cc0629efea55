/** Once for all stories: the package under test is installed into a clean place. */

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { install } from "./codeServer";
import { EXTENSIONS, newFolder, PICTURES, REPOSITORY } from "./places";

export default async function setup(): Promise<void> {
  rmSync(EXTENSIONS, { recursive: true, force: true });
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  const data = newFolder("install");
  await install(vsix(), data);
  rmSync(data, { recursive: true, force: true });
}

/** The package that `make vsix` has built. */
export function vsix(): string {
  const named = process.env["STEERSMAN_VSIX"];
  if (named) return named;
  const dist = join(REPOSITORY, "dist");
  const found = readdirSync(dist).filter((name) => name.endsWith(".vsix"));
  if (found.length !== 1 || !found[0]) throw new Error(`There should be one .vsix in ${dist}: run make vsix. Found: ${found.join(", ")}`);
  return join(dist, found[0]);
}

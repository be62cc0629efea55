/** Which server is started: the one named in the settings, the selected environment's, or the extension's own. */

import { configuredProgram } from "./configured";
import { isolatedEnvironment } from "./environment";
import { findInterpreter, type Interpreter, type Looking } from "./interpreters";
import type { Making, PrivateEnvironments } from "./privateEnvironment";
import { ProgramNotStarted } from "./programs";
import { matchOf } from "./version";

export const PATH_SETTING = "steersman.server.path";

/** How the `steersman` program is run: its own command line follows `args`. */
export interface SteersmanProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly origin: "setting" | "selected" | "private";
}

/** Where the user or the editor says there is a server or a Python. A setting that is "" is not set. */
export interface Sources {
  readonly path: string;
  readonly python: string;
  /** The interpreter selected in the Python extension. Undefined in an untrusted workspace: it may be the workspace's own,
   * and to look at it is to run it. */
  readonly selected: () => Promise<string | undefined>;
}

/**
 * @throws ServerProblem there is none and none could be installed. Whatever the signal was aborted with.
 */
export async function findServer(
  sources: Sources,
  environments: PrivateEnvironments,
  extensionVersion: string,
  making: Making,
  looking: Looking,
  platform: NodeJS.Platform = process.platform,
): Promise<SteersmanProgram> {
  if (sources.path.trim() !== "") {
    return { command: await configuredProgram(PATH_SETTING, sources.path), args: [], origin: "setting" };
  }
  const selected = await sources.selected();
  if (selected !== undefined && (await hasServer(selected, extensionVersion, looking))) {
    return { command: selected, args: ["-I", "-m", "steersman"], origin: "selected" };
  }
  const find = (): Promise<Interpreter> =>
    findInterpreter({ configured: sources.python, selected, platform }, looking);
  const python = await environments.python(sources.python.trim(), find, making);
  return { command: python, args: ["-I", "-m", "steersman"], origin: "private" };
}

/** Isolated: a `steersman` folder in the workspace or among the user's packages doesn't count. */
async function hasServer(python: string, extensionVersion: string, looking: Looking): Promise<boolean> {
  const { run, cwd, signal } = looking;
  try {
    const ran = await run(python, ["-I", "-m", "steersman", "--version"], {
      cwd,
      env: isolatedEnvironment(looking.env),
      signal,
      timeout: 10_000,
    });
    return ran.code === 0 && matchOf(ran.stdout, extensionVersion) === "matches";
  } catch (error) {
    if (error instanceof ProgramNotStarted) return false;
    throw error;
  }
}

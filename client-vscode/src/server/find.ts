/** Which server is started: the one that the settings name, the selected environment's, or the extension's own. */

import { t } from "../l10n";
import { configuredProgram } from "./configured";
import { isolatedEnvironment } from "./environment";
import { findInterpreter, PYTHON_SETTING, type Interpreter, type Looking } from "./interpreters";
import type { Making, PrivateEnvironments } from "./privateEnvironment";
import { ProgramNotStarted } from "./programs";
import { matchOf } from "./version";

export const PATH_SETTING = "steersman.server.path";

/** How the `steersman` program is run: what follows `args` is its command line. */
export interface SteersmanProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly origin: "setting" | "selected" | "private";
}

/** Where the user or the editor says that a server or a Python is. Settings that are "" are not set. */
export interface Sources {
  readonly path: string;
  readonly python: string;
  /** The interpreter that is selected in the Python extension. Undefined where the workspace is not trusted: it may be
   * the workspace's own, and to look at it is to run it. */
  readonly selected: () => Promise<string | undefined>;
}

/**
 * @throws ServerProblem there is none, and why none could be made. Whatever the signal was aborted with.
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

/** Isolated: a `steersman` folder in the workspace, or a package of the user's, is none that was installed here. */
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

/** The settings that decide which program is started. */
export const FINDING_SETTINGS = [PATH_SETTING, PYTHON_SETTING] as const;

export const CANCELLED = (): string => t("Setting up the server was cancelled.");

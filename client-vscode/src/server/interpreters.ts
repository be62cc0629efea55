/** Finds a Python for the private environment. It only runs candidates and reads what they print. */

import { t } from "../l10n";
import { configuredProgram } from "./configured";
import { isolatedEnvironment } from "./environment";
import { problem, retryButton, ServerProblem, settingButton, type ProblemButton } from "./problem";
import { ProgramNotStarted, type RunProgram } from "./programs";
import { isPythonNewEnough, KNOWN_PYTHON_MINORS, NEEDED_PYTHON, versionIn, type Version } from "./version";

export const PYTHON_SETTING = "steersman.server.python";
const DOWNLOADS = "https://www.python.org/downloads/";
const NEEDED = `${NEEDED_PYTHON.major}.${NEEDED_PYTHON.minor}`;

export interface Interpreter {
  /** The executable by its own account (`sys.executable`), not a launcher or a shim. */
  readonly path: string;
  readonly version: Version;
}

/** Where to look. */
export interface Candidates {
  /** The setting's value; "" is not set. */
  readonly configured: string;
  /** The Python extension's, if it is installed and the workspace is trusted. */
  readonly selected: string | undefined;
  readonly platform: NodeJS.Platform;
}

export interface Looking {
  readonly run: RunProgram;
  readonly env: NodeJS.ProcessEnv;
  /** A folder with nothing in it that Python could import. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}

// Valid in Python 2, too, so that it prints its version rather than a syntax error.
const PROBE = "import sys; print('%d.%d.%d' % sys.version_info[:3]); print(sys.executable)";
const PROBE_TIMEOUT = 60_000;

/**
 * The first that is new enough: only the setting's if it is set, else the selected one, then those on the `PATH`.
 *
 * @throws ServerProblem there is none, or none is new enough: the message then names the newest.
 */
export async function findInterpreter(candidates: Candidates, looking: Looking): Promise<Interpreter> {
  if (candidates.configured.trim() !== "") {
    const path = await configuredProgram(PYTHON_SETTING, candidates.configured);
    const probed = await probe([path], looking);
    if (typeof probed === "string") {
      throw problem(t("The interpreter that the setting {0} names can't be used: {1}.", PYTHON_SETTING, path), probed, [
        settingButton(t("Choose an interpreter"), PYTHON_SETTING),
        retryButton(),
      ]);
    }
    if (!isPythonNewEnough(probed.version)) throw tooOld(probed);
    return probed;
  }
  let old: Interpreter | undefined;
  for (const command of commands(candidates)) {
    const probed = await probe(command, looking);
    if (typeof probed === "string") continue;
    if (isPythonNewEnough(probed.version)) return probed;
    if (!old || probed.version.minor > old.version.minor) old = probed;
  }
  throw old ? tooOld(old) : none();
}

function commands({ selected, platform }: Candidates): string[][] {
  const named = KNOWN_PYTHON_MINORS.map((minor) => [`python3.${minor}`]);
  return [
    ...(selected === undefined ? [] : [[selected]]),
    ...(platform === "win32" ? [["py", "-3"]] : named),
    ["python3"],
    ["python"],
  ];
}

/** The interpreter, or as text why it is none. */
export async function probe(command: readonly string[], looking: Looking): Promise<Interpreter | string> {
  const [program = "", ...before] = command;
  const { run, cwd, signal } = looking;
  const env = isolatedEnvironment(looking.env);
  try {
    const ran = await run(program, [...before, "-I", "-c", PROBE], { cwd, env, signal, timeout: PROBE_TIMEOUT });
    const [said = "", path = ""] = ran.stdout.split(/\r?\n/);
    const version = versionIn(said);
    if (ran.code !== 0 || !version) return `${ran.stdout}\n${ran.stderr}`.trim() || t("It printed no version.");
    return { path: path.trim() || program, version };
  } catch (error) {
    if (error instanceof ProgramNotStarted) return error.message;
    throw error;
  }
}

function none(): ServerProblem {
  const message = t("Steersman needs Python {0} or newer, and none was found.", NEEDED);
  return problem(message, "", [
    { label: t("Get Python"), remedy: { kind: "openUrl", url: DOWNLOADS } },
    ...chooseOrRetry(),
  ]);
}

function tooOld({ path, version }: Interpreter): ServerProblem {
  const said = `${version.major}.${version.minor}.${version.patch}`;
  const message = t("Steersman needs Python {0} or newer; {1} is Python {2}.", NEEDED, path, said);
  const [choose, retry] = chooseOrRetry();
  return problem(message, "", [
    ...(choose ? [choose] : []),
    { label: t("Get Python"), remedy: { kind: "openUrl", url: DOWNLOADS } },
    ...(retry ? [retry] : []),
  ]);
}

function chooseOrRetry(): ProblemButton[] {
  return [settingButton(t("Choose an interpreter"), PYTHON_SETTING), retryButton()];
}

/** Which Python a private environment can be made with. It runs candidates and looks at what they say; it makes nothing. */

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
  /** The executable itself, as it names itself: not a launcher or a shim. */
  readonly path: string;
  readonly version: Version;
}

/** Where to look. Commands with arguments, such as `py -3`, are lists. */
export interface Candidates {
  /** The setting's value; "" is not set. */
  readonly configured: string;
  /** Of the Python extension, if it is there and the workspace is trusted. */
  readonly selected: string | undefined;
  readonly platform: NodeJS.Platform;
}

export interface Looking {
  readonly run: RunProgram;
  readonly env: NodeJS.ProcessEnv;
  /** A folder in which nothing lies that Python could import. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}

// For Python 2 as well: it is to say its version, not a syntax error.
const PROBE = "import sys; print('%d.%d.%d' % sys.version_info[:3]); print(sys.executable)";
const PROBE_TIMEOUT = 60_000;

/**
 * The first that is new enough: the setting's, which then is the only one, the selected one, those on the PATH.
 *
 * @throws ServerProblem there is none, or none is new enough: then the newest is named.
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

/** What a candidate is, or why it is none: what it printed, as text. */
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

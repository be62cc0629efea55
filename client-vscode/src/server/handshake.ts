/** Whether the program that was started is a server that this extension can talk to. Pure. */

import { t } from "../l10n";
import { PATH_SETTING, type SteersmanProgram } from "./find";
import {
  commandButton,
  logButton,
  problem,
  retryButton,
  settingButton,
  type ProblemButton,
  type ServerProblem,
} from "./problem";
import { matchOf } from "./version";

export const USE_OWN_SERVER = "steersman.ui.useOwnServer";

/** It did not answer. `stderr`: what it printed. */
export function silent({ command, origin }: SteersmanProgram, stderr: string): ServerProblem {
  return problem(t("The server does not answer: {0}.", command), stderr, buttonsFor(origin));
}

/** It ended before it answered; `ending` says how. */
export function endedAtOnce({ command, origin }: SteersmanProgram, ending: string, stderr: string): ServerProblem {
  return problem(t("The server ended during its start: {0} ({1}).", command, ending), stderr, buttonsFor(origin));
}

function buttonsFor(origin: SteersmanProgram["origin"]): ProblemButton[] {
  return origin === "private" ? [retryButton(), logButton()] : [...ownServer(), logButton()];
}

export function notSteersman(command: string, stderr: string): ServerProblem {
  return problem(t("The program that was started is not a Steersman server: {0}.", command), stderr, ownServer());
}

/** Why a server of this version can't be used; undefined: it can. */
export function mismatch(
  { version }: { readonly version: string },
  { command }: SteersmanProgram,
  extension: string,
): ServerProblem | undefined {
  switch (matchOf(version, extension)) {
    case "matches":
      return undefined;
    case "unknown":
      return notSteersman(command, "");
    case "older":
      return otherVersion(
        t("The server {0} is version {1}, which is older than this extension ({2}).", command, version, extension),
      );
    case "newer":
      return otherVersion(
        t("The server {0} is version {1}, which is newer than this extension ({2}).", command, version, extension),
      );
  }
}

function otherVersion(message: string): ServerProblem {
  return problem(message, "", ownServer());
}

/** Whether Python says that an installation is incomplete. */
export function lacksModule(stderr: string): boolean {
  return /^(?:ModuleNotFoundError|ImportError)\b|No module named/m.test(stderr);
}

function ownServer(): ProblemButton[] {
  return [
    commandButton(t("Use the extension's own server"), USE_OWN_SERVER),
    settingButton(t("Open the setting"), PATH_SETTING),
    retryButton(),
  ];
}

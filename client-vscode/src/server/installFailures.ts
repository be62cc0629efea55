/** Turns what a failed uv, venv or pip printed into a problem that says what to do. Pure. */

import { t } from "../l10n";
import { logButton, problem, retryButton, settingButton, type ServerProblem } from "./problem";
import { PYTHON_SETTING } from "./interpreters";

const KINDS = [
  { kind: "disk", says: /No space left on device|ENOSPC|os error 28|Disk quota exceeded|not enough space on the disk/i },
  { kind: "noVenv", says: /ensurepip is not available|No module named '?(?:ensurepip|venv)/i },
  {
    kind: "network",
    says: new RegExp(
      [
        "connection (?:refused|reset|broken|timed out)",
        "could not connect",
        "failed to (?:fetch|establish a new connection)",
        "name resolution",
        "getaddrinfo",
        "dns error",
        "error sending request",
        "tcp connect error",
        "network is unreachable",
        "no route to host",
        "read timed out",
        "operation timed out",
        "cannot connect to proxy",
        "certificate",
        "Could not find a version that satisfies",
        "temporarily unavailable",
      ].join("|"),
      "i",
    ),
  },
] as const;

export type InstallFailure = (typeof KINDS)[number]["kind"] | "other";

export function kindOfFailure(output: string): InstallFailure {
  return KINDS.find(({ says }) => says.test(output))?.kind ?? "other";
}

/** `output`: all that was printed. `python`: path of the interpreter. */
export function installProblem(output: string, python: string): ServerProblem {
  switch (kindOfFailure(output)) {
    case "disk":
      return diskFull(output);
    case "noVenv":
      return problem(t("{0} can't create virtual environments: its package venv is missing.", python), output, [
        settingButton(t("Choose an interpreter"), PYTHON_SETTING),
        retryButton(),
      ]);
    case "network":
      return problem(
        t("The packages that the server needs could not be downloaded. Check the network, and your proxy or package index if you use one."),
        output,
        [retryButton(), logButton()],
      );
    case "other":
      return problem(t("The server could not be installed."), output, [retryButton(), logButton()]);
  }
}

export function diskFull(output: string): ServerProblem {
  return problem(t("The server could not be installed: the disk is full."), output, [retryButton(), logButton()]);
}

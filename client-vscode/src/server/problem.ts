/** Why there is no server: a message and buttons for the user. Pure: it knows nothing of the editor. */

import { t } from "../l10n";

/** What a problem's button in the view does. */
export type Remedy =
  | { readonly kind: "retry" }
  | { readonly kind: "showLog" }
  | { readonly kind: "openSetting"; readonly setting: string }
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "openUrl"; readonly url: string };

export interface ProblemButton {
  readonly label: string;
  readonly remedy: Remedy;
}

/** Something that is missing or went wrong. `message` is a sentence, `detail` what a program printed about it. */
export interface Problem {
  readonly message: string;
  readonly detail?: string;
  /** The first is the recommended one. */
  readonly buttons: readonly ProblemButton[];
}

export const retryButton = (): ProblemButton => ({ label: t("Retry"), remedy: { kind: "retry" } });
export const logButton = (): ProblemButton => ({ label: t("Show log"), remedy: { kind: "showLog" } });
export const settingButton = (label: string, setting: string): ProblemButton => ({
  label,
  remedy: { kind: "openSetting", setting },
});
export const commandButton = (label: string, command: string): ProblemButton => ({
  label,
  remedy: { kind: "command", command },
});

/** Thrown where a server is searched for, installed or started. */
export class ServerProblem extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** A problem with the end of `detail`, if that is not blank. */
export function problem(message: string, detail: string, buttons: readonly ProblemButton[]): ServerProblem {
  const trimmed = tail(detail.trim());
  return new ServerProblem({ message, ...(trimmed === "" ? {} : { detail: trimmed }), buttons });
}

/** Any thrown value as a problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof ServerProblem) return error.problem;
  const message = error instanceof Error ? error.message : String(error);
  return { message: t("The server could not be started: {0}", message), buttons: [retryButton(), logButton()] };
}

const DETAIL_LINES = 30;
const DETAIL_CHARACTERS = 4000;

/** The end of a program's output, where it says what went wrong. */
function tail(text: string): string {
  return text.split("\n").slice(-DETAIL_LINES).join("\n").slice(-DETAIL_CHARACTERS);
}

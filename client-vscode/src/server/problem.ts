/** Why there is no server, in words and buttons for a person. Pure: it knows nothing of the editor. */

/** What a button in the view does about a problem. */
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

/** One thing that is missing or went wrong. `message` is a sentence, `detail` what a program printed about it. */
export interface Problem {
  readonly message: string;
  readonly detail?: string;
  /** The first is the one to press. */
  readonly buttons: readonly ProblemButton[];
}

export const RETRY: ProblemButton = { label: "Retry", remedy: { kind: "retry" } };
export const SHOW_LOG: ProblemButton = { label: "Show log", remedy: { kind: "showLog" } };

/** Thrown by what looks for a server or makes one. */
export class ServerProblem extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** Anything that was thrown, as a problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof ServerProblem) return error.problem;
  const message = error instanceof Error ? error.message : String(error);
  return { message: `The server could not be started: ${message}`, buttons: [RETRY, SHOW_LOG] };
}

/** Runs short programs and returns what they print. It knows no editor. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Ran {
  /** Null: a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the program. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which it is ended. */
  readonly timeout?: number;
  /** Each line as it is printed, of either stream. */
  readonly onLine?: (line: string) => void;
}

/**
 * Runs one program to its end.
 *
 * @throws ProgramNotStarted it does not exist or can't be executed. Whatever `signal` was aborted with.
 */
export type RunProgram = (command: string, args: readonly string[], options: RunOptions) => Promise<Ran>;

export class ProgramNotStarted extends Error {}

/** UTF-16 code units kept from the end of each stream; no program here normally prints more. */
const KEPT = 200_000;
/** Milliseconds between asking a program to end and killing it. */
const GRACE = 3000;

export const runProgram: RunProgram = async (command, args, options) => {
  options.signal?.throwIfAborted();
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8");
    child[stream].on("data", (text: string) => (printed[stream] = (printed[stream] + text).slice(-KEPT)));
    if (options.onLine) createInterface({ input: child[stream], crlfDelay: Infinity }).on("line", options.onLine);
  }
  let hard: NodeJS.Timeout | undefined;
  // Its own children may outlive it and keep its pipes open.
  const letGo = (): void => {
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const end = (): void => {
    child.kill();
    hard ??= setTimeout(() => child.kill("SIGKILL"), GRACE);
    if (child.exitCode === null && child.signalCode === null) child.once("exit", letGo);
    else letGo();
  };
  const late = options.timeout === undefined ? undefined : setTimeout(end, options.timeout);
  options.signal?.addEventListener("abort", end);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", (error) => reject(new ProgramNotStarted(`${command}: ${error.message}`)));
      child.once("close", resolve);
    });
    options.signal?.throwIfAborted();
    return { code, ...printed };
  } finally {
    clearTimeout(late);
    clearTimeout(hard);
    options.signal?.removeEventListener("abort", end);
  }
};

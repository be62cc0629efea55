/** A machine with the programs that a test puts on it, for what runs programs; and a folder that goes with the test. */

import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { ServerProblem, type Problem } from "../../../src/server/problem";
import { ProgramNotStarted, type Ran, type RunOptions, type RunProgram } from "../../../src/server/programs";

export type Program = (args: readonly string[], options: RunOptions) => Promise<Ran> | Ran;

export const printed = (stdout: string): Ran => ({ code: 0, stdout, stderr: "" });
export const failed = (stderr: string, code = 1): Ran => ({ code, stdout: "", stderr });

export class Machine {
  /** Every command line that was run. */
  readonly ran: string[] = [];
  /** The environments they were run with. */
  readonly environments: NodeJS.ProcessEnv[] = [];

  constructor(readonly programs: Record<string, Program>) {}

  readonly run: RunProgram = async (command, args, options) => {
    options.signal?.throwIfAborted();
    this.ran.push([command, ...args].join(" "));
    this.environments.push(options.env);
    const program = this.programs[command];
    if (!program) throw new ProgramNotStarted(`${command}: not there`);
    const ran = await program(args, options);
    options.signal?.throwIfAborted();
    return ran;
  };
}

/** What a Python of this version says of itself, at this path. */
export const python = (version: string, path: string): Program => () => printed(`${version}\n${path}\n`);

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "steersman-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function writeExecutable(path: string, text = "#!/bin/sh\n"): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

/** The problem that `work` ends with. */
export async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const outcome: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof ServerProblem) return outcome.problem;
  throw new Error(`not a problem: ${String(outcome)}`);
}

export const labels = (problem: Problem): string[] => problem.buttons.map((button) => button.label);

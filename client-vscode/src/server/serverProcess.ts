/** Starts, watches and ends the process of one server. It knows no protocol and no editor. */

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { t } from "../l10n";

export interface ProcessCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const KEPT_LINES = 40;
/** Milliseconds to wait for an ended process's last lines: its own children may hold its pipes open forever. */
const LAST_LINES = 500;

export class ServerProcess {
  private readonly printed: string[] = [];
  private failure: string | undefined;
  private ended = false;
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when it has ended or could not be started. */
  readonly exit: Promise<void>;

  constructor({ command, args, env }: ProcessCommand, onLine: (line: string) => void) {
    const child = spawn(command, args, { env, windowsHide: true });
    this.child = child;
    createInterface({ input: child.stderr, crlfDelay: Infinity }).on("line", (line) => {
      if (this.printed.push(line) > KEPT_LINES) this.printed.shift();
      onLine(line);
    });
    // The pipe breaks when the server ends, which `exit` tells.
    child.stdin.on("error", () => undefined);
    this.exit = new Promise((resolve) => {
      const end = (): void => {
        this.ended = true;
        resolve();
      };
      child.once("error", (error) => {
        this.failure = error.message;
        end();
      });
      child.once("close", end);
      child.once("exit", () => setTimeout(end, LAST_LINES).unref());
    });
  }

  get running(): boolean {
    return !this.ended;
  }

  /** The last lines of its standard error. */
  get stderr(): string {
    return this.printed.join("\n");
  }

  /** How it ended, for a person; undefined while it runs. */
  get ending(): string | undefined {
    if (!this.ended) return undefined;
    if (this.failure !== undefined) return this.failure;
    const { exitCode, signalCode } = this.child;
    return signalCode === null ? t("exit code {0}", String(exitCode)) : t("signal {0}", signalCode);
  }

  /** Asks it to end, kills it after `patience` milliseconds, and waits until it has ended. */
  async end(patience: number): Promise<void> {
    if (!this.running) return;
    this.child.kill();
    const hard = setTimeout(() => this.child.kill("SIGKILL"), patience);
    await this.exit;
    clearTimeout(hard);
  }
}

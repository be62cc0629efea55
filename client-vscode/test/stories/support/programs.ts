/** Programs that a story starts and that end with it. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export class Program {
  private constructor(
    readonly child: ChildProcess,
    /** The first line of its output that was waited for. */
    readonly line: string,
    /** What it had said by then. */
    readonly said: string,
  ) {}

  /** Starts it and waits for a line of its output that `ready` takes. */
  static async start(
    command: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    ready: (line: string) => boolean,
  ): Promise<Program> {
    const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    const said: string[] = [];
    child.stderr.on("data", (data: Buffer) => said.push(data.toString()));
    const lines = createInterface({ input: child.stdout });
    const exited = once(child, "exit");
    const line = await Promise.race([
      new Promise<string>((resolve) =>
        lines.on("line", (text) => {
          said.push(`${text}\n`);
          if (ready(text)) resolve(text);
        }),
      ),
      exited.then(() => {
        throw new Error(`${command} ended before it was ready:\n${said.join("")}`);
      }),
    ]);
    return new Program(child, line, said.join(""));
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await exited;
  }
}

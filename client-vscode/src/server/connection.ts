/** One server process and the language client that talks to it, from the start to the end of both. */

import type * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Event, ExperimentalCapabilities, ServerFeatures, SteersmanOptions } from "../protocol";
import type { SteersmanProgram } from "./find";
import { endedAtOnce, notSteersman, silent } from "./handshake";
import { ServerProcess, type ProcessCommand } from "./serverProcess";
import type { ClientFeature } from "./server";

/** Milliseconds within which a server has to answer `initialize`. */
const INITIALIZE_TIMEOUT = 60_000;
/** Milliseconds in which a process that was asked to end, or has failed, still has its say. */
const GRACE = 500;

export interface ConnectionParts {
  readonly name: string;
  readonly program: SteersmanProgram;
  readonly options: Partial<SteersmanOptions>;
  readonly features: readonly ClientFeature[];
  readonly log: vscode.LogOutputChannel;
  readonly trace: vscode.LogOutputChannel;
  readonly onEvent: (event: Event) => void;
}

/** What a server says of itself. */
export interface Welcome {
  readonly version: string;
  readonly features: ServerFeatures;
}

export class Connection {
  private readonly attached: vscode.Disposable[] = [];
  private garbage: (() => void) | undefined;
  readonly client: LanguageClient;

  /** Starts the process; sends nothing yet. */
  static async open(command: ProcessCommand, parts: ConnectionParts): Promise<Connection> {
    const loaded = await import("./client");
    const process = new ServerProcess(command, (line) => parts.log.info(line));
    return new Connection(process, parts, loaded);
  }

  private constructor(
    readonly process: ServerProcess,
    private readonly parts: ConnectionParts,
    { makeClient, listenToEvents }: typeof import("./client"),
  ) {
    const options: Partial<SteersmanOptions>[] = [parts.options, ...parts.features.map((feature) => feature.options)];
    this.client = makeClient({
      name: parts.name,
      process,
      options: Object.assign({}, ...options) as Partial<SteersmanOptions>,
      middleware: parts.features.map((feature) => feature.middleware),
      log: parts.log,
      trace: parts.trace,
      onGarbage: () => this.garbage?.(),
    });
    for (const feature of parts.features) this.attached.push(...feature.attach(this.client));
    const token = parts.options.eventToken;
    if (typeof token === "string") this.attached.push(listenToEvents(this.client, token, parts.onEvent));
  }

  /**
   * Does the `initialize` handshake.
   *
   * @throws ServerProblem it ends, does not answer, or is not a Steersman server. Whatever `signal` was aborted with.
   */
  async start(signal: AbortSignal): Promise<Welcome> {
    signal.throwIfAborted();
    const { program } = this.parts;
    let late: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      late = setTimeout(() => reject(silent(program, this.process.stderr)), INITIALIZE_TIMEOUT);
      this.garbage = () => reject(notSteersman(program.command, this.process.stderr));
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      void this.process.exit.then(() => reject(endedAtOnce(program, this.process.ending ?? "", this.process.stderr)));
      this.client.start().then(resolve, (error: unknown) => {
        // If the process has ended, what it printed says more, and arrives a moment later.
        setTimeout(() => reject(error as Error), GRACE);
      });
    }).finally(() => {
      clearTimeout(late);
      this.garbage = undefined;
    });
    const result = this.client.initializeResult;
    const experimental = result?.capabilities.experimental as ExperimentalCapabilities | undefined;
    if (!experimental?.steersman) throw notSteersman(program.command, this.process.stderr);
    return { version: result?.serverInfo?.version ?? "", features: experimental.steersman };
  }

  /** Asks the server to end, and kills its process after about `patience` milliseconds. Never throws. */
  async close(patience: number): Promise<void> {
    await this.ask(patience);
    await this.process.end(GRACE);
    await this.client.dispose().catch(() => undefined);
  }

  /** Asks the server to end and waits for `patience` milliseconds; after that it ends by itself. */
  async leave(patience: number): Promise<void> {
    await this.ask(patience);
    if (this.process.running) this.process.child.kill();
  }

  private async ask(patience: number): Promise<void> {
    if (this.process.running && patience > 0) {
      await this.client.stop(patience).catch((error: unknown) => this.parts.log.warn(String(error)));
      await Promise.race([this.process.exit, new Promise((resolve) => setTimeout(resolve, GRACE))]);
    }
    // Only now, when the server has withdrawn its questions: a feature that closes one earlier answers it with a no.
    for (const disposable of this.attached.splice(0)) disposable.dispose();
  }
}

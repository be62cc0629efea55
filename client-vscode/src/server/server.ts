/** The language server as the rest of the extension sees it: state, commands, events. */

import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";
import { t } from "../l10n";
import type { Commands, Event, SteersmanOptions } from "../protocol";
import { Connection } from "./connection";
import type { SteersmanProgram } from "./find";
import { lacksModule, mismatch } from "./handshake";
import { type Clock, Lifecycle, type Opened, type ServerState } from "./lifecycle";
import { asRefused, Refused } from "./refused";
import type { ProcessCommand } from "./serverProcess";

export const EVENT_TOKEN = "steersman-vscode-events";
export const PROTOCOL_VERSION = "1";

/** What one room of the extension negotiates with the server, and the handlers that it registers. */
export interface ClientFeature {
  /** Its part of `initializationOptions.steersman`; read again for each client. */
  readonly options: Partial<SteersmanOptions>;
  /** Hooks of several features are nested, the first feature's outermost. */
  readonly middleware?: Middleware;
  /** Registers handlers of requests and notifications; called for each new client, before it starts. */
  attach(client: LanguageClient): vscode.Disposable[];
  /** Called when the server answers `initialize`. */
  started?(client: LanguageClient): void;
}

/** How to start a server. */
export interface Launch {
  readonly program: SteersmanProgram;
  readonly env: NodeJS.ProcessEnv;
  /** Called if the installation turns out to be incomplete, so that it is not used again. */
  readonly discard?: () => Promise<void>;
}

/** Finds or installs a server and reports its steps. Throws a `ServerProblem`, or whatever `signal` was aborted with. */
export type Launcher = (step: (text: string) => void, signal: AbortSignal) => Promise<Launch>;

const CLOCK: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export class Server implements vscode.Disposable {
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly events = new vscode.EventEmitter<Event>();
  private readonly lifecycle: Lifecycle<Connection>;
  /** How the latest server was started. */
  private launched: Launch | undefined;

  readonly onDidChangeState = this.states.event;
  /** Every event of every session, as it comes. */
  readonly onEvent = this.events.event;

  constructor(
    private readonly launch: Launcher,
    private readonly features: readonly ClientFeature[],
    private readonly log: vscode.LogOutputChannel,
    private readonly trace: vscode.LogOutputChannel,
    private readonly extensionVersion: string,
  ) {
    this.lifecycle = new Lifecycle((step, signal) => this.open(step, signal), CLOCK, {
      became: (state, connection) => this.became(state, connection),
      failed: (why) => this.log.error(why instanceof Error ? why : String(why)),
    });
  }

  get state(): ServerState {
    return this.lifecycle.state;
  }

  get lastLaunch(): Launch | undefined {
    return this.launched;
  }

  /** Starts the server if none was started yet. Never throws: a failure is a state, which stays until `restart`. */
  start(): Promise<void> {
    return this.lifecycle.start();
  }

  /** Stops the server, if any, and starts it again because the user asked for it; earlier crashes don't count. */
  restart(): Promise<void> {
    return this.lifecycle.restart();
  }

  /** The window closes: the server is asked to end and has a moment for it. If it needs longer, it ends by itself. */
  deactivate(): Promise<void> {
    return this.lifecycle.deactivate();
  }

  /**
   * Runs a command of the server, which is started if necessary.
   *
   * @throws Refused with the server's code, or `noServer`.
   */
  async execute<K extends keyof Commands>(
    command: K,
    params: Exclude<Commands[K]["params"], string>,
  ): Promise<Commands[K]["answer"]> {
    return this.request<Commands[K]["answer"]>("workspace/executeCommand", { command, arguments: [params] });
  }

  /** Sends a request of this protocol. The server is started, and the request refused, as in `execute`. */
  async request<Answer>(method: string, params: object): Promise<Answer> {
    const client = await this.running();
    try {
      return await client.sendRequest<Answer>(method, params);
    } catch (error) {
      throw asRefused(error);
    }
  }

  dispose(): void {
    void this.deactivate();
    this.states.dispose();
    this.events.dispose();
  }

  private async running(): Promise<LanguageClient> {
    await this.start();
    const { live, state } = this.lifecycle;
    if (live) return live.client;
    throw new Refused(state.kind === "failed" ? state.problem.message : t("The server is not running."), "noServer");
  }

  private async open(step: (text: string) => void, signal: AbortSignal): Promise<Opened<Connection>> {
    step(t("Looking for the server"));
    const launch = await this.launch(step, signal);
    signal.throwIfAborted();
    this.launched = launch;
    step(t("Starting the server"));
    const connection = await this.connect(launch);
    try {
      const welcome = await connection.start(signal);
      const wrong = mismatch(welcome, launch.program, this.extensionVersion);
      if (wrong) throw wrong;
      return { live: connection, ...welcome };
    } catch (error) {
      if (lacksModule(connection.process.stderr)) await launch.discard?.();
      await connection.close(0);
      throw error;
    }
  }

  private connect({ program, env }: Launch): Promise<Connection> {
    const how: ProcessCommand = { command: program.command, args: [...program.args, "serve"], env };
    this.log.info(`Starting ${[how.command, ...how.args].join(" ")}`);
    return Connection.open(how, {
      name: `Steersman ${this.extensionVersion}`,
      program,
      options: { version: PROTOCOL_VERSION, eventToken: EVENT_TOKEN },
      features: this.features,
      log: this.log,
      trace: this.trace,
      onEvent: (event) => this.events.fire(event),
    });
  }

  private became(state: ServerState, connection: Connection | undefined): void {
    if (state.kind === "running" && connection) {
      this.log.info(`Steersman ${state.version} runs (process ${connection.process.child.pid})`);
    }
    this.states.fire(state);
    if (state.kind !== "running" || !connection) return;
    for (const feature of this.features) feature.started?.(connection.client);
  }
}

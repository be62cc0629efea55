/** The language server as the rest of the extension sees it: its state, its commands, its events. */

import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";
import { t } from "../l10n";
import type { Commands, Event, ServerFeatures, SteersmanOptions } from "../protocol";
import { Connection, type Welcome } from "./connection";
import type { SteersmanProgram } from "./find";
import { asProblem, commandButton, logButton, type Problem } from "./problem";
import { asRefused, Refused } from "./refused";
import { CrashLimit, SingleFlight } from "./restarts";
import type { ProcessCommand } from "./serverProcess";
import { lacksModule, mismatch } from "./handshake";

export const EVENT_TOKEN = "steersman-vscode-events";
export const PROTOCOL_VERSION = "1";

export type ServerState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting"; readonly step: string }
  | { readonly kind: "running"; readonly version: string; readonly features: ServerFeatures }
  | { readonly kind: "failed"; readonly problem: Problem };

/** What one room of the extension negotiates, and how it listens once there is a client. */
export interface ClientFeature {
  /** Its part of `initializationOptions.steersman`; looked at anew for each client. */
  readonly options: Partial<SteersmanOptions>;
  /** Hooks that several features have are put around each other, the first feature's outermost. */
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
  /** Called when what was found turns out to lack a part of its own: it is not to be found again. */
  readonly discard?: () => Promise<void>;
}

/** Finds a server or makes one; tells its steps and throws a `ServerProblem`, or what `signal` was aborted with. */
export type Launcher = (step: (text: string) => void, signal: AbortSignal) => Promise<Launch>;

/** Milliseconds that a server has to end what it does. At deactivation the editor gives less. */
const PATIENCE = { restart: 8000, deactivation: 1500 };

export class Server implements vscode.Disposable {
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly events = new vscode.EventEmitter<Event>();
  private connection: Connection | undefined;
  private starting: Promise<void> | undefined;
  private launching: AbortController | undefined;
  private waiting: NodeJS.Timeout | undefined;
  private disposed = false;
  private now: ServerState = { kind: "stopped" };
  private readonly crashes = new CrashLimit();
  private readonly restarts = new SingleFlight(() => this.restartOnce());
  /** How the last server was started. */
  private launched: Launch | undefined;

  readonly onDidChangeState = this.states.event;
  /** Every event of every session, as it came. */
  readonly onEvent = this.events.event;

  constructor(
    private readonly launch: Launcher,
    private readonly features: readonly ClientFeature[],
    private readonly log: vscode.LogOutputChannel,
    private readonly trace: vscode.LogOutputChannel,
    private readonly extensionVersion: string,
  ) {}

  get state(): ServerState {
    return this.now;
  }

  get lastLaunch(): Launch | undefined {
    return this.launched;
  }

  /** Starts the server where there was none yet. Never throws: a failure is a state, and stays until `restart`. */
  start(): Promise<void> {
    if (this.now.kind === "stopped") return this.begin();
    return this.starting ?? Promise.resolve();
  }

  /** Stops what there is and starts anew, as the user says; crashes before this don't count. */
  restart(): Promise<void> {
    this.crashes.forget();
    // What is looked for or made has to be looked for anew: the user has changed something.
    if (this.now.kind === "starting") this.launching?.abort(new Error(t("It is started anew.")));
    return this.restarts.run();
  }

  async stop(): Promise<void> {
    await this.starting;
    await this.close(PATIENCE.restart);
    this.become({ kind: "stopped" });
  }

  /** The window closes: what runs is told, and has a moment to end. It ends by itself if it needs longer. */
  async deactivate(): Promise<void> {
    this.disposed = true;
    this.launching?.abort(new Error(t("The window is closed.")));
    await this.drop()?.leave(PATIENCE.deactivation);
  }

  /**
   * Runs a command of the server, which is started first if it isn't running.
   *
   * @throws Refused with the server's code, or `noServer`.
   */
  async execute<K extends keyof Commands>(
    command: K,
    params: Exclude<Commands[K]["params"], string>,
  ): Promise<Commands[K]["answer"]> {
    return this.request<Commands[K]["answer"]>("workspace/executeCommand", { command, arguments: [params] });
  }

  /** A request of this protocol's, started and refused as in `execute`. */
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
    if (this.connection && this.now.kind === "running") return this.connection.client;
    const why = this.now.kind === "failed" ? this.now.problem.message : t("The server is not running.");
    throw new Refused(why, "noServer");
  }

  private async restartOnce(): Promise<void> {
    await this.stop();
    if (!this.disposed) await this.begin();
  }

  private begin(): Promise<void> {
    clearTimeout(this.waiting);
    this.starting ??= this.beginOnce().finally(() => (this.starting = undefined));
    return this.starting;
  }

  private async beginOnce(): Promise<void> {
    this.launching = new AbortController();
    const { signal } = this.launching;
    try {
      const step = (text: string): void => this.become({ kind: "starting", step: text });
      step(t("Looking for the server"));
      const launch = await this.launch(step, signal);
      signal.throwIfAborted();
      this.launched = launch;
      step(t("Starting the server"));
      await this.connect(launch, signal);
    } catch (error) {
      await this.close(0);
      // A restart is on its way, or the window closes: that says what is next.
      if (signal.aborted) return;
      this.log.error(error instanceof Error ? error : String(error));
      this.become({ kind: "failed", problem: asProblem(error) });
    }
  }

  private async connect(launch: Launch, signal: AbortSignal): Promise<void> {
    const { command, args } = launch.program;
    const how: ProcessCommand = { command, args: [...args, "serve"], env: launch.env };
    this.log.info(`Starting ${[how.command, ...how.args].join(" ")}`);
    const connection = await Connection.open(how, {
      name: `Steersman ${this.extensionVersion}`,
      program: launch.program,
      options: { version: PROTOCOL_VERSION, eventToken: EVENT_TOKEN },
      features: this.features,
      log: this.log,
      trace: this.trace,
      onEvent: (event) => this.events.fire(event),
    });
    this.connection = connection;
    const welcome = await connection.start(signal).catch(async (error: unknown) => {
      if (lacksModule(connection.process.stderr)) await launch.discard?.();
      throw error;
    });
    const wrong = mismatch(welcome, launch.program, this.extensionVersion);
    if (wrong) throw wrong;
    void connection.process.exit.then(() => this.ended(connection));
    this.greet(connection, welcome);
  }

  private greet(connection: Connection, { version, features }: Welcome): void {
    this.log.info(`Steersman ${version} runs (process ${connection.process.child.pid})`);
    this.become({ kind: "running", version, features });
    for (const feature of this.features) feature.started?.(connection.client);
  }

  /** The process has ended. If nobody asked it to, it is started again, but not without end. */
  private ended(connection: Connection): void {
    if (connection !== this.connection || this.disposed) return;
    this.connection = undefined;
    void connection.close(0);
    const ending = connection.process.ending ?? "";
    const wait = this.crashes.crashed(Date.now());
    this.log.error(`The server has ended: ${ending}`);
    const message =
      wait === undefined
        ? t("The server has ended unexpectedly several times ({0}).", ending)
        : t("The server has ended unexpectedly ({0}). It is started again in {1} s.", ending, wait / 1000);
    const { stderr } = connection.process;
    const buttons = [commandButton(t("Restart now"), "steersman.ui.restart"), logButton()];
    this.become({ kind: "failed", problem: { message, ...(stderr === "" ? {} : { detail: stderr }), buttons } });
    if (wait !== undefined) this.waiting = setTimeout(() => void this.begin(), wait);
  }

  private async close(patience: number): Promise<void> {
    await this.drop()?.close(patience);
  }

  private drop(): Connection | undefined {
    clearTimeout(this.waiting);
    const connection = this.connection;
    this.connection = undefined;
    return connection;
  }

  private become(state: ServerState): void {
    if (this.disposed) return;
    this.now = state;
    this.states.fire(state);
  }
}

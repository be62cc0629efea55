/** The language server as the rest of the extension sees it: its state, its commands, its events. */

import * as vscode from "vscode";
import {
  ExecuteCommandRequest,
  LanguageClient,
  ProgressType,
  RevealOutputChannelOn,
  type Executable,
  type LanguageClientOptions,
  type Middleware,
} from "vscode-languageclient/node";
import type { Commands, Event, ExperimentalCapabilities, ServerFeatures, SteersmanOptions } from "../protocol";
import { asProblem, type Problem } from "./problem";
import { asRefused, Refused } from "./refused";

export const EVENT_TOKEN = "steersman-vscode-events";
export const PROTOCOL_VERSION = "1";

export type ServerState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting"; readonly step: string }
  | { readonly kind: "running"; readonly version: string; readonly features: ServerFeatures }
  | { readonly kind: "failed"; readonly problem: Problem };

/** What one room of the extension negotiates, and how it listens once there is a client. */
export interface ClientFeature {
  /** Its part of `initializationOptions.steersman`. */
  readonly options: Partial<SteersmanOptions>;
  readonly middleware?: Middleware;
  /** Registers handlers of requests and notifications; called for each new client, before it starts. */
  attach(client: LanguageClient): vscode.Disposable[];
  /** Called when the server answers `initialize`. */
  started?(client: LanguageClient): void;
}

/** How to start a server: found or made by `launch`, which tells its steps and throws a `ServerProblem`. */
export interface Launch {
  readonly executable: Executable;
}

export type Launcher = (step: (text: string) => void) => Promise<Launch>;

export class Server implements vscode.Disposable {
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly events = new vscode.EventEmitter<Event>();
  private client: LanguageClient | undefined;
  private attached: vscode.Disposable[] = [];
  private starting: Promise<void> | undefined;
  private now: ServerState = { kind: "stopped" };

  readonly onDidChangeState = this.states.event;
  /** Every event of every session, as it came. */
  readonly onEvent = this.events.event;

  constructor(
    private readonly launch: Launcher,
    private readonly features: readonly ClientFeature[],
    private readonly log: vscode.LogOutputChannel,
    private readonly extensionVersion: string,
  ) {}

  get state(): ServerState {
    return this.now;
  }

  /** Starts the server unless it runs or is starting. Never throws: a failure is a state. */
  start(): Promise<void> {
    if (this.now.kind === "running") return Promise.resolve();
    this.starting ??= this.begin().finally(() => (this.starting = undefined));
    return this.starting;
  }

  async restart(): Promise<void> {
    await this.starting;
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    for (const disposable of this.attached.splice(0)) disposable.dispose();
    if (client?.needsStop()) await client.stop().catch((error: unknown) => this.log.warn(String(error)));
    this.become({ kind: "stopped" });
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
    const client = await this.running();
    try {
      return (await client.sendRequest(ExecuteCommandRequest.type, {
        command,
        arguments: [params],
      })) as Commands[K]["answer"];
    } catch (error) {
      throw asRefused(error);
    }
  }

  /** A request of this protocol's that is no command. */
  async request<Answer>(method: string, params: object): Promise<Answer> {
    const client = await this.running();
    try {
      return await client.sendRequest<Answer>(method, params);
    } catch (error) {
      throw asRefused(error);
    }
  }

  dispose(): void {
    void this.stop();
    this.states.dispose();
    this.events.dispose();
  }

  private async running(): Promise<LanguageClient> {
    await this.start();
    if (this.client && this.now.kind === "running") return this.client;
    const why = this.now.kind === "failed" ? this.now.problem.message : "The server is not running.";
    throw new Refused(why, "noServer");
  }

  private async begin(): Promise<void> {
    try {
      this.become({ kind: "starting", step: "Looking for the server" });
      const { executable } = await this.launch((step) => this.become({ kind: "starting", step }));
      this.become({ kind: "starting", step: "Starting the server" });
      const client = this.make(executable);
      this.client = client;
      for (const feature of this.features) this.attached.push(...feature.attach(client));
      this.attached.push(
        client.onProgress(new ProgressType<Event>(), EVENT_TOKEN, (event) => this.events.fire(event)),
      );
      await client.start();
      const result = client.initializeResult;
      const experimental = result?.capabilities.experimental as ExperimentalCapabilities | undefined;
      if (!experimental?.steersman) throw new Error("what was started is no Steersman server");
      this.become({
        kind: "running",
        version: result?.serverInfo?.version ?? "",
        features: experimental.steersman,
      });
      for (const feature of this.features) feature.started?.(client);
    } catch (error) {
      this.log.error(error instanceof Error ? error : String(error));
      this.client = undefined;
      for (const disposable of this.attached.splice(0)) disposable.dispose();
      this.become({ kind: "failed", problem: asProblem(error) });
    }
  }

  private make(executable: Executable): LanguageClient {
    const steersman: Partial<SteersmanOptions> = Object.assign(
      { version: PROTOCOL_VERSION, eventToken: EVENT_TOKEN },
      ...this.features.map((feature) => feature.options),
    ) as Partial<SteersmanOptions>;
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: "file" }],
      initializationOptions: { steersman },
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: Object.assign({}, ...this.features.map((feature) => feature.middleware)) as Middleware,
    };
    return new LanguageClient("steersman", `Steersman ${this.extensionVersion}`, executable, options);
  }

  private become(state: ServerState): void {
    this.now = state;
    this.states.fire(state);
  }
}

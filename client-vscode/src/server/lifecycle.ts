/**
 * When a server starts, is given up, ends and restarts, and its state meanwhile. It knows no editor and no protocol: how a
 * server is opened, and the clock, are passed in.
 */

import { t } from "../l10n";
import type { ServerFeatures } from "../protocol";
import { SingleFlight } from "../singleFlight";
import { asProblem, commandButton, logButton, type Problem } from "./problem";
import { CrashLimit } from "./restarts";

export type ServerState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting"; readonly step: string }
  | { readonly kind: "running"; readonly version: string; readonly features: ServerFeatures }
  | { readonly kind: "failed"; readonly problem: Problem };

/** A server that has answered `initialize`. */
export interface Live {
  readonly process: {
    /** Resolves when it has ended. */
    readonly exit: Promise<unknown>;
    /** How it ended, for a person; undefined while it runs. */
    readonly ending: string | undefined;
    /** The last lines of its standard error. */
    readonly stderr: string;
  };
  /** Asks it to end, and kills it after about `patience` milliseconds. Never throws. */
  close(patience: number): Promise<void>;
  /** Asks it to end and waits for `patience` milliseconds; after that it ends by itself. */
  leave(patience: number): Promise<void>;
}

export interface Opened<L> {
  readonly live: L;
  readonly version: string;
  readonly features: ServerFeatures;
}

/** Opens a server and reports its steps. It throws why there is none, or whatever `signal` was aborted with. */
export type Open<L> = (step: (text: string) => void, signal: AbortSignal) => Promise<Opened<L>>;

export interface Clock {
  /** Milliseconds since some fixed time. */
  now(): number;
  /** Calls `run` after `ms` milliseconds; the returned function cancels that. */
  after(ms: number, run: () => void): () => void;
}

export interface Listener<L> {
  became(state: ServerState, live: L | undefined): void;
  /** For the log. */
  failed(why: unknown): void;
}

/** Milliseconds that a server has to finish. VS Code allows less at deactivation. */
const PATIENCE = { restart: 8000, deactivation: 1500 };

export class Lifecycle<L extends Live> {
  private now: ServerState = { kind: "stopped" };
  private connection: L | undefined;
  private starting: Promise<void> | undefined;
  private launching: AbortController | undefined;
  private stopWaiting: () => void = () => undefined;
  private disposed = false;
  private readonly crashes = new CrashLimit();
  private readonly restarts = new SingleFlight(() => this.restartOnce());

  constructor(
    private readonly open: Open<L>,
    private readonly clock: Clock,
    private readonly listener: Listener<L>,
  ) {}

  get state(): ServerState {
    return this.now;
  }

  /** The server, while it runs. */
  get live(): L | undefined {
    return this.now.kind === "running" ? this.connection : undefined;
  }

  /** Starts the server if none was started yet. Never throws: a failure is a state, which stays until `restart`. */
  start(): Promise<void> {
    if (this.now.kind === "stopped") return this.begin();
    return this.starting ?? Promise.resolve();
  }

  /** Stops the server, if any, and starts it again because the user asked for it; earlier crashes don't count. */
  restart(): Promise<void> {
    this.crashes.forget();
    // The user may have changed something, so the search begins again.
    if (this.now.kind === "starting") this.launching?.abort(new Error(t("It is being restarted.")));
    return this.restarts.run();
  }

  async stop(): Promise<void> {
    await this.starting;
    await this.drop()?.close(PATIENCE.restart);
    this.become({ kind: "stopped" });
  }

  /** The window closes: the server is asked to end and has a moment for it. If it needs longer, it ends by itself. */
  async deactivate(): Promise<void> {
    this.disposed = true;
    this.launching?.abort(new Error(t("The window is closed.")));
    await this.drop()?.leave(PATIENCE.deactivation);
  }

  private async restartOnce(): Promise<void> {
    await this.stop();
    await this.begin();
  }

  private begin(): Promise<void> {
    if (this.disposed) return Promise.resolve();
    this.stopWaiting();
    this.starting ??= this.beginOnce().finally(() => (this.starting = undefined));
    return this.starting;
  }

  private async beginOnce(): Promise<void> {
    this.launching = new AbortController();
    const { signal } = this.launching;
    try {
      const opened = await this.open((step) => this.become({ kind: "starting", step }), signal);
      if (signal.aborted) await opened.live.close(0);
      else this.greet(opened);
    } catch (error) {
      // A restart follows, or the window closes.
      if (signal.aborted) return;
      this.listener.failed(error);
      this.become({ kind: "failed", problem: asProblem(error) });
    }
  }

  private greet({ live, version, features }: Opened<L>): void {
    this.connection = live;
    this.become({ kind: "running", version, features });
    void live.process.exit.then(() => this.ended(live));
  }

  /** The process has ended. If nobody asked it to, it is restarted, but not endlessly. */
  private ended(live: L): void {
    if (live !== this.connection || this.disposed) return;
    this.connection = undefined;
    void live.close(0);
    const { stderr, ending = "" } = live.process;
    const wait = this.crashes.crashed(this.clock.now());
    this.listener.failed(new Error(`The server has ended: ${ending}`));
    const message =
      wait === undefined
        ? t("The server has ended unexpectedly several times ({0}).", ending)
        : t("The server has ended unexpectedly ({0}). It restarts in {1} s.", ending, wait / 1000);
    const buttons = [commandButton(t("Restart now"), "steersman.ui.restart"), logButton()];
    this.become({ kind: "failed", problem: { message, ...(stderr === "" ? {} : { detail: stderr }), buttons } });
    if (wait !== undefined) this.stopWaiting = this.clock.after(wait, () => void this.begin());
  }

  private drop(): L | undefined {
    this.stopWaiting();
    const { connection } = this;
    this.connection = undefined;
    return connection;
  }

  private become(state: ServerState): void {
    if (this.disposed) return;
    this.now = state;
    this.listener.became(state, this.connection);
  }
}

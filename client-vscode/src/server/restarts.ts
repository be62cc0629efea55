/** When the server is started again: not endlessly after crashes, and not while a run is live. Pure. */

const CRASHES = 3;
const WITHIN = 3 * 60_000;

/** How long to wait before a server that has crashed is started again. */
export class CrashLimit {
  private crashes: number[] = [];

  /** Milliseconds to wait; undefined: it has crashed too often to be started again. `now` in milliseconds. */
  crashed(now: number): number | undefined {
    this.crashes = [...this.crashes.filter((at) => now - at < WITHIN), now];
    return this.crashes.length > CRASHES ? undefined : 1000 * 2 ** (this.crashes.length - 1);
  }

  /** The user has asked for a start: earlier crashes don't count. */
  forget(): void {
    this.crashes = [];
  }
}

/** Restarts the server after its environment has changed, once no run is live. */
export class PendingRestart {
  private wanted = false;

  constructor(
    private readonly hooks: {
      readonly isLive: () => boolean;
      /** A server is running or starting. */
      readonly isUp: () => boolean;
      readonly restart: () => void;
      /** Tells the user that the change waits for a run. */
      readonly wait: () => void;
    },
  ) {}

  changed(): void {
    if (!this.hooks.isUp()) return;
    if (!this.hooks.isLive()) return this.now();
    if (!this.wanted) this.hooks.wait();
    this.wanted = true;
  }

  /** A run has ended, perhaps the last. */
  settled(): void {
    if (this.wanted && !this.hooks.isLive()) this.now();
  }

  /** A server has started, with the changed environment. */
  started(): void {
    this.wanted = false;
  }

  private now(): void {
    this.wanted = false;
    this.hooks.restart();
  }
}

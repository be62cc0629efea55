/** When the server is started again: one restart at a time, and not without end after crashes. Pure. */

/** Runs one action at a time. Whoever asks meanwhile shares the one that follows. */
export class SingleFlight {
  private live: Promise<void> | undefined;
  private queued: Promise<void> | undefined;

  constructor(private readonly action: () => Promise<void>) {}

  /** Resolves when an action that began after this call has ended. */
  run(): Promise<void> {
    if (!this.live) return (this.live = this.action().finally(() => (this.live = undefined)));
    this.queued ??= this.live
      .catch(() => undefined)
      .then(() => {
        this.queued = undefined;
        return this.run();
      });
    return this.queued;
  }
}

const CRASHES = 3;
const WITHIN = 3 * 60_000;

/** How long to wait before the server is started again after it has ended by itself. */
export class CrashLimit {
  private crashes: number[] = [];

  /** Milliseconds to wait; undefined: it has crashed too often, leave it. `now` in milliseconds. */
  crashed(now: number): number | undefined {
    this.crashes = [...this.crashes.filter((at) => now - at < WITHIN), now];
    return this.crashes.length > CRASHES ? undefined : 1000 * 2 ** (this.crashes.length - 1);
  }

  /** The user has asked for a start: what was before doesn't count. */
  forget(): void {
    this.crashes = [];
  }
}

/** Something about the server's environment is another: it is started again when that stops nobody's run. */
export class PendingRestart {
  private wanted = false;

  constructor(
    private readonly hooks: {
      readonly isLive: () => boolean;
      /** A server runs or is starting; what is not there needs no restart. */
      readonly isUp: () => boolean;
      readonly restart: () => void;
      /** A run is live: the user is told that the change waits. */
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

  /** A server has started: it has what there is. */
  started(): void {
    this.wanted = false;
  }

  private now(): void {
    this.wanted = false;
    this.hooks.restart();
  }
}

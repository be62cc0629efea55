/** One action at a time, however often it is asked for. Pure. */

export class SingleFlight {
  private live: Promise<void> | undefined;
  private queued: Promise<void> | undefined;

  constructor(private readonly action: () => Promise<void>) {}

  /** Runs the action, or, if it is running, runs it once more afterwards for all who ask meanwhile. */
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

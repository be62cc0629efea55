/** Does work once for many requests, and only while a view is visible. It knows a timer but no editor. */

export type Later = (work: () => void) => { cancel(): void };

export class WhileVisible {
  private looking = false;
  private wanted = false;
  private waiting: { cancel(): void } | undefined;

  constructor(
    private readonly work: () => void,
    private readonly later: Later,
  ) {}

  /** Requests the work. Requests before it is done count as one; those while the view is hidden wait until it is visible. */
  want(): void {
    this.wanted = true;
    if (this.looking) this.waiting ??= this.later(() => this.run());
  }

  /** The view was shown or hidden. What was requested while it was hidden is done at once. */
  set visible(visible: boolean) {
    this.looking = visible;
    if (!visible) this.cancel();
    else if (this.wanted) this.run();
  }

  dispose(): void {
    this.cancel();
    this.looking = false;
  }

  private run(): void {
    this.cancel();
    this.wanted = false;
    this.work();
  }

  private cancel(): void {
    this.waiting?.cancel();
    this.waiting = undefined;
  }
}

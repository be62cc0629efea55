/** Something that is done once for many wishes, and only while somebody looks. It knows a timer, no editor. */

export type Later = (work: () => void) => { cancel(): void };

export class WhileVisible {
  private looking = false;
  private wanted = false;
  private waiting: { cancel(): void } | undefined;

  constructor(
    private readonly work: () => void,
    private readonly later: Later,
  ) {}

  /** Wishes that come before it is done are one; those that come while nobody looks wait until somebody does. */
  want(): void {
    this.wanted = true;
    if (this.looking) this.waiting ??= this.later(() => this.run());
  }

  /** Somebody looks, or no longer does. What was wished for meanwhile is done at once. */
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

/**
 * Whether the view keeps to the end of what is told. Pure: it is told what the scroller does.
 *
 * Any move upward of the user's ends it, however small; reaching the end again, or the button, begins it anew. What the
 * page itself writes is no move of the user's.
 */

export interface Scrolled {
  readonly top: number;
  /** Pixels below what is seen. */
  readonly below: number;
}

/** A scroller's numbers are rounded, its positions are not. */
const ROUNDING = 2;

export class Follow {
  private on = true;
  private top = 0;
  private written: number | undefined;

  get following(): boolean {
    return this.on;
  }

  /** The page has scrolled to `top`. */
  wrote(top: number): void {
    if (top === this.top) return;
    this.written = top;
    this.top = top;
  }

  /** A scroll event. */
  scrolled({ top, below }: Scrolled): void {
    const before = this.top;
    this.top = top;
    if (this.written !== undefined && Math.abs(this.written - top) < 1) {
      this.written = undefined;
      return;
    }
    this.written = undefined;
    if (below <= ROUNDING) this.on = this.on || top > before;
    else if (top < before) this.on = false;
  }

  /** The user's wheel, finger or key has pushed upward: the scroll event comes later, maybe after more text. */
  pushedUp(): void {
    this.on = false;
  }

  toEnd(): void {
    this.on = true;
  }
}

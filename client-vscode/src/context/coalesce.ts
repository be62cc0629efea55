/** Reports frequent changes less often, in batches. Pure: the timer is passed in. */

/** Runs something after `ms` milliseconds. */
export type After = (ms: number, run: () => void) => { dispose(): void };

export interface Pace {
  /** Milliseconds from the first change to its batch, and from one batch to the next. */
  readonly delayMs: number;
  /** How many changes a batch has; the others wait for the next one. */
  readonly batch: number;
}

export class Coalescer<K> {
  private readonly waiting = new Set<K>();
  private timer: { dispose(): void } | undefined;

  /** `first`: whether a key goes before others that have waited longer. */
  constructor(
    private readonly send: (keys: readonly K[]) => void,
    private readonly pace: Pace,
    private readonly after: After = later,
    private readonly first: (key: K) => boolean = () => false,
  ) {}

  add(keys: Iterable<K>): void {
    for (const key of keys) this.waiting.add(key);
    if (this.waiting.size > 0) this.timer ??= this.after(this.pace.delayMs, () => this.tick());
  }

  /** Sends one batch now, and the rest in batches as usual. */
  begin(): void {
    this.timer?.dispose();
    if (this.waiting.size > 0) this.tick();
  }

  /** Sends everything that waits, now. */
  flush(): void {
    this.clear((keys) => this.send(keys));
  }

  /** Drops what waits, or passes it to `taken`. */
  clear(taken: (keys: readonly K[]) => void = () => undefined): void {
    this.timer?.dispose();
    this.timer = undefined;
    const keys = [...this.waiting];
    this.waiting.clear();
    if (keys.length > 0) taken(keys);
  }

  private tick(): void {
    this.timer = undefined;
    const keys = this.next();
    for (const key of keys) this.waiting.delete(key);
    if (this.waiting.size > 0) this.timer = this.after(this.pace.delayMs, () => this.tick());
    this.send(keys);
  }

  private next(): readonly K[] {
    const all = [...this.waiting];
    if (all.length <= this.pace.batch) return all;
    return [...all.filter((key) => this.first(key)), ...all.filter((key) => !this.first(key))].slice(0, this.pace.batch);
  }
}

/** By the runtime's timer. */
export function later(ms: number, run: () => void): { dispose(): void } {
  const timer = setTimeout(run, ms);
  return { dispose: () => clearTimeout(timer) };
}

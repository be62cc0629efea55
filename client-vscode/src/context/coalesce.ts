/** Things that change often, told seldom: each at most once in a while, so many at a time. Pure: the timer is handed in. */

/** Runs something later. `setTimeout` outside of tests. */
export type After = (ms: number, run: () => void) => { dispose(): void };

export interface Pace {
  /** Milliseconds from the first change to the telling of it, and from one batch to the next. */
  readonly delayMs: number;
  /** How many are told at a time; the others wait for the next. */
  readonly batch: number;
}

export class Coalescer<K> {
  private readonly waiting = new Set<K>();
  private timer: { dispose(): void } | undefined;

  /** `first` says of a key that it goes before those that wait longer. */
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

  /** Tells as many as come at a time, now; the others as ever. */
  begin(): void {
    this.timer?.dispose();
    if (this.waiting.size > 0) this.tick();
  }

  /** Tells all that waits, now. */
  flush(): void {
    this.clear((keys) => this.send(keys));
  }

  /** Forgets what waits. */
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

/** A timer of the runtime. */
export function later(ms: number, run: () => void): { dispose(): void } {
  const timer = setTimeout(run, ms);
  return { dispose: () => clearTimeout(timer) };
}

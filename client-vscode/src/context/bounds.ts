/** Limits work in number and time, and gives it up when nobody waits for it any more. Pure. */

import { later, type After } from "./coalesce";

/** It took too long. */
export class TooLong extends Error {}

/** Nobody waits for it any more. */
export class GivenUp extends Error {}

/** Enough of a `vscode.CancellationToken`. */
export interface Cancellation {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): { dispose(): void };
}

/**
 * The result of `work`. The work itself can't be stopped; a late result is dropped.
 *
 * @throws TooLong after `ms` milliseconds, GivenUp on cancellation.
 */
export function within<T>(
  work: PromiseLike<T>,
  ms: number,
  cancellation: Cancellation,
  after: After = later,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      timer.dispose();
      listening.dispose();
    };
    const timer = after(ms, () => {
      done();
      reject(new TooLong());
    });
    const listening = cancellation.onCancellationRequested(() => {
      done();
      reject(new GivenUp());
    });
    if (cancellation.isCancellationRequested) {
      done();
      reject(new GivenUp());
    }
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (error: unknown) => {
        done();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/** Runs at most `count` pieces of work at once; the others wait in order. */
export class Lanes {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}

/** Lets one window at a time work in a folder. A lock whose holder is gone is taken over: it has stopped beating. */

import { rm, open, stat, utimes } from "node:fs/promises";

export interface LockTimes {
  /** Milliseconds between two beats. */
  readonly beat: number;
  /** Milliseconds without a beat after which the holder is gone. */
  readonly stale: number;
  /** Milliseconds between two looks at a lock that another holds. */
  readonly look: number;
}

export const LOCK_TIMES: LockTimes = { beat: 1000, stale: 15_000, look: 300 };

/**
 * Runs `work` while holding the lock `file`; `waiting` is called once if another holds it.
 *
 * Two that take over a stale lock in the same moment can both go on: what is done under it must stand that.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  { signal, waiting, times = LOCK_TIMES }: { signal: AbortSignal; waiting: () => void; times?: LockTimes },
): Promise<T> {
  let told = false;
  while (!(await taken(file))) {
    if (await isStale(file, times.stale)) {
      await rm(file, { force: true });
      continue;
    }
    if (!told) waiting();
    told = true;
    await new Promise((resolve) => setTimeout(resolve, times.look));
    signal.throwIfAborted();
  }
  const beating = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, times.beat);
  try {
    return await work();
  } finally {
    clearInterval(beating);
    await rm(file, { force: true });
  }
}

async function taken(file: string): Promise<boolean> {
  try {
    await (await open(file, "wx")).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isStale(file: string, after: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > after;
}

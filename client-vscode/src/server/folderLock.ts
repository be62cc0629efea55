/** Lets one window at a time work in a folder. The holder touches the lock's file regularly; one that has stopped is gone. */

import { rm, open, stat, utimes } from "node:fs/promises";

export interface LockTimes {
  /** Milliseconds between two touches. */
  readonly beat: number;
  /** Milliseconds without a touch after which the lock is taken over. */
  readonly stale: number;
  /** Milliseconds between two looks at another window's lock. */
  readonly look: number;
}

export const LOCK_TIMES: LockTimes = { beat: 1000, stale: 15_000, look: 300 };

/**
 * Runs `work` while holding the lock `file`; calls `waiting` once if another window holds it.
 *
 * Two windows that take over a stale lock at the same moment may both go on: `work` must tolerate that.
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

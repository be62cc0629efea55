/** The mode that the user has chosen for each session. It outlives the server, so that a restart loosens nothing. */

import type { Mode } from "./messages";
import type { Keep } from "./undelivered";

type Named = NonNullable<Mode>;

const KEY = "steersman.modes";
const MOST = 100;

export class Modes {
  private readonly chosen: Map<string, Named>;

  constructor(private readonly keep: Keep) {
    const kept = keep.get(KEY) as Record<string, Named> | undefined;
    this.chosen = new Map(Object.entries(kept ?? {}));
  }

  of(session: string): Named | undefined {
    return this.chosen.get(session);
  }

  /** Only the strict modes survive a reload of the window: a looser one has to be chosen again. */
  choose(session: string, mode: Named): void {
    this.chosen.delete(session);
    this.chosen.set(session, mode);
    const strict = [...this.chosen].filter(([, each]) => each === "read-only" || each === "ask");
    void this.keep.update(KEY, Object.fromEntries(strict.slice(-MOST)));
  }
}

/**
 * Returns what was said but never reached the model, once, so that it can be sent again: after an abort, a crash of the
 * server, or a reload of the window. It knows neither the editor nor the page.
 */

import type { Event } from "../protocol";

/** Storage that survives a reload, like VS Code's `Memento`. */
export interface Keep {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

interface Kept {
  /** Runs that this window has seen begin but not end. */
  readonly runs: readonly string[];
  /** What waits to be returned, by session. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

const KEY = "steersman.undelivered";
const MOST_RUNS = 50;

export class Undelivered {
  private runs: string[];
  private texts: Map<string, readonly string[]>;

  constructor(private readonly keep: Keep) {
    const kept = keep.get(KEY) as Kept | undefined;
    this.runs = [...(kept?.runs ?? [])];
    this.texts = new Map(Object.entries(kept?.texts ?? {}));
  }

  /**
   * Takes in an event of the stream or of a log. An `agent_end` counts once, and only if this window has seen its run begin:
   * old runs in a log that is read again return nothing.
   */
  ended(event: Event): void {
    const { run, session } = event;
    if (event.type !== "agent_end" || run === undefined || !this.runs.includes(run)) return;
    this.runs = this.runs.filter((each) => each !== run);
    const texts = event.data.undelivered.filter((input) => input.source === undefined).map((input) => input.text);
    if (texts.length > 0) this.texts.set(session, [...(this.texts.get(session) ?? []), ...texts]);
    this.save();
  }

  /** A run has begun, according to an event or an answer. */
  began(run: string): void {
    if (this.runs.includes(run)) return;
    this.runs = [...this.runs, run].slice(-MOST_RUNS);
    this.save();
  }

  /** Takes out the texts that return to this session. */
  take(session: string): readonly string[] {
    const texts = this.texts.get(session) ?? [];
    if (this.texts.delete(session)) this.save();
    return texts;
  }

  private save(): void {
    const kept: Kept = { runs: this.runs, texts: Object.fromEntries(this.texts) };
    void this.keep.update(KEY, kept);
  }
}

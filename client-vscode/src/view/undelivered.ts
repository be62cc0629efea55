/**
 * What was said and never reached the model comes back, once, to be sent again: after an abort, after a crash of the
 * server, after a reload of the window. It knows what is kept over a reload, neither editor nor page.
 */

import type { Event } from "../protocol";

/** As a `Memento` of the editor. */
export interface Keep {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

interface Kept {
  /** Runs that this window has seen begin, and not end. */
  readonly runs: readonly string[];
  /** What waits to be brought back, by session. */
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
   * An event, of the stream or from a log. An `agent_end` counts once, and only if this window has seen its run begin:
   * in a log that is read again, the ends of old runs bring nothing back.
   */
  ended(event: Event): void {
    const { run, session } = event;
    if (event.type !== "agent_end" || run === undefined || !this.runs.includes(run)) return;
    this.runs = this.runs.filter((each) => each !== run);
    const texts = event.data.undelivered.filter((input) => input.source === undefined).map((input) => input.text);
    if (texts.length > 0) this.texts.set(session, [...(this.texts.get(session) ?? []), ...texts]);
    this.save();
  }

  /** A run began now: by an event of the stream, or by an answer. */
  began(run: string): void {
    if (this.runs.includes(run)) return;
    this.runs = [...this.runs, run].slice(-MOST_RUNS);
    this.save();
  }

  /** Texts that come back to this session, which are no longer kept here then. */
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

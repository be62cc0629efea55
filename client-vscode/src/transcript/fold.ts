/**
 * Folds a session's events into a transcript. Pure: the page shows it, tests replay logs through it.
 *
 * Durable events come in order (see `SessionFeed`), transient ones at any time. What is still open (an answer being streamed,
 * a summary being written) stays at the end until the event that closes it gives it its place, so that a log alone and a live
 * stream give the same transcript.
 */

import type { Event, StreamedMessage, UsageData } from "../protocol";
import type { CompactionEntry, Entry, RetryEntry } from "./entries";
import { EMPTY, shownOf, type LedgerState } from "./ledger";
import { openEntries, type OpenMessage } from "./streamed";
import { NO_USAGE } from "./usage";
import type { Whereabouts } from "./whereabouts";
import { Writer } from "./writer";

/** The state that the next events are applied to. Of no interest to whoever shows the transcript. */
export interface Memory {
  readonly ledger: LedgerState;
  /** Messages that are being streamed. */
  readonly open: ReadonlyMap<string, OpenMessage>;
  /** Ids of answers that were not committed. */
  readonly discarded: ReadonlySet<string>;
  /** The summary that is being written. */
  readonly compacting: CompactionEntry | null;
  /** A response that will be requested again. This event comes before the one with what had been received of it. */
  readonly retrying: RetryEntry | null;
  readonly reverting: string | null;
  /** Runs that have begun, and when. */
  readonly runs: ReadonlyMap<string, number>;
  readonly config: { readonly model: string | null; readonly mode: string | null } | null;
  readonly roots: readonly string[];
  /** Numbers the entries that have no id from an event. */
  readonly counted: number;
  readonly usage: UsageData;
  readonly window: number | null;
  readonly whereabouts: Whereabouts;
}

export interface Transcript {
  /** The entries of the current branch, oldest first. An entry that changes becomes a new object. */
  readonly entries: readonly Entry[];
  /** The whole session's usage so far. */
  readonly usage: UsageData;
  /** Tokens in the context, according to the last answer's usage. */
  readonly contextTokens: number;
  /** Context window of the last run's model, in tokens; null: not known. */
  readonly window: number | null;
  /** URIs of the session's folders; the first is its own. */
  readonly roots: readonly string[];
  /** Where files are that have been moved or deleted. */
  readonly whereabouts: Whereabouts;
  readonly memory: Memory;
}

const NOTHING: Transcript = {
  entries: [],
  usage: NO_USAGE,
  contextTokens: 0,
  window: null,
  roots: [],
  whereabouts: new Map(),
  memory: {
    ledger: EMPTY,
    open: new Map(),
    discarded: new Set(),
    compacting: null,
    retrying: null,
    reverting: null,
    runs: new Map(),
    config: null,
    roots: [],
    counted: 0,
    usage: NO_USAGE,
    window: null,
    whereabouts: new Map(),
  },
};

export function emptyTranscript(): Transcript {
  return NOTHING;
}

/** The transcript after more events. */
export function fold(transcript: Transcript, events: readonly Event[]): Transcript {
  const writer = new Writer(transcript.memory);
  for (const event of events) writer.apply(event);
  return written(transcript, writer.memory);
}

/** The transcript with the message that is being streamed, as answered to a question: its blocks from offset 0. */
export function streaming(transcript: Transcript, message: StreamedMessage): Transcript {
  const writer = new Writer(transcript.memory);
  writer.streaming(message);
  return written(transcript, writer.memory);
}

function written(before: Transcript, memory: Memory): Transcript {
  const { ledger, open, retrying, compacting, usage } = memory;
  const tail: Entry[] = [...open.values()].flatMap(openEntries);
  if (retrying) tail.push(retrying);
  if (compacting) tail.push(compacting);
  const settled = shownOf(ledger);
  const entries = tail.length > 0 ? [...settled, ...tail] : settled;
  const tokens = ledger.tip === null ? null : ledger.nodes.get(ledger.tip)?.tokens;
  return {
    entries: sameEntries(before.entries, entries) ? before.entries : entries,
    usage,
    contextTokens: tokens ?? 0,
    window: memory.window,
    roots: memory.roots,
    whereabouts: memory.whereabouts,
    memory,
  };
}

/** Components compare the array's identity to find out whether anything has changed. */
function sameEntries(before: readonly Entry[], after: readonly Entry[]): boolean {
  return before === after || (before.length === after.length && before.every((entry, i) => entry === after[i]));
}

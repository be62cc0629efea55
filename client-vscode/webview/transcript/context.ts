/** What every entry's component is given, without passing it through each of those between. */

import { createContext } from "preact";
import { useContext, useReducer } from "preact/hooks";
import type { Whereabouts } from "../../src/transcript/whereabouts";
import type { Bridge } from "../bridge";
import type { Store } from "../store";
import type { Act } from "./act";

export interface TranscriptContext {
  readonly store: Store;
  readonly bridge: Bridge;
  readonly act: Act;
  /** Where the files are that have been moved or deleted. */
  readonly whereabouts: Whereabouts;
  /** What the user has opened or folded, by a key of his choice: rows of a virtualised list come and go. */
  readonly folds: Map<string, boolean>;
  /** Shows, under the entry with this id, what a revert to before it would do; null: no more. */
  readonly revertTo: (checkpoint: string | null) => void;
}

export const Transcribed = createContext<TranscriptContext | null>(null);

export function useTranscript(): TranscriptContext {
  const context = useContext(Transcribed);
  if (!context) throw new Error("an entry is shown inside a transcript only");
  return context;
}

/** Whether something is open, and what turns it; `initially` holds until its user has turned it. */
export function useFold(key: string, initially: boolean): [open: boolean, toggle: () => void] {
  const { folds } = useTranscript();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const open = folds.get(key) ?? initially;
  const toggle = (): void => {
    folds.set(key, !open);
    redraw(0);
  };
  return [open, toggle];
}

/** The transcript: a long list of which only what is in view is drawn, one frame at a time. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Entry } from "../../src/transcript/entries";
import type { Transcript } from "../../src/transcript/fold";
import { linkNow } from "../../src/transcript/whereabouts";
import type { PendingApproval } from "../../src/view/messages";
import type { Bridge } from "../bridge";
import { t } from "../l10n";
import { type PageState, type Store, useStore } from "../store";
import { actOn } from "./act";
import { Announcer } from "./announcer";
import { Transcribed, type TranscriptContext } from "./context";
import { Row, rowName } from "./row";
import { useFrames } from "./useFrames";
import { useVirtual } from "./useVirtual";

interface Props {
  readonly store: Store;
  readonly bridge: Bridge;
}

export function TranscriptView({ store, bridge }: Props) {
  const session = useStore(store, (state) => state.session.id);
  // Another session has nothing of what was opened, measured or read in this one.
  return <SessionTranscript key={session ?? ""} store={store} bridge={bridge} />;
}

function SessionTranscript({ store, bridge }: Props) {
  const state = useFrames(store);
  const { transcript, session, approvals } = state;
  const { entries, roots } = transcript;
  const [failure, setFailure] = useState<string | null>(null);
  const [reverting, setReverting] = useState<string | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const focused = useRef<string | null>(null);
  const questions = useQuestions(approvals, session.id);
  const keys = useMemo(() => entries.map(({ id }) => id), [entries]);
  const rows = useVirtual({ keys, scroller, pinned: () => pinnedRows(entries, [focused.current, reverting], questions) });
  const said = useStore(store, (now) => now.said);
  useLayoutEffect(() => rows.toEnd(), [said]);
  const context = useContextValue({ store, bridge }, transcript, setFailure, setReverting);

  return (
    <Transcribed.Provider value={context}>
      <div class="transcript">
        <div
          class="transcript-scroller"
          role="feed"
          aria-label={t("Transcript")}
          aria-busy={session.run !== null}
          tabIndex={0}
          ref={scroller}
          onFocusIn={(event) => (focused.current = rowKey(event.target))}
          onFocusOut={() => (focused.current = null)}
        >
          <div class="transcript-rows" role="presentation" style={{ height: `${rows.height}px` }}>
            {rows.items.map(({ index, start }) => {
              const entry = entries[index];
              if (!entry) return null;
              const last = index === entries.length - 1 && session.run === null;
              return (
                <article
                  key={entry.id}
                  class={`row row-${entry.kind}`}
                  data-index={index}
                  data-key={entry.id}
                  ref={rows.measure}
                  aria-label={rowName(entry, roots)}
                  aria-posinset={index + 1}
                  aria-setsize={entries.length}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <Row
                    entry={entry}
                    roots={roots}
                    question={entry.kind === "tool" ? questions.get(entry.callId) : undefined}
                    reverting={reverting === entry.id}
                    locked={session.locked}
                    last={last}
                  />
                </article>
              );
            })}
          </div>
          <Working state={state} />
        </div>
        {!rows.following && (
          <button type="button" class="to-latest" onClick={rows.toEnd}>
            <span class="codicon codicon-arrow-down" aria-hidden="true" />
            {t("Jump to latest")}
          </button>
        )}
        {failure !== null && <Failure message={failure} close={() => setFailure(null)} />}
        <Announcer state={state} />
      </div>
    </Transcribed.Provider>
  );
}

function useContextValue(
  { store, bridge }: Props,
  { roots, whereabouts }: Transcript,
  failed: (message: string) => void,
  revertTo: (checkpoint: string | null) => void,
): TranscriptContext {
  const folds = useRef(new Map<string, boolean>()).current;
  return useMemo(() => {
    const act = actOn(bridge, failed, (uri) => linkNow(uri, roots, whereabouts));
    return { store, bridge, act, whereabouts, folds, revertTo };
  }, [store, bridge, roots, whereabouts, failed, folds, revertTo]);
}

/** Those of this session, by the call that they are about. */
function useQuestions(
  approvals: readonly PendingApproval[],
  session: string | null,
): ReadonlyMap<string, PendingApproval> {
  return useMemo(() => {
    const mine = approvals.filter(({ request }) => request.session === session && request.toolCallId !== "");
    return new Map(mine.map((approval) => [approval.request.toolCallId, approval]));
  }, [approvals, session]);
}

/** Where the keyboard is, and where an answer is written. */
function pinnedRows(
  entries: readonly Entry[],
  wanted: readonly (string | null)[],
  questions: ReadonlyMap<string, PendingApproval>,
): number[] {
  if (wanted.every((id) => id === null) && questions.size === 0) return [];
  return [...entries.keys()].filter((index) => {
    const entry = entries[index];
    if (!entry) return false;
    return wanted.includes(entry.id) || (entry.kind === "tool" && questions.has(entry.callId));
  });
}

function rowKey(target: EventTarget | null): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-key]") : null;
  return row?.dataset.key ?? null;
}

/** A sign of life where no entry shows any. */
function Working({ state: { session, transcript } }: { state: PageState }) {
  if (session.run === null) return null;
  const words: Readonly<Record<string, string>> = {
    streaming: t("Waiting for the model"),
    aborting: t("Stopping"),
    idle: t("Working"),
  };
  const last = transcript.entries.at(-1);
  const shows = (last && "streaming" in last && last.streaming) || (last?.kind === "tool" && last.state !== "ended");
  const word = Object.hasOwn(words, session.state) ? words[session.state] : undefined;
  if (word === undefined || (shows && session.state !== "aborting")) return null;
  return (
    <p class="told working">
      <span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true" />
      <span>{word}</span>
    </p>
  );
}

function Failure({ message, close }: { message: string; close: () => void }) {
  return (
    <div class="transcript-failure" role="alert">
      <span>{message}</span>
      <button type="button" class="icon-button" title={t("Close")} aria-label={t("Close")} onClick={close}>
        <span class="codicon codicon-close" aria-hidden="true" />
      </button>
    </div>
  );
}

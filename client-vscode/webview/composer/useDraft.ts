/** What is in the composer: typed here, put there by the host, and kept by the host at every change. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { appended } from "../../src/context/mention";
import type { Draft } from "../../src/view/messages";
import type { Bridge } from "../bridge";
import { type Store, useStore } from "../store";
import { DraftKeeper } from "./draftKeeper";

const NOTHING: Draft = { text: "", images: [] };

export interface DraftState {
  readonly draft: Draft;
  /** What is there at this moment, for what was begun at an earlier one. */
  readonly latest: { readonly current: Draft };
  readonly change: (part: Partial<Draft>) => void;
  /** Puts a text before what is there. */
  readonly prepend: (text: string) => void;
  /** `sent` has been said: it goes, unless it was changed meanwhile. */
  readonly sent: (sent: Draft) => void;
}

export function useDraft(store: Store, bridge: Bridge): DraftState {
  const [draft, setDraft] = useState(NOTHING);
  const latest = useRef(draft);
  const puts = useStore(store, (state) => state.drafts);
  const done = useRef(0);
  const restored = useRef(false);
  const keeper = useMemo(
    () =>
      new DraftKeeper(bridge, {
        set: (run, ms) => window.setTimeout(run, ms),
        clear: (timer) => window.clearTimeout(timer),
      }),
    [bridge],
  );

  const become = (next: Draft): void => {
    latest.current = next;
    setDraft(next);
  };
  const change = (part: Partial<Draft>): void => {
    become({ ...latest.current, ...part });
    keeper.changed(latest.current);
  };
  const prepend = (text: string): void => {
    const texts = [text, latest.current.text].filter((each) => each !== "");
    change({ text: texts.join("\n\n") });
    keeper.flush();
  };
  /**
   * What was kept comes after a while, to a page that could be typed in from the first: none of the two goes. When it
   * comes again, to a page that was out of touch, what is here is the newer.
   */
  const restore = (kept: Draft): void => {
    if (restored.current) return keeper.changed(latest.current);
    restored.current = true;
    if (isNothing(latest.current)) return become(kept);
    if (isNothing(kept)) return;
    change({ images: [...kept.images, ...latest.current.images] });
    prepend(kept.text);
  };
  const sent = (said: Draft): void => {
    if (latest.current.text !== said.text || latest.current.images !== said.images) return;
    change(NOTHING);
    keeper.flush();
  };

  useEffect(() => {
    for (const { how, draft: put } of puts.slice(done.current)) {
      if (how === "replace") restore(put);
      else if (how === "prepend") prepend(put.text);
      else change({ text: appended(latest.current.text, put.text) });
    }
    done.current = puts.length;
  }, [puts]);

  useEffect(() => {
    const flush = (): void => keeper.flush();
    window.addEventListener("blur", flush);
    window.addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", flush);
    return () => {
      flush();
      window.removeEventListener("blur", flush);
      window.removeEventListener("pagehide", flush);
      document.removeEventListener("visibilitychange", flush);
    };
  }, [keeper]);

  return { draft, latest, change, prepend, sent };
}

function isNothing(draft: Draft): boolean {
  return draft.text === "" && draft.images.length === 0;
}

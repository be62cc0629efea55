/** The questions that the transcript doesn't show, or not at the moment, above the composer; and, for screen readers, that any waits at all. */

import { useEffect, useRef } from "preact/hooks";
import type { Bridge } from "../bridge";
import { t } from "../l10n";
import { type Store, useStore } from "../store";
import { shownApart } from "./apart";
import { ApprovalCard } from "./card";
import { type InView, pageView, useOutOfView } from "./inView";
import { visible } from "./visible";

interface Props {
  readonly store: Store;
  readonly bridge: Bridge;
  /** The page's own, but for tests. */
  readonly view?: InView;
}

export function ApprovalList({ store, bridge, view = pageView }: Props) {
  useEffect(() => tellFocus(bridge), [bridge]);
  const approvals = useStore(store, (state) => state.approvals);
  const session = useStore(store, (state) => state.session.id);
  // Of the transcript only what a question changes is looked at: it changes with each delta.
  const entries = useStore(store, (state) => (state.approvals.length === 0 ? NONE : state.transcript.entries));
  const noPlace = new Set(shownApart(approvals, session, entries));
  const placed = approvals.filter((approval) => !noPlace.has(approval)).map(({ request }) => request.id);
  const out = useOutOfView(view, placed);
  const list = useRef<HTMLDivElement>(null);
  // Whoever is answering here goes on here.
  const inUse = list.current?.contains(document.activeElement)
    ? document.activeElement?.closest<HTMLElement>("[data-question]")?.dataset.question
    : undefined;
  const apart = approvals.filter(
    (approval) => noPlace.has(approval) || out.has(approval.request.id) || approval.request.id === inUse,
  );
  return (
    <>
      <p class="approval-announcement" role="status">
        {approvals.length > 0 &&
          t("Waiting for you: {0}", approvals.map(({ request }) => visible(request.title)).join(", "))}
      </p>
      {apart.length > 0 && (
        <div class="approval-list" ref={list}>
          {apart.map((approval) => (
            <div key={approval.request.id} data-question={approval.request.id}>
              <ApprovalCard store={store} bridge={bridge} approval={approval} apart />
            </div>
          ))}
        </div>
      )}
    </>
  );
}

/** Tells the host whether the page has the focus, until the answer is called. */
function tellFocus(bridge: Bridge): () => void {
  const tell = (focused: boolean): void => void bridge.call("pageFocus", { focused }).catch(() => undefined);
  const [focus, blur] = [() => tell(true), () => tell(false)];
  window.addEventListener("focus", focus);
  window.addEventListener("blur", blur);
  if (document.hasFocus()) focus();
  return () => {
    window.removeEventListener("focus", focus);
    window.removeEventListener("blur", blur);
  };
}

const NONE = [] as const;

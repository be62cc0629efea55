/** One question that waits for an answer: what would be done, and the buttons that say yes or no to it. */

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, ApprovalRequest } from "../../src/protocol";
import type { PendingApproval } from "../../src/view/messages";
import type { Bridge } from "../bridge";
import { t } from "../l10n";
import { type Store, useStore } from "../store";
import { GuardedButton, useInert } from "./button";
import { Details } from "./details";
import { Feedback } from "./feedback";
import { type Gate, pageGate } from "./gate";
import { pageView, useTellInView } from "./inView";
import { More } from "./more";
import { visible } from "./visible";

interface Props {
  readonly store: Store;
  readonly bridge: Bridge;
  readonly approval: PendingApproval;
  /** The diffs, where they are shown with it. */
  readonly children?: ComponentChildren;
  /** It stands apart from the transcript: its buttons have a first half second of their own. */
  readonly apart?: boolean;
  /** The page's own, but for tests. */
  readonly gate?: Gate;
}

export function ApprovalCard({ store, bridge, approval, children, apart = false, gate = pageGate() }: Props) {
  const { request } = approval;
  const session = useStore(store, (state) => state.session.id);
  const declineButton = useRef<HTMLButtonElement>(null);
  const [declining, setDeclining] = useState(false);
  // It is kept beyond this card, which goes when it is out of view or the page is hidden.
  const feedback = useStore(store, ({ typed }) => typed[request.id] ?? "");
  const { busy, error, run } = useCalls();
  const inert = useInert(gate, apart ? `${request.id} apart` : request.id) || busy;
  const answers = useRef<HTMLDivElement>(null);
  useTellInView(pageView, apart ? `${request.id} apart` : request.id, answers);

  const answer = (given: ApprovalAnswer): void =>
    run(() => bridge.call("approve", { id: request.id, answer: given }), "answer");
  const decline = (): void => {
    const said = feedback.trim();
    answer(said === "" ? { decision: "decline" } : { decision: "decline", feedback: said });
  };
  const write = (text: string): void => {
    setDeclining(true);
    store.type(request.id, text);
  };
  const back = (): void => {
    setDeclining(false);
    store.type(request.id, "");
    // The button comes back with the next rendering.
    requestAnimationFrame(() => declineButton.current?.focus());
  };

  return (
    <div class="card approval" role="group" aria-label={visible(request.title)} aria-busy={busy}>
      <div class={request.command === undefined ? "card-title" : "card-title cut"}>
        <span class={`codicon codicon-${icon(request)}`} aria-hidden="true" />
        <span>{visible(request.title)}</span>
      </div>
      {request.session !== session && (
        <Elsewhere approval={approval} show={() => run(() => bridge.call("openSession", { session: request.session }))} />
      )}
      {request.reason !== "" && <p class="approval-reason">{visible(request.reason)}</p>}
      <Details
        approval={approval}
        withDiffs={children !== undefined}
        onShowFile={(uri) => run(() => bridge.call("showDiff", { id: request.id, uri }))}
      />
      {children !== undefined && <div class="approval-diffs">{children}</div>}
      {error !== null && (
        <p class="card-error" role="alert">
          {error}
        </p>
      )}
      <div ref={answers}>
        {declining || feedback !== "" ? (
          <Feedback
            inert={inert}
            text={feedback}
            focus={declining}
            onText={write}
            onDecline={decline}
            onBack={back}
          />
        ) : (
          <Buttons
            request={request}
            inert={inert}
            answer={answer}
            declineButton={declineButton}
            onDecline={() => setDeclining(true)}
            onShowDiff={() => run(() => bridge.call("showDiff", { id: request.id }))}
          />
        )}
      </div>
    </div>
  );
}

interface ButtonsProps {
  readonly request: ApprovalRequest;
  readonly inert: boolean;
  readonly answer: (given: ApprovalAnswer) => void;
  readonly declineButton: { current: HTMLButtonElement | null };
  readonly onDecline: () => void;
  readonly onShowDiff: () => void;
}

function Buttons({ request, inert, answer, declineButton, onDecline, onShowDiff }: ButtonsProps) {
  const takes = (decision: ApprovalAnswer["decision"]): boolean => request.decisions.includes(decision);
  return (
    <div class="card-buttons">
      {takes("accept") && (
        <GuardedButton className="primary" inert={inert} onPress={() => answer({ decision: "accept" })}>
          {t("Accept")}
        </GuardedButton>
      )}
      <div class="approval-split">
        {takes("acceptForRun") && (
          <GuardedButton inert={inert} onPress={() => answer({ decision: "acceptForRun" })}>
            {t("Accept all in this run")}
          </GuardedButton>
        )}
        {takes("acceptForSession") && (
          <More
            inert={inert}
            items={[
              { label: t("Accept all in this session"), onPress: () => answer({ decision: "acceptForSession" }) },
            ]}
          />
        )}
      </div>
      {takes("decline") && (
        <GuardedButton inert={inert} element={declineButton} onPress={onDecline}>
          {t("Decline")}
        </GuardedButton>
      )}
      {takes("cancel") && (
        <GuardedButton inert={inert} onPress={() => answer({ decision: "cancel" })}>
          {t("Stop")}
        </GuardedButton>
      )}
      {request.changes.some(({ kind }) => kind !== "move") && (
        <GuardedButton className="approval-quiet" inert={false} onPress={onShowDiff}>
          {t("Show diff")}
        </GuardedButton>
      )}
    </div>
  );
}

function Elsewhere({ approval, show }: { approval: PendingApproval; show: () => void }) {
  const title = approval.sessionTitle;
  return (
    <p class="approval-elsewhere">
      {title ? t("in session “{0}”", visible(title)) : t("in another session")}{" "}
      <button type="button" class="approval-link" onClick={show}>
        {t("Show")}
      </button>
    </p>
  );
}

/** Calls to the host, one at a time: whether one is under way, and why the last one failed. */
function useCalls() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = (call: () => Promise<object>, what?: "answer"): void => {
    // An answered card goes, and stays busy until then.
    if (what === "answer") setBusy(true);
    setError(null);
    call().catch((failure: unknown) => {
      setError(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    });
  };
  return { busy, error, run };
}

function icon({ kind }: ApprovalRequest): string {
  if (kind === "command") return "terminal";
  if (kind === "tool") return "tools";
  if (kind === "trust") return "workspace-untrusted";
  return kind === "protected" || kind === "outside" || kind === "conflict" ? "warning" : "diff";
}

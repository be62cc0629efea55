/** A tool call: what it does on what, how far it is, what came of it. */

import type { PendingApproval } from "../../src/view/messages";
import type { ToolEntry } from "../../src/transcript/entries";
import { ApprovalCard } from "../approvals/card";
import { visible } from "../approvals/visible";
import { t } from "../l10n";
import { useSince } from "../store";
import { whyDiscarded } from "./answer";
import { useTranscript } from "./context";
import { Counts, Diff } from "./diff";
import { Disclosure } from "./disclosure";
import { duration } from "./format";
import { Output } from "./output";
import { toolTitle } from "./toolTitle";

interface Props {
  readonly entry: ToolEntry;
  readonly roots: readonly string[];
  readonly question: PendingApproval | undefined;
}

export function Tool({ entry, roots, question }: Props) {
  const { store, bridge } = useTranscript();
  const { icon, text } = toolTitle(entry, roots);
  const failed = entry.isError === true && entry.outcome !== "denied";
  const live = entry.state === "running" && entry.output !== "";
  if (question) {
    // The question says itself what the call would do.
    return (
      <ApprovalCard key={question.request.id} store={store} bridge={bridge} approval={question}>
        {entry.changes.length > 0 ? <Changes entry={entry} roots={roots} question={question.request.id} /> : undefined}
      </ApprovalCard>
    );
  }
  return (
    <div class={failed ? "tool failed" : "tool"}>
      {hasResult(entry) ? (
        <Disclosure
          // A command that runs is open while it says something, and folds when it has ended well.
          key={entry.state}
          id={`${entry.id}${live ? " live" : ""}`}
          initially={failed || live}
          icon={icon}
          heading={<code class="tool-title">{text}</code>}
          beside={<Status entry={entry} />}
        >
          {() => <Output entry={entry} />}
        </Disclosure>
      ) : (
        <div class="disclosure-line plain">
          <span class={`codicon codicon-${icon}`} aria-hidden="true" />
          <code class="tool-title">{text}</code>
          <Status entry={entry} />
        </div>
      )}
      <Denial entry={entry} />
      {entry.discarded && <p class="quiet">{whyDiscarded(entry.discarded)}</p>}
      <Changes entry={entry} roots={roots} />
    </div>
  );
}

function hasResult({ state, output, images }: ToolEntry): boolean {
  return (state === "ended" || state === "running") && (output !== "" || images.length > 0);
}

interface ChangesProps {
  readonly entry: ToolEntry;
  readonly roots: readonly string[];
  /** Its id, while it waits: each of several files can be looked at alone. */
  readonly question?: string;
}

/** Those of a call that was declined are what it had wanted. */
function Changes({ entry, roots, question }: ChangesProps) {
  const { bridge } = useTranscript();
  if (entry.changes.length === 0) return null;
  // Of several files some can have been changed.
  const wanted = entry.state === "ended" && entry.outcome !== "ok" && entry.edits.length === 0;
  const shows = question !== undefined && entry.changes.length > 1;
  const diffs = entry.changes.map((change) => (
    <Diff
      key={change.uri}
      id={entry.id}
      change={change}
      roots={roots}
      onShow={shows ? () => void bridge.call("showDiff", { id: question, uri: change.uri }).catch(() => undefined) : undefined}
    />
  ));
  if (!wanted) return <>{diffs}</>;
  return (
    <Disclosure id={`${entry.id} wanted`} heading={<span class="quiet">{t("What it wanted to change")}</span>}>
      {() => diffs}
    </Disclosure>
  );
}

function Status({ entry }: { entry: ToolEntry }) {
  const { state, outcome, approval, durationMs, startedAt, exitCode } = entry;
  if (entry.discarded) return <span class="tool-status">{t("not done")}</span>;
  if (state === "writing") return <span class="tool-status">{t("being written")}</span>;
  if (state === "waiting") {
    const asks = approval && approval.decision === undefined;
    return <span class="tool-status">{asks ? t("waiting for you") : t("waiting")}</span>;
  }
  if (state === "running") return <Elapsed since={startedAt} />;
  const took = durationMs !== undefined && durationMs >= 100 ? duration(durationMs) : "";
  const [edit] = entry.edits;
  const counts = outcome === "ok" && edit && entry.changes.length === 0;
  return (
    <span class="tool-status">
      {counts && <Counts added={edit.added} removed={edit.removed} />}
      {outcome === "ok" ? <Icon name="check" label={t("done")} /> : <Failed outcome={outcome} exitCode={exitCode} />}
      {took}
    </span>
  );
}

function Failed({ outcome, exitCode }: { outcome: ToolEntry["outcome"]; exitCode: number | undefined }) {
  const words: Partial<Record<NonNullable<ToolEntry["outcome"]>, string>> = {
    unknownTool: t("no such tool"),
    badArguments: t("bad arguments"),
    denied: t("declined"),
    truncated: t("cut off"),
    aborted: t("stopped"),
    notExecuted: t("not done"),
  };
  const word = outcome && words[outcome];
  if (outcome === "denied") return <Word icon="circle-slash" word={word ?? ""} />;
  return <Word icon="error" word={word ?? (exitCode ? t("exit code {0}", exitCode) : t("failed"))} />;
}

function Word({ icon, word }: { icon: string; word: string }) {
  return (
    <span class="tool-failed">
      <span class={`codicon codicon-${icon}`} aria-hidden="true" />
      {word}
    </span>
  );
}

function Icon({ name, label }: { name: string; label: string }) {
  return <span class={`codicon codicon-${name}`} role="img" aria-label={label} />;
}

/** Seconds since its work began, counted by the page. */
function Elapsed({ since }: { since: number | undefined }) {
  const seconds = Math.round((useSince(useTranscript().store, since) ?? 0) / 1000);
  return (
    <span class="tool-status">
      <span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true" />
      {seconds > 0 ? t("running for {0}", duration(seconds * 1000)) : t("running")}
    </span>
  );
}

/** Why a call was not done, and the user's word about one that was answered. */
function Denial({ entry: { denial, approval } }: { entry: ToolEntry }) {
  if (!denial) return null;
  const word = approval?.feedback;
  return (
    <p class="tool-denial">
      {denial.by === "user" && word ? t("You declined: {0}", word) : visible(denial.reason)}
      {denial.setting !== undefined && <span class="quiet"> {t("It would be allowed by: {0}", denial.setting)}</span>}
    </p>
  );
}

/** How a run has ended: what it did, what it cost, how to go on. */

import type { AgentEndData } from "../../src/protocol";
import type { RunEndEntry } from "../../src/transcript/entries";
import { type Changed, changedFiles } from "../../src/transcript/whereabouts";
import { visible } from "../approvals/visible";
import { t } from "../l10n";
import { helpFor } from "../shell/help";
import { useTranscript } from "./context";
import { Counts } from "./diff";
import { cost, duration, fileName, tokens } from "./format";

interface Props {
  readonly entry: RunEndEntry;
  readonly roots: readonly string[];
  /** Nothing came after it and the session is not locked: it can be gone on with. */
  readonly last: boolean;
}

export function RunEnd({ entry, roots, last }: Props) {
  const { act, whereabouts } = useTranscript();
  const { data } = entry;
  const help = helpFor(data.error?.code);
  const bad = data.stopReason === "error" || data.stopReason === "interrupted";
  return (
    <div class={bad ? "run-end bad" : "run-end"}>
      <p class="run-end-message">
        <span class={`codicon codicon-${icon(data)}`} aria-hidden="true" />
        <span>{data.message}</span>
      </p>
      {data.files.length > 0 && (
        <ul class="run-end-files" aria-label={t("Changed files")}>
          {changedFiles(data.files, whereabouts).map((file) => (
            <li key={file.was}>
              <ChangedFile file={file} roots={roots} />
              <Counts added={file.added} removed={file.removed} />
            </li>
          ))}
        </ul>
      )}
      {data.denied.length > 0 && (
        <ul class="run-end-denied" aria-label={t("Not done")}>
          {data.denied.map(({ toolCallId, title, reason, by }) => (
            // Who has said no himself need not be told why.
            <li key={toolCallId}>{by === "user" ? t("Declined: {0}", visible(title)) : visible(`${title}: ${reason}`)}</li>
          ))}
        </ul>
      )}
      {data.undelivered.length > 0 && (
        <p class="quiet">{t("Not delivered: {0}", data.undelivered.map(({ text }) => text).join(" · "))}</p>
      )}
      <p class="quiet run-end-figures">{figures(entry)}</p>
      {last && continues(data) && (
        <div class="run-end-buttons">
          <button type="button" class="button" onClick={() => act("continueRun", {})}>
            {t("Continue")}
          </button>
          {help && (
            <button type="button" class="button secondary" onClick={() => act("remedy", help.remedy)}>
              {help.label}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** A link to where it is now, with where it was; no link to what is gone. */
function ChangedFile({ file: { was, place }, roots }: { file: Changed; roots: readonly string[] }) {
  const { act } = useTranscript();
  const name = fileName(was, roots);
  if (place === null) {
    return (
      <span>
        <s>{name}</s> <span class="quiet">{t("deleted")}</span>
      </span>
    );
  }
  return (
    <span>
      <button type="button" class="link-button" onClick={() => act("showFile", { uri: place })}>
        {fileName(place, roots)}
      </button>
      {place !== was && <span class="quiet"> {t("was {0}", name)}</span>}
    </span>
  );
}

/** Where `steersman.continue` has something to do. */
export function continues({ stopReason, truncated }: AgentEndData): boolean {
  return stopReason !== "complete" || truncated === true;
}

function figures({ data, tookMs }: RunEndEntry): string {
  const { usage, turns } = data;
  const parts = [
    turns === 1 ? t("1 turn") : t("{0} turns", turns),
    t("{0} tokens in, {1} out", tokens(usage.input), tokens(usage.output)),
  ];
  if (data.cost !== null) parts.push(cost(data.cost));
  if (tookMs !== undefined) parts.push(duration(tookMs));
  return parts.join(" · ");
}

function icon({ stopReason, denied }: AgentEndData): string {
  switch (stopReason) {
    case "complete":
      return denied.length > 0 ? "circle-slash" : "pass";
    case "error":
      return "error";
    case "aborted":
      return "debug-stop";
    case "interrupted":
      return "warning";
    case "max_turns":
    case "budget":
      return "watch";
  }
}

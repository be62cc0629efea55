/** How a run has ended: what it did, what it cost, how to go on. */

import type { AgentEndData } from "../../src/protocol";
import type { RunEndEntry } from "../../src/transcript/entries";
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
  const { act } = useTranscript();
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
          {data.files.map(({ uri, added, removed }) => (
            <li key={uri}>
              <button type="button" class="link-button" onClick={() => act("showFile", { uri })}>
                {fileName(uri, roots)}
              </button>
              <Counts added={added} removed={removed} />
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

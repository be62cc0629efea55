/** What the model says and thinks. */

import type { CustomEntry, Discarded, TextEntry } from "../../src/transcript/entries";
import { t } from "../l10n";
import { Markdown } from "../markdown/markdown";
import { useTranscript } from "./context";
import { Disclosure } from "./disclosure";
import { firstLine } from "./format";

export function Answer({ entry }: { entry: TextEntry }) {
  if (entry.discarded === "retried") {
    return (
      <Disclosure id={entry.id} heading={<span class="quiet">{t("An answer that was asked for again")}</span>}>
        {() => <Text entry={entry} />}
      </Disclosure>
    );
  }
  return (
    <div class={entry.discarded ? "discarded" : undefined}>
      {entry.kind === "thinking" ? <Thinking entry={entry} /> : <Text entry={entry} />}
      {entry.discarded && <p class="quiet">{whyDiscarded(entry.discarded)}</p>}
    </div>
  );
}

export function Custom({ entry }: { entry: CustomEntry }) {
  const { act } = useTranscript();
  return (
    <div class="custom">
      {entry.label !== "" && <p class="quiet">{entry.label}</p>}
      <Markdown text={entry.text} streaming={false} act={act} />
    </div>
  );
}

export function whyDiscarded(discarded: Discarded): string {
  const reasons: Record<Discarded, string> = {
    retried: t("Asked for again."),
    failed: t("The answer broke off here: it failed."),
    aborted: t("The answer broke off here: it was stopped."),
    interrupted: t("The answer broke off here: it was interrupted."),
  };
  return reasons[discarded];
}

/** Of what it thinks about now, the last heading or line. */
export function thought(text: string): string {
  const headings = [...text.matchAll(/^(?:#+ +(.+)|\*\*(.+?)\*\*\s*$)/gm)];
  const last = headings.at(-1);
  const heading = last?.[1] ?? last?.[2];
  return firstLine(heading ?? text.trim().split("\n").at(-1) ?? "", 100);
}

function Text({ entry }: { entry: TextEntry }) {
  const { act } = useTranscript();
  return (
    <div class={entry.kind}>
      {entry.kind === "refusal" && <p class="quiet">{t("The model declined to answer:")}</p>}
      <Markdown text={entry.text} streaming={entry.streaming} act={act} />
    </div>
  );
}

function Thinking({ entry }: { entry: TextEntry }) {
  const { act } = useTranscript();
  if (entry.redacted === true && entry.text === "") return <p class="quiet">{t("Thought (hidden by the provider)")}</p>;
  const about = thought(entry.text);
  const heading = entry.streaming ? t("Thinking: {0}", about) : t("Thought: {0}", about);
  return (
    <Disclosure id={entry.id} heading={<span class="quiet">{heading}</span>}>
      {() => (
        <div class="thinking">
          <Markdown text={entry.text} streaming={entry.streaming} act={act} />
        </div>
      )}
    </Disclosure>
  );
}

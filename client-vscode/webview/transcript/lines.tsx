/** What is told between the messages: notices, retries, summaries, reverts, changes of the settings. */

import type { RevertedFile } from "../../src/protocol";
import type {
  CompactionEntry,
  ConfigEntry,
  LateEditEntry,
  NoticeEntry,
  RetryEntry,
  RevertEntry,
} from "../../src/transcript/entries";
import { t } from "../l10n";
import { Markdown } from "../markdown/markdown";
import { useTranscript } from "./context";
import { Disclosure } from "./disclosure";
import { duration, fileName, tokens } from "./format";

export type LineEntry = NoticeEntry | RetryEntry | CompactionEntry | ConfigEntry | RevertEntry | LateEditEntry;

interface Props<E> {
  readonly entry: E;
  readonly roots: readonly string[];
  readonly locked: boolean;
}

export function Line({ entry, roots, locked }: Props<LineEntry>) {
  switch (entry.kind) {
    case "notice":
      return <Told icon="info">{entry.text}</Told>;
    case "config":
      return <Told icon="settings">{configText(entry)}</Told>;
    case "retry":
      return <Told icon={entry.busy ? "loading" : "refresh"}>{retryText(entry)}</Told>;
    case "compaction":
      return <Compaction entry={entry} />;
    case "revert":
      return <Reverted entry={entry} roots={roots} locked={locked} />;
    case "lateEdit":
      return (
        <Told icon="warning">{t("{0} was changed after the run had ended.", fileName(entry.edit.uri, roots))}</Told>
      );
  }
}

function Told({ icon, children }: { icon: string; children: string }) {
  const spin = icon === "loading" ? " codicon-modifier-spin" : "";
  return (
    <p class="told">
      <span class={`codicon codicon-${icon}${spin}`} aria-hidden="true" />
      <span>{children}</span>
    </p>
  );
}

function configText({ model, mode }: ConfigEntry): string {
  if (model === null) return t("Mode: {0}", mode ?? "");
  return mode === null ? t("Model: {0}", model) : t("Model: {0}, mode: {1}", model, mode);
}

function retryText({ data: { message, afterMs }, busy }: RetryEntry): string {
  return busy ? t("{0} Asking again in {1}.", message, duration(afterMs)) : t("{0} Asked again.", message);
}

function Compaction({ entry }: { entry: CompactionEntry }) {
  const { act } = useTranscript();
  if (entry.busy) return <Told icon="loading">{t("Summarising old messages")}</Told>;
  if (entry.summary === undefined) {
    return <Told icon="warning">{t("The conversation was not shortened: {0}", entry.failed ?? "")}</Told>;
  }
  const { summary, replaced = 0, tokensBefore = 0, tokensAfter = 0 } = entry;
  const heading = t("{0} messages were summarised ({1} → {2} tokens)", replaced, tokens(tokensBefore), tokens(tokensAfter));
  return (
    <Disclosure id={entry.id} icon="fold" heading={<span class="quiet">{heading}</span>}>
      {() => <Markdown text={summary} streaming={false} act={act} />}
    </Disclosure>
  );
}

function Reverted({ entry, roots, locked }: Props<RevertEntry>) {
  const { revertTo } = useTranscript();
  // Its title says what it is: Revert to before “…”.
  if (entry.busy) return <Told icon="loading">{entry.title}</Told>;
  const words: Record<RevertedFile["outcome"], string> = {
    restored: t("restored"),
    deleted: t("deleted"),
    done: t("as it was already"),
    kept: t("kept as it is"),
    skipped: t("left for now"),
    conflict: t("changed meanwhile, left alone"),
    failed: t("failed"),
  };
  return (
    <div class="reverted">
      <Told icon={entry.cut ? "warning" : "discard"}>
        {entry.cut ? t("{0} (interrupted)", entry.title) : entry.title}
      </Told>
      {entry.files.length > 0 && (
        <ul aria-label={t("Files")}>
          {entry.files.map(({ uri, outcome, message }) => (
            <li key={uri}>
              {fileName(uri, roots)}: {message ?? words[outcome]}
            </li>
          ))}
        </ul>
      )}
      {!locked && (
        <button type="button" class="link-button" onClick={() => revertTo(entry.id)}>
          {t("Undo this revert")}
        </button>
      )}
    </div>
  );
}

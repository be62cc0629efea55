/** One entry of the transcript. Drawn again only when it is another object, or something about it has changed. */

import { memo } from "preact/compat";
import type { PendingApproval } from "../../src/view/messages";
import type { Entry } from "../../src/transcript/entries";
import { t } from "../l10n";
import { RevertCard } from "../revert/card";
import { Answer, Custom } from "./answer";
import { useTranscript } from "./context";
import { firstLine } from "./format";
import { Line } from "./lines";
import { RunEnd } from "./runEnd";
import { Tool } from "./tool";
import { toolTitle } from "./toolTitle";
import { UserMessage } from "./user";

interface Props {
  readonly entry: Entry;
  readonly roots: readonly string[];
  readonly question: PendingApproval | undefined;
  /** What a revert to before it would do is shown under it. */
  readonly reverting: boolean;
  readonly locked: boolean;
  /** It is the last one, and no run is live. */
  readonly last: boolean;
}

export const Row = memo(function Row(props: Props) {
  return (
    <>
      <Content {...props} />
      {props.reverting && <Reverting checkpoint={props.entry.id} />}
    </>
  );
});

function Reverting({ checkpoint }: { checkpoint: string }) {
  const { store, bridge, revertTo } = useTranscript();
  return <RevertCard store={store} bridge={bridge} checkpoint={checkpoint} onClose={() => revertTo(null)} />;
}

function Content({ entry, roots, question, locked, last }: Props) {
  switch (entry.kind) {
    case "user":
      return <UserMessage entry={entry} locked={locked} />;
    case "text":
    case "thinking":
    case "refusal":
      return <Answer entry={entry} />;
    case "custom":
      return <Custom entry={entry} />;
    case "tool":
      return <Tool entry={entry} roots={roots} question={question} />;
    case "runEnd":
      return <RunEnd entry={entry} roots={roots} last={last && !locked} />;
    default:
      return <Line entry={entry} roots={roots} locked={locked} />;
  }
}

/** What an entry is called by who hears the page. */
export function rowName(entry: Entry, roots: readonly string[]): string {
  switch (entry.kind) {
    case "user":
      return t("You: {0}", firstLine(entry.text, 60));
    case "thinking":
      return t("Thinking");
    case "text":
    case "refusal":
      return t("Answer");
    case "tool":
      return toolTitle(entry, roots).text;
    case "runEnd":
      return t("End of the run");
    case "custom":
      return entry.label === "" ? t("Message") : entry.label;
    case "retry":
      return t("Asked again");
    case "compaction":
      return t("Summary");
    case "revert":
      return t("Revert");
    case "notice":
    case "config":
    case "lateEdit":
      return t("Notice");
  }
}

/** A file's diff as lines. It scrolls inside itself, by keys too. */

import { useState } from "preact/hooks";
import { diffLines } from "../../src/transcript/diff";
import { t } from "../l10n";

const SHOWN = 200;
const MARKS = { added: "+", removed: "−", context: " ", hunk: "", note: "" } as const;

export function RevertDiff({ diff, label }: { diff: string; label: string }) {
  const [all, setAll] = useState(false);
  const lines = diffLines(diff);
  const shown = all ? lines : lines.slice(0, SHOWN);
  return (
    <>
      <pre class="revert-diff" role="region" aria-label={t("Diff of {0}", label)} tabIndex={0}>
        {shown.map(({ kind, text }, index) => (
          <span key={index} class={`revert-line revert-line-${kind}`}>
            {MARKS[kind]}
            {text}
            {"\n"}
          </span>
        ))}
      </pre>
      {shown.length < lines.length && (
        <button type="button" class="revert-link" onClick={() => setAll(true)}>
          {t("Show {0} more lines", lines.length - shown.length)}
        </button>
      )}
    </>
  );
}

/** A change of a file, line by line, folded where it is long. */

import { useMemo } from "preact/hooks";
import type { FileChangeData } from "../../src/protocol";
import { diffLines, firstChangedLine, type DiffLine } from "../../src/transcript/diff";
import { placeNow } from "../../src/transcript/whereabouts";
import { visible } from "../approvals/visible";
import { t } from "../l10n";
import { useFold, useTranscript } from "./context";
import { fileName } from "./format";

const SHOWN = 12;
/** Of each of several in one question: that there are more of them has to be seen. */
const SHOWN_OF_SEVERAL = 6;
/** Lines of a diff that are ever drawn: the editor shows the whole. */
const MOST = 800;

interface Props {
  /** Of the call; with the file it names what is open. */
  readonly id: string;
  readonly change: FileChangeData;
  readonly roots: readonly string[];
  /** Of one of several in a question: shows it in the editor. */
  readonly onShow?: (() => void) | undefined;
}

export function Diff({ id, change, roots, onShow }: Props) {
  const { act, whereabouts } = useTranscript();
  // What lies between two hunks is told by the numbers.
  const lines = useMemo(() => diffLines(change.diff).filter(({ kind }, i) => i > 0 || kind !== "hunk"), [change.diff]);
  const few = onShow ? SHOWN_OF_SEVERAL : SHOWN;
  const [open, toggle] = useFold(`${id} ${change.uri}`, lines.length <= few);
  const name = fileName(change.uri, roots);
  const line = firstChangedLine(lines);
  const place = placeNow(change.uri, whereabouts);
  // What goes away has its link when it is somewhere else.
  const opens = place !== null && (place !== change.uri || (change.kind !== "delete" && change.kind !== "move"));
  const shown = open ? lines.slice(0, MOST) : lines.slice(0, few);
  return (
    <div class="diff">
      <div class="diff-bar">
        <span class="diff-name" title={name}>
          {name}
        </span>
        <Counts added={change.added} removed={change.removed} />
        {onShow && change.kind !== "move" && (
          <button type="button" class="link-button" aria-label={t("Show the diff of {0}", name)} onClick={onShow}>
            {t("Diff")}
          </button>
        )}
        {opens && (
          <button
            type="button"
            class="link-button"
            aria-label={t("Open {0}", fileName(place, roots))}
            onClick={() => act("showFile", line === undefined ? { uri: place } : { uri: place, line })}
          >
            {t("Open")}
          </button>
        )}
      </div>
      {shown.length > 0 && (
        <div class="diff-lines" role="group" aria-label={t("Changes of {0}", name)} tabIndex={0}>
          <table>
            <tbody>{shown.map((each, i) => <Line key={i} line={each} />)}</tbody>
          </table>
        </div>
      )}
      {open && lines.length > MOST && <p class="quiet">{t("{0} more lines are not shown.", lines.length - MOST)}</p>}
      {change.truncated && <p class="quiet">{t("The diff is longer than what is shown.")}</p>}
      {lines.length > few && (
        <button type="button" class="link-button" aria-expanded={open} onClick={toggle}>
          {open ? t("Show less") : t("Show all {0} lines", lines.length)}
        </button>
      )}
    </div>
  );
}

export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="counts">
      <span class="lines-added">+{added}</span> <span class="lines-removed">−{removed}</span>
    </span>
  );
}

const MARKS = { added: "+", removed: "−", context: " ", hunk: "", note: "" } as const;

function Line({ line: { kind, text, oldLine, newLine } }: { line: DiffLine }) {
  if (kind === "hunk" || kind === "note") {
    return (
      <tr class={`diff-${kind}`}>
        <td colSpan={4}>{kind === "note" && visible(text)}</td>
      </tr>
    );
  }
  return (
    <tr class={`diff-${kind}`}>
      <td class="diff-number">{oldLine}</td>
      <td class="diff-number">{newLine}</td>
      <td class="diff-mark">{MARKS[kind]}</td>
      <td class="diff-text">{visible(text)}</td>
    </tr>
  );
}

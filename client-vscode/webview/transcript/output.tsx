/** What a tool has put out, live or as its result: the last lines in view, the rest within reach. */

import { useLayoutEffect, useRef } from "preact/hooks";
import type { ToolEntry } from "../../src/transcript/entries";
import { t } from "../l10n";
import { useTranscript } from "./context";

/** UTF-16 code units that are drawn. */
const MOST = 60_000;

export function Output({ entry }: { entry: ToolEntry }) {
  const { act } = useTranscript();
  const live = entry.state === "running";
  const scroller = useRef<HTMLPreElement>(null);
  // What a command has said last says most.
  const atEnd = useRef(entry.name === "bash");
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  });
  const text = entry.output.length > MOST ? entry.output.slice(live ? -MOST : 0).slice(0, MOST) : entry.output;
  const label = live ? t("Output so far") : t("Result");
  return (
    <div class="output">
      {entry.outputStart > 0 && <p class="quiet">{t("Earlier output is not shown.")}</p>}
      {text !== "" && (
        <pre
          ref={scroller}
          role="group"
          aria-label={label}
          tabIndex={0}
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            atEnd.current = scrollHeight - clientHeight - scrollTop < 4;
          }}
        >
          {text}
        </pre>
      )}
      {text.length < entry.output.length && <p class="quiet">{t("The rest is not shown.")}</p>}
      {entry.images.map(({ mimeType, data }, i) => (
        <img key={i} src={`data:${mimeType};base64,${data}`} alt={t("Image {0}", i + 1)} />
      ))}
      {!live && entry.output !== "" && (
        <button
          type="button"
          class="icon-button output-copy"
          title={t("Copy")}
          aria-label={t("Copy the result")}
          onClick={() => act("copy", { text: entry.output })}
        >
          <span class="codicon codicon-copy" aria-hidden="true" />
        </button>
      )}
    </div>
  );
}

/** What the session has used: one figure that is always there, all of them at a click. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { UsageData } from "../../src/protocol";
import { t } from "../l10n";
import { cost, tokens } from "../transcript/format";
import { figures, filled, percentText } from "./figures";

export interface UsageProps {
  readonly usage: UsageData;
  readonly contextTokens: number;
  readonly window: number | null;
}

export function Usage({ usage, contextTokens, window: contextWindow }: UsageProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("mousedown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("mousedown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [open]);
  if (usage.input + usage.output === 0) return null;
  const all = figures(usage, contextTokens, contextWindow);
  const text = all.map(({ name, value }) => `${name}: ${value}`).join(", ");
  const percent = filled(contextTokens, contextWindow);
  return (
    <div
      class="usage"
      ref={root}
      onKeyDown={(event) => {
        if (!open || event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        setOpen(false);
      }}
    >
      <button
        class="usage-button"
        aria-description={text}
        aria-expanded={open}
        title={text}
        onClick={() => setOpen(!open)}
      >
        <span class="visually-hidden">{t("Usage")}</span>
        {percent === null ? (
          <span>{t("{0} tokens", tokens(usage.input + usage.output))}</span>
        ) : (
          <>
            <meter class="usage-meter" min={0} max={100} high={80} value={percent} aria-hidden="true" />
            <span>{percentText(percent)}</span>
          </>
        )}
        {usage.cost !== null && <span>{cost(usage.cost)}</span>}
      </button>
      {open && (
        <dl class="usage-panel" aria-label={t("Usage of this session")}>
          {all.map(({ name, value }) => (
            <div key={name} class="usage-row">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

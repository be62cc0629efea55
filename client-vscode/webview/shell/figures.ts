/** Usage in figures for a person. Pure. */

import type { UsageData } from "../../src/protocol";
import { number } from "../../src/numbers";
import { locale, t } from "../l10n";
import { cost } from "../transcript/format";

/** How full the model's window is, in percent; null: the window is not known. */
export function filled(contextTokens: number, window: number | null): number | null {
  if (window === null || window <= 0) return null;
  return Math.min(100, Math.round((100 * contextTokens) / window));
}

/** `45%`. */
export function percentText(percent: number): string {
  return number(percent / 100, locale(), { style: "percent" });
}

export interface Figure {
  readonly name: string;
  readonly value: string;
}

/** Each figure by its name; only what is known. */
export function figures(usage: UsageData, contextTokens: number, window: number | null): readonly Figure[] {
  const whole = (count: number): string => number(count, locale());
  const percent = filled(contextTokens, window);
  return [
    { name: t("Tokens in"), value: whole(usage.input) },
    ...(usage.cacheRead > 0 ? [{ name: t("of these from the cache"), value: whole(usage.cacheRead) }] : []),
    { name: t("Tokens out"), value: whole(usage.output) },
    ...(usage.reasoning > 0 ? [{ name: t("of these for thinking"), value: whole(usage.reasoning) }] : []),
    ...(usage.cost === null ? [] : [{ name: t("Cost"), value: cost(usage.cost) }]),
    ...(contextTokens > 0
      ? [
          {
            name: t("Context used"),
            value: percent === null ? whole(contextTokens) : t("{0} of {1} ({2})", whole(contextTokens), whole(window ?? 0), percentText(percent)),
          },
        ]
      : []),
  ];
}

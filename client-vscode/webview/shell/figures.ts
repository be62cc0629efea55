/** Usage in figures for a person. Pure. */

import type { UsageData } from "../../src/protocol";
import { t } from "../l10n";

/** `950`, `1.2k`, `34k`, `1.5M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${scaled(count / 1000)}k`;
  return `${scaled(count / 1_000_000)}M`;
}

function scaled(value: number): string {
  return value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}

/** US dollars; more places the less it is. Null: what it costs is not known. */
export function dollars(cost: number | null): string | null {
  if (cost === null) return null;
  return `$${cost.toFixed(cost > 0 && cost < 0.1 ? 4 : 2)}`;
}

/** How full the model's window is, in percent; null: the window is not known. */
export function filled(contextTokens: number, window: number | null): number | null {
  if (window === null || window <= 0) return null;
  return Math.min(100, Math.round((100 * contextTokens) / window));
}

export interface Figure {
  readonly name: string;
  readonly value: string;
}

/** Each figure by its name; only what is known. */
export function figures(usage: UsageData, contextTokens: number, window: number | null): readonly Figure[] {
  const whole = (count: number): string => count.toLocaleString("en-US");
  const percent = filled(contextTokens, window);
  const cost = dollars(usage.cost);
  return [
    { name: t("Tokens in"), value: whole(usage.input) },
    ...(usage.cacheRead > 0 ? [{ name: t("of these from the cache"), value: whole(usage.cacheRead) }] : []),
    { name: t("Tokens out"), value: whole(usage.output) },
    ...(usage.reasoning > 0 ? [{ name: t("of these for thinking"), value: whole(usage.reasoning) }] : []),
    ...(cost === null ? [] : [{ name: t("Cost"), value: cost }]),
    ...(contextTokens > 0
      ? [
          {
            name: t("Context used"),
            value: percent === null ? whole(contextTokens) : t("{0} of {1} ({2}%)", whole(contextTokens), whole(window ?? 0), percent),
          },
        ]
      : []),
  ];
}

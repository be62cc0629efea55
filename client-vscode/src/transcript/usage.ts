/** Adds up usage as the server does: if one part has usage but no cost, the total cost is not known. */

import type { UsageData } from "../protocol";

export const NO_USAGE: UsageData = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: null };

export function plus(one: UsageData, other: UsageData): UsageData {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    reasoning: one.reasoning + other.reasoning,
    cost: costOf([one, other].filter((usage) => usage.input + usage.output > 0 || usage.cost !== null)),
  };
}

/** US dollars; null: not known. */
function costOf(parts: readonly UsageData[]): number | null {
  if (parts.length === 0) return null;
  return parts.reduce<number | null>((sum, { cost }) => (sum === null || cost === null ? null : sum + cost), 0);
}

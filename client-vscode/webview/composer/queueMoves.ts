/** Where a queued message goes: steers come before follow-ups, so that a move can make it one of the others. Pure. */

import type { QueuedItem } from "../../src/protocol";

export interface Move {
  /** Place among those of its kind, from 0. */
  readonly to: number;
  readonly kind: QueuedItem["kind"];
}

/** One place up (-1) or down (1); null: it is at the end already. */
export function moveBy(items: readonly QueuedItem[], id: string, by: 1 | -1): Move | null {
  const item = items.find((each) => each.id === id);
  if (!item) return null;
  const alike = items.filter((each) => each.kind === item.kind);
  const to = alike.indexOf(item) + by;
  if (to >= 0 && to < alike.length) return { to, kind: item.kind };
  if (item.kind === "followUp" && by === -1) return { to: items.length - alike.length, kind: "steer" };
  if (item.kind === "steer" && by === 1) return { to: 0, kind: "followUp" };
  return null;
}

/** To where `target` is; null: nothing changes. */
export function moveOnto(items: readonly QueuedItem[], id: string, target: string): Move | null {
  const goal = items.find((each) => each.id === target);
  if (!goal || id === target) return null;
  return { to: items.filter((each) => each.kind === goal.kind).indexOf(goal), kind: goal.kind };
}

export function otherKind(item: QueuedItem): QueuedItem["kind"] {
  return item.kind === "steer" ? "followUp" : "steer";
}

/** The words and icons for sessions in lists. Pure: the clock and the locale, a tag for `Intl`, are passed in. */

import { t } from "../l10n";
import { dollars, number, shortCount } from "../numbers";
import type { Age } from "./groups";
import type { Row, RowState } from "./rows";

export interface Icon {
  /** A codicon's name. */
  readonly name: string;
  /** Id of a theme colour. */
  readonly color?: string;
}

const ICONS: Readonly<Record<RowState, Icon>> = {
  running: { name: "loading~spin" },
  waiting: { name: "bell-dot", color: "list.warningForeground" },
  interrupted: { name: "debug-pause", color: "list.warningForeground" },
  failed: { name: "error", color: "list.errorForeground" },
  locked: { name: "lock" },
  elsewhere: { name: "lock" },
  idle: { name: "comment" },
};

export function iconOf(state: RowState): Icon {
  return ICONS[state];
}

export function titleOf(row: Row): string {
  return row.title ?? t("Untitled session");
}

/** What a session is doing; null if it is idle. */
export function stateText(state: RowState): string | null {
  switch (state) {
    case "running":
      return t("running");
    case "waiting":
      return t("waiting for you");
    case "interrupted":
      return t("interrupted");
    case "failed":
      return t("ended by an error");
    case "locked":
      return t("open in another window");
    case "elsewhere":
      return t("running in another window");
    case "idle":
      return null;
  }
}

export function ageText(age: Age): string {
  switch (age) {
    case "today":
      return t("Today");
    case "yesterday":
      return t("Yesterday");
    case "week":
      return t("Last 7 days");
    case "earlier":
      return t("Earlier");
  }
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "now", "5 min. ago", "3 hr. ago", "2 days ago", then the date. */
export function timeText(time: number, now: Date, locale: string): string {
  const past = Math.max(0, now.getTime() - time);
  const relative = new Intl.RelativeTimeFormat(locale, { style: "short", numeric: "auto" });
  if (past < MINUTE) return relative.format(0, "second");
  if (past < HOUR) return relative.format(-Math.floor(past / MINUTE), "minute");
  if (past < DAY) return relative.format(-Math.floor(past / HOUR), "hour");
  const days = daysBetween(new Date(time), now);
  if (days <= 7) return relative.format(-days, "day");
  const date = new Date(time);
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year }).format(date);
}

/** Calendar days: yesterday evening is one day ago. */
function daysBetween(earlier: Date, later: Date): number {
  const midnight = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return (midnight(later) - midnight(earlier)) / DAY;
}

/** The model's name without its provider, which fits beside a title. */
export function modelText(model: string | null): string | null {
  return model?.slice(model.indexOf(":") + 1) ?? null;
}

/** Beside the title: state, time, model. */
export function descriptionOf(row: Row, now: Date, locale: string): string {
  const parts = [stateText(row.state), timeText(row.updated, now, locale), modelText(row.model)];
  return parts.filter((part) => part !== null && part !== "").join(" · ");
}

/** For screen readers. */
export function spokenOf(row: Row, now: Date, locale: string): string {
  return `${titleOf(row)}, ${descriptionOf(row, now, locale).replaceAll(" · ", ", ")}`;
}

/** The lines of the tooltip; `folderName` converts a folder's URI to a path. */
export function factsOf(
  row: Row,
  folderName: (uri: string) => string,
  locale: string,
): readonly (readonly [name: string, value: string])[] {
  const when = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const facts: [string, string][] = [];
  const state = stateText(row.state);
  if (state !== null) facts.push([t("State"), state]);
  facts.push([t("Last used"), when.format(row.updated)], [t("Created"), when.format(row.created)]);
  if (row.model !== null) facts.push([t("Model"), row.model]);
  if (row.usage) {
    const { input, output, cost } = row.usage;
    facts.push([t("Tokens"), t("{0} in, {1} out", shortCount(input, locale), shortCount(output, locale))]);
    if (cost !== null) facts.push([t("Cost"), dollars(cost, locale)]);
  }
  if (row.folders.length > 0) {
    facts.push([row.folders.length === 1 ? t("Folder") : t("Folders"), row.folders.map(folderName).join(", ")]);
  }
  facts.push([t("Log"), sizeText(row.size, locale)]);
  return facts;
}

function sizeText(bytes: number, locale: string): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  let size = bytes;
  let unit = 0;
  for (; size >= 1000 && unit < units.length - 1; unit += 1) size /= 1000;
  return number(size, locale, { style: "unit", unit: units[unit], maximumFractionDigits: size < 10 && unit > 0 ? 1 : 0 });
}

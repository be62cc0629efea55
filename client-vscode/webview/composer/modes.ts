/** The modes in words. Pure. */

import type { Choice, Mode } from "../../src/view/messages";
import { t } from "../l10n";

export type Named = NonNullable<Mode>;

const ORDER: readonly Named[] = ["read-only", "ask", "auto-edit", "full-auto"];

export function modeChoices(): readonly (Choice & { readonly value: Named })[] {
  return [
    { value: "read-only", label: t("Read only"), detail: t("Looks, and changes nothing") },
    { value: "ask", label: t("Ask"), detail: t("Asks before every change and every command") },
    { value: "auto-edit", label: t("Auto-edit"), detail: t("Changes files in the workspace; asks before commands") },
    { value: "full-auto", label: t("Full auto"), detail: t("Changes files and runs commands without asking") },
  ];
}

/** Those that a workspace can have: one that is not trusted has none that is looser than `ask`. */
export function possibleModes(trusted: boolean): ReturnType<typeof modeChoices> {
  return modeChoices().filter(({ value }) => trusted || !loosens("ask", value));
}

/** The mode that counts there. */
export function countingMode(mode: Mode, trusted: boolean): Mode {
  return mode !== null && !trusted && loosens("ask", mode) ? "ask" : mode;
}

/** Whether `wanted` lets more be done unasked than `now` does, and more than to ask about everything. */
export function loosens(now: Mode, wanted: Named): boolean {
  const place = ORDER.indexOf(wanted);
  return place > ORDER.indexOf("ask") && place > ORDER.indexOf(now ?? "ask");
}

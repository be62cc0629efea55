/** What a revert would come to, with the choices that were made so far. Pure. */

import type { FileToRevert, RevertedFile } from "../../src/protocol";
import { t } from "../l10n";
import type { Choice } from "./file";

export interface Summary {
  /** Conflicts without a choice. */
  readonly undecided: number;
  /** Files that it would settle: with none there is nothing to do. */
  readonly changed: number;
  readonly text: string;
}

export function summaryOf(files: readonly FileToRevert[], choices: Readonly<Record<string, Choice>>): Summary {
  const conflicts = files.filter(({ state }) => state === "conflict");
  const undecided = conflicts.filter(({ uri }) => choices[uri] === undefined).length;
  const restored = conflicts.filter(({ uri }) => choices[uri] === "restore").length;
  const kept = conflicts.filter(({ uri }) => choices[uri] === "keep").length;
  const back = files.filter(({ state }) => state === "ready").length + restored;
  return { undecided, changed: back + kept, text: textOf(undecided, back, kept) };
}

function textOf(undecided: number, back: number, kept: number): string {
  if (undecided === 1) return t("Choose what to do with the file that was changed since.");
  if (undecided > 1) return t("Choose what to do with the {0} files that were changed since.", undecided);
  if (back === 0 && kept === 0) return t("There is nothing to revert.");
  const files = back === 1 ? t("1 file will be reverted.") : t("{0} files will be reverted.", back);
  return `${files} ${t("This can be undone.")}`;
}

/** What became of the files, with the reason of each that was not taken back. */
export function outcomeText(files: readonly RevertedFile[]): string {
  const back = files.filter(({ outcome }) => outcome === "restored" || outcome === "deleted").length;
  const failed = files.filter(({ outcome }) => outcome === "failed" || outcome === "conflict");
  const done = back === 1 ? t("1 file was reverted.") : t("{0} files were reverted.", back);
  if (failed.length === 0) return done;
  const not = failed.length === 1 ? t("1 was not:") : t("{0} were not:", failed.length);
  return [done, not, ...failed.flatMap(({ message }) => message ?? [])].join(" ");
}

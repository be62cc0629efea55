/** Reverts through the server: previews one, carries it out, and describes the outcome. Pure. */

import { t } from "../l10n";
import type { FileToRevert, RevertedFile, RevertParams, RevertPreview } from "../protocol";
import { eventAfter, type EventSource } from "../sessions/awaited";
import type { Commander } from "../view/commander";
import type { RunChanges } from "./lastRun";

/** What a revert of `files` (by default all) would do. Changes nothing. */
export async function preview(
  server: Commander,
  session: string,
  checkpoint: string,
  files?: readonly string[],
): Promise<RevertPreview> {
  const named = files ? { files: [...files] } : {};
  const answer = await server.execute("steersman.revert", { session, checkpoint, preview: true, ...named });
  if (!("files" in answer)) throw new Error("the server has answered a question about a revert by a revert");
  return answer;
}

/** Carries out a revert that the user has seen and accepted; returns the outcome for each file. */
export async function carryOut(
  server: Commander & EventSource,
  params: Omit<RevertParams, "preview">,
): Promise<readonly RevertedFile[]> {
  return eventAfter(
    server,
    () => server.execute("steersman.revert", { ...params, preview: false }),
    (event) => (event.type === "revert_end" && event.session === params.session ? event.data.files : undefined),
  );
}

/** The id of the checkpoint before a run's changes, or else of the session's last one with changes; null: there is none. */
export async function checkpointOf(server: Commander, session: string, run?: RunChanges): Promise<string | null> {
  if (run?.checkpoint) return run.checkpoint;
  const { checkpoints } = await server.execute("steersman.checkpoints", { session });
  return checkpoints.filter(({ files }) => files.length > 0).at(-1)?.checkpoint ?? null;
}

/** The files that can be reverted. */
export function revertible(files: readonly FileToRevert[]): FileToRevert[] {
  return files.filter(({ state }) => state === "ready" || state === "conflict");
}

/** "+3 −1"; zeros are left out. */
export function countsText({ added = 0, removed = 0 }: { added?: number; removed?: number }): string {
  return [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])].join(" ");
}

/** The outcome in words, and whether everything succeeded. */
export function outcomeText(files: readonly RevertedFile[]): { readonly text: string; readonly well: boolean } {
  const back = files.filter(({ outcome }) => outcome === "restored" || outcome === "deleted").length;
  const failed = files.filter(({ outcome }) => outcome === "failed" || outcome === "conflict");
  const done = back === 1 ? t("1 file was reverted.") : t("{0} files were reverted.", back);
  const why = failed.map(({ message }) => message).filter((message) => message !== undefined);
  if (failed.length === 0) return { text: done, well: true };
  const not = failed.length === 1 ? t("1 was not:") : t("{0} were not:", failed.length);
  return { text: [done, not, ...why].join(" "), well: false };
}

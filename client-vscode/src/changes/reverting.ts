/** Reverts as the server does them: what one would do, having it done, and what became of it in words. Pure. */

import { t } from "../l10n";
import type { FileToRevert, RevertedFile, RevertParams, RevertPreview } from "../protocol";
import { eventAfter, type EventSource } from "../sessions/awaited";
import type { Commander } from "../view/commander";
import type { RunChanges } from "./lastRun";

/** What a revert of `files` (all without) would do. Changes nothing. */
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

/** Does it, and tells what became of each file. The user has seen the preview and said yes. */
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

/** What names the checkpoint before a run's changes: null where the session has none with changes. */
export async function checkpointOf(server: Commander, session: string, run?: RunChanges): Promise<string | null> {
  if (run?.checkpoint) return run.checkpoint;
  const { checkpoints } = await server.execute("steersman.checkpoints", { session });
  return checkpoints.filter(({ files }) => files.length > 0).at(-1)?.checkpoint ?? null;
}

/** Files that a revert can do something about. */
export function revertible(files: readonly FileToRevert[]): FileToRevert[] {
  return files.filter(({ state }) => state === "ready" || state === "conflict");
}

/** "+3 −1"; what is none is left out. */
export function countsText({ added = 0, removed = 0 }: { added?: number; removed?: number }): string {
  return [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])].join(" ");
}

/** One sentence on what became of the files, and whether all is well. */
export function outcomeText(files: readonly RevertedFile[]): { readonly text: string; readonly well: boolean } {
  const back = files.filter(({ outcome }) => outcome === "restored" || outcome === "deleted").length;
  const failed = files.filter(({ outcome }) => outcome === "failed" || outcome === "conflict");
  const done = back === 1 ? t("1 file was reverted.") : t("{0} files were reverted.", back);
  const why = failed.map(({ message }) => message).filter((message) => message !== undefined);
  if (failed.length === 0) return { text: done, well: true };
  const not = failed.length === 1 ? t("1 was not:") : t("{0} were not:", failed.length);
  return { text: [done, not, ...why].join(" "), well: false };
}

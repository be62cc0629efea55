/**
 * Where the files are now that a transcript names. It follows every change in the session's log, including later runs and
 * reverts, so that links in earlier entries lead to a file's present place. Pure.
 */

import type { EditAppliedData, FileSummary } from "../protocol";
import { placesOf } from "./filePlaces";

/** By URI, where a moved file is now; null: it was deleted. A file that is not in it has not moved. */
export type Whereabouts = ReadonlyMap<string, string | null>;

type Change = Pick<EditAppliedData, "uri" | "kind" | "target">;

/** The whereabouts after a change; the same object if every file stays in its place. */
export function followed(now: Whereabouts, { uri, kind, target }: Change): Whereabouts {
  const to = kind === "delete" ? null : kind === "move" ? target : undefined;
  if (to === undefined) {
    // There is a file again.
    if (!now.has(uri)) return now;
    const without = new Map(now);
    without.delete(uri);
    return without;
  }
  const after = new Map([...now].map(([name, place]) => [name, place === uri ? to : place]));
  after.set(uri, to);
  if (to !== null) after.delete(to);
  return after;
}

/** Where the file is now that was at `uri`; null: it was deleted. */
export function placeNow(uri: string, whereabouts: Whereabouts): string | null {
  return whereabouts.get(uri) ?? (whereabouts.has(uri) ? null : uri);
}

/**
 * What to open for a link to `named` (a URI or a path, as in `placesOf`): if the file was moved, its present place. A deleted
 * file keeps its name, so that opening it can report that.
 */
export function linkNow(named: string, roots: readonly string[], whereabouts: Whereabouts): string {
  const moved = placesOf(named, roots).map((place) => whereabouts.get(place));
  return moved.find((place) => typeof place === "string") ?? named;
}

/** A changed file in a list, at its present place. */
export interface Changed {
  /** Where it was; of several names, the last. */
  readonly was: string;
  readonly place: string | null;
  readonly added: number;
  readonly removed: number;
}

/** The changed files, each once: a file that was changed before and after a move is one. */
export function changedFiles(files: readonly FileSummary[], whereabouts: Whereabouts): Changed[] {
  const all = new Map<string, Changed>();
  for (const { uri, added, removed } of files) {
    const place = placeNow(uri, whereabouts);
    const before = all.get(place ?? uri);
    const was = before && uri === place ? before.was : uri;
    all.set(place ?? uri, { was, place, added: added + (before?.added ?? 0), removed: removed + (before?.removed ?? 0) });
  }
  return [...all.values()];
}

/**
 * Where the files are that a transcript names: followed through every change that the session's log tells, those of later
 * runs and of reverts too, so that no link of an earlier entry leads to where a file was. Pure.
 */

import type { EditAppliedData, FileSummary } from "../protocol";
import { placesOf } from "./filePlaces";

/** By URI where a file that was moved is now; null: it was deleted. What isn't in it is where it was. */
export type Whereabouts = ReadonlyMap<string, string | null>;

type Change = Pick<EditAppliedData, "uri" | "kind" | "target">;

/** After one more change; the same object where that leaves every file in its place. */
export function followed(now: Whereabouts, { uri, kind, target }: Change): Whereabouts {
  const to = kind === "delete" ? null : kind === "move" ? target : undefined;
  if (to === undefined) {
    // Something is there again.
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

/** Where a file is now that was at `uri`; null: it was deleted. */
export function placeNow(uri: string, whereabouts: Whereabouts): string | null {
  return whereabouts.get(uri) ?? (whereabouts.has(uri) ? null : uri);
}

/**
 * What to open for a link to `named`: a file that was moved where it is now. A URI or a path, as in `placesOf`; what was
 * deleted is named as before, so that who opens it can say so.
 */
export function linkNow(named: string, roots: readonly string[], whereabouts: Whereabouts): string {
  const moved = placesOf(named, roots).map((place) => whereabouts.get(place));
  return moved.find((place) => typeof place === "string") ?? named;
}

/** A changed file as a list shows it, once, where it is now. */
export interface Changed {
  /** Where it was; the last of several names. */
  readonly was: string;
  readonly place: string | null;
  readonly added: number;
  readonly removed: number;
}

/** A file that was changed under two names, as before and after a move, is one. */
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

/** Numbers and names as people read them. Pure. */

import { visible } from "../approvals/visible";
import { dollars, number, shortCount } from "../../src/numbers";
import { locale, t } from "../l10n";

/** `840 ms`, `3.2 s`, `2 min 5 s`, `1 h 4 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return t("{0} ms", Math.round(ms));
  const seconds = ms / 1000;
  if (seconds < 59.95) return t("{0} s", number(seconds, locale(), places(seconds < 9.95 ? 1 : 0)));
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return t("{0} min {1} s", minutes, Math.round(seconds) % 60);
  return t("{0} h {1} min", Math.floor(minutes / 60), minutes % 60);
}

function places(digits: number): Intl.NumberFormatOptions {
  return { minimumFractionDigits: digits, maximumFractionDigits: digits };
}

/** `812`, `12.4k`, `1.2M`. */
export function tokens(count: number): string {
  return shortCount(count, locale());
}

/** US dollars. */
export function cost(amount: number): string {
  return dollars(amount, locale());
}

/**
 * How a file is called in a session whose folders are `roots`: from the first of them, with the folder's name in another,
 * else by its path. Nothing in it is invisible.
 */
export function fileName(uri: string, roots: readonly string[]): string {
  const folders = roots.map((each) => each.replace(/\/$/, ""));
  const at = folders.findIndex((folder) => uri.startsWith(`${folder}/`));
  const folder = folders[at];
  if (folder === undefined) return visible(decoded(uri.replace(/^file:\/\//, "")));
  return visible(decoded(uri.slice(at === 0 ? folder.length + 1 : folder.lastIndexOf("/") + 1)));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A path as a model has written it, relative to the session's folder where it lies in there. */
export function pathName(path: string, roots: readonly string[]): string {
  if (!path.startsWith("/")) return path;
  return fileName(`file://${path.split("/").map(encodeURIComponent).join("/")}`, roots);
}

/** The first line, at most `most` characters of it. */
export function firstLine(text: string, most: number): string {
  const [line = ""] = text.trim().split("\n", 1);
  const characters = Array.from(line.slice(0, 2 * most + 2));
  const cut = characters.length > most || line.length < text.trim().length;
  return cut ? `${characters.slice(0, most - 1).join("")}…` : line;
}

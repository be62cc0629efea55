/** How a file, or some lines of it, is mentioned in a message: `@path#L3-L9`. Pure; the server reads it. */

import type { RangeLike } from "./lspShapes";

/** A workspace folder. */
export interface FolderLike {
  /** With `/` between the names. */
  readonly path: string;
  readonly name: string;
}

/** Lines from 1, both included. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

/** Nothing in it ends a mention, and its end isn't taken for a sentence's punctuation. */
const BARE = /^[^\s"@#\\](?:[^\s"#]*[^\s"#.,;:!?)\]}>'`*…])?$/u;

export function mention(path: string, lines?: Lines): string {
  const where = lines === undefined ? "" : `#L${lines.first}${lines.last === lines.first ? "" : `-L${lines.last}`}`;
  if (BARE.test(path)) return `@${path}${where}`;
  return `@"${path.replace(/["\\]/g, "\\$&")}"${where}`;
}

/** The lines that a selection touches; undefined if nothing is selected. */
export function linesOf({ start, end }: RangeLike): Lines | undefined {
  if (start.line === end.line && start.character === end.character) return undefined;
  // A selection of whole lines ends at the start of the next.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { first: start.line + 1, last: last + 1 };
}

/**
 * A file as the server names it: from the first workspace folder, `folder/…` in another one, else absolute.
 *
 * @param path - absolute, with `/` between the names
 */
export function pathFrom(path: string, folders: readonly FolderLike[]): string {
  const [own] = folders;
  if (own === undefined) return path;
  const inOwn = below(path, own.path);
  if (inOwn !== undefined) return inOwn;
  const holding = folders
    .filter((folder) => below(path, folder.path) !== undefined)
    .sort((one, other) => other.path.length - one.path.length)[0];
  if (holding === undefined) return path;
  // Of two folders with the same name the server has made one another: only the path says which.
  const isUnique = folders.filter(({ name }) => name === holding.name).length === 1;
  const inside = below(path, holding.path) ?? "";
  return isUnique && !holding.name.includes("/") ? [holding.name, inside].filter((part) => part !== ".").join("/") : path;
}

/** `path` from `folder`; `.` for the folder itself, undefined outside of it. */
function below(path: string, folder: string): string | undefined {
  const root = folder.replace(/\/+$/, "");
  if (path === root) return ".";
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

/** `text` after what is in a draft, with a space between and one to go on after. */
export function appended(draft: string, text: string): string {
  return `${draft}${draft === "" || /\s$/.test(draft) ? "" : " "}${text} `;
}

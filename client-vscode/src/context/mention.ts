/** Mentions of files, or of lines in them, in a message: `@path#L3-L9`. The server parses them. Pure. */

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

/** A path that needs no quotes: nothing in it ends a mention, and its end can't be taken for punctuation. */
const BARE = /^[^\s"@#\\](?:[^\s"#]*[^\s"#.,;:!?)\]}>'`*…])?$/u;

export function mention(path: string, lines?: Lines): string {
  const where = lines === undefined ? "" : `#L${lines.first}${lines.last === lines.first ? "" : `-L${lines.last}`}`;
  if (BARE.test(path)) return `@${path}${where}`;
  return `@"${path.replace(/["\\]/g, "\\$&")}"${where}`;
}

/** The lines that a selection covers; undefined if it is empty. */
export function linesOf({ start, end }: RangeLike): Lines | undefined {
  if (start.line === end.line && start.character === end.character) return undefined;
  // A selection of whole lines ends at the start of the next.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { first: start.line + 1, last: last + 1 };
}

/**
 * A file's path as the server names it: relative to the first workspace folder, `folder/…` in another one, else absolute.
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
  // The server renames one of two folders with the same name, so only the absolute path is unambiguous.
  const isUnique = folders.filter(({ name }) => name === holding.name).length === 1;
  const inside = below(path, holding.path) ?? "";
  return isUnique && !holding.name.includes("/") ? [holding.name, inside].filter((part) => part !== ".").join("/") : path;
}

/** `path` relative to `folder`; `.` for the folder itself, undefined outside it. */
function below(path: string, folder: string): string | undefined {
  const root = folder.replace(/\/+$/, "");
  if (path === root) return ".";
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

/** `draft` with `text` appended, separated by a space and followed by one. */
export function appended(draft: string, text: string): string {
  return `${draft}${draft === "" || /\s$/.test(draft) ? "" : " "}${text} `;
}

/** A symbol of the workspace as the composer completes it. Pure. */

import type { SymbolLike } from "../../context/lspShapes";
import { linesOf, mention, type Lines } from "../../context/mention";
import type { Completion } from "../messages";

/** `path`: of the symbol's file, as the server reads it. */
export function symbolItem({ name, containerName, location }: SymbolLike, path: string): Completion {
  const detail = [containerName, path].filter((text) => text !== undefined && text !== "").join(" · ");
  return { label: name, detail, icon: "symbol-method", insert: mention(path, linesIn(location?.range)) };
}

/** Undefined: the language extension knows only the file. */
function linesIn(range: Parameters<typeof linesOf>[0] | undefined): Lines | undefined {
  return range && (linesOf(range) ?? { first: range.start.line + 1, last: range.start.line + 1 });
}

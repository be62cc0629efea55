/**
 * A growing text, cut into top-level blocks so that what is finished is parsed and rendered once. Pure.
 *
 * A block is finished when another one has begun after it, both of whole lines: no later line changes it then. Only the
 * text from the last block on is looked at again.
 */

import type { Token } from "markdown-it";
import { markdown, type References } from "./render";

export interface Blocks {
  /** Sources of what is finished. */
  readonly finished: readonly string[];
  /** Source of the last block, which may go on. */
  readonly last: string;
  readonly references: References;
  /** Where `last` begins, and up to where whole lines have been looked at. */
  readonly from: number;
  readonly looked: number;
  readonly text: string;
}

export function noBlocks(): Blocks {
  return { finished: [], last: "", references: {}, from: 0, looked: 0, text: "" };
}

/** The blocks of `text`; those of `before` that it begins with are kept. */
export function blocksOf(before: Blocks, text: string): Blocks {
  const source = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  if (source === before.text) return before;
  const known = source.startsWith(before.text) ? before : noBlocks();
  const whole = source.lastIndexOf("\n") + 1;
  if (whole <= known.looked) return { ...known, text: source, last: source.slice(known.from) };
  const lines = source.slice(known.from, whole);
  const starts = blockStarts(lines, known.references);
  const ends = starts.slice(1);
  const finished = ends.map((end, i) => lines.slice(i === 0 ? 0 : starts[i], end));
  const from = known.from + (ends.at(-1) ?? 0);
  return {
    finished: finished.length > 0 ? [...known.finished, ...finished] : known.finished,
    last: source.slice(from),
    references: known.references,
    from,
    looked: whole,
    text: source,
  };
}

/** A fenced block of code that has no end yet: its language and what it holds so far. */
export function openFence(source: string): { readonly language: string; readonly code: string } | undefined {
  const [, fence = "", info = "", code = ""] = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n([^]*)$/.exec(source) ?? [];
  if (fence === "" || (fence.startsWith("`") && info.includes("`"))) return undefined;
  const closing = new RegExp(`^ {0,3}${fence[0] ?? ""}{${fence.length},}[ \\t]*$`, "m");
  if (closing.test(code)) return undefined;
  return { language: info.trim().split(/[\s{]/, 1)[0] ?? "", code };
}

/** Offsets at which the top-level blocks begin. */
function blockStarts(source: string, references: References): number[] {
  const tokens: Token[] = [];
  markdown.block.parse(source, markdown, references, tokens);
  const begun = tokens.filter(({ level, nesting, map }) => level === 0 && nesting >= 0 && map);
  const lines = new Set(begun.map(({ map }) => map?.[0] ?? 0));
  const offsets: number[] = [];
  let line = 0;
  for (let at = 0; at >= 0 && at < source.length; line += 1) {
    if (lines.has(line)) offsets.push(at);
    const end = source.indexOf("\n", at);
    at = end < 0 ? -1 : end + 1;
  }
  return offsets;
}

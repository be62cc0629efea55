/**
 * Converts the results of the `vscode.execute…Provider` commands to the LSP results that the server's known tools expect,
 * with limits.
 *
 * Pure: it knows the shapes of the editor's objects, not the editor. Positions are in UTF-16 on both sides.
 */

import { cut } from "../cut";
import type { Span } from "../protocol";

/** Entries passed on of one result; models are shown 200. */
export const MAX_ENTRIES = 5_000;
/** UTF-16 code units of a hover. */
const MAX_HOVER = 50_000;

export interface RangeLike {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

export interface UriLike {
  toString(): string;
}

export interface LocationLike {
  readonly uri: UriLike;
  /** Missing where a provider knows only the file. */
  readonly range?: RangeLike;
}

export interface LinkLike {
  readonly targetUri: UriLike;
  readonly targetRange: RangeLike;
  readonly targetSelectionRange?: RangeLike;
}

/** A `DocumentSymbol`, a `SymbolInformation`, or what VS Code makes of both. Kinds count from 0. */
export interface SymbolLike {
  readonly name: string;
  readonly kind: number;
  readonly containerName?: string;
  readonly location?: LocationLike;
  readonly range?: RangeLike;
  readonly selectionRange?: RangeLike;
  readonly children?: readonly SymbolLike[];
}

export interface EditLike {
  readonly range: RangeLike;
  readonly newText: string;
}

/** A `MarkdownString` or what came before it. */
export type MarkedLike = string | { readonly value: string; readonly language?: string };

export interface HoverLike {
  readonly contents: readonly MarkedLike[];
  readonly range?: RangeLike;
}

export interface LspLocation {
  readonly uri: string;
  readonly range: Span;
}

export interface LspSymbol {
  readonly name: string;
  readonly kind: number;
  readonly containerName?: string;
  readonly location?: { readonly uri: string; readonly range?: Span };
  readonly range?: Span;
  readonly selectionRange?: Span;
  readonly children?: readonly LspSymbol[];
}

export interface LspHover {
  readonly contents: { readonly kind: "markdown"; readonly value: string };
  readonly range?: Span;
}

export function spanOf({ start, end }: RangeLike): Span {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

/** `Location[]`, also from links: for these, the place of the name rather than of the whole definition. */
export function locations(found: readonly (LocationLike | LinkLike)[]): LspLocation[] {
  return found.slice(0, MAX_ENTRIES).map((each) => {
    if (!("targetUri" in each)) return { uri: each.uri.toString(), range: spanOf(each.range ?? START) };
    return { uri: each.targetUri.toString(), range: spanOf(each.targetSelectionRange ?? each.targetRange) };
  });
}

/** `DocumentSymbol[]` where the nesting is known, else `SymbolInformation[]`. */
export function symbols(found: readonly SymbolLike[]): LspSymbol[] {
  let left = MAX_ENTRIES;
  const converted = (each: SymbolLike): LspSymbol => {
    const { selectionRange, location } = each;
    const named = { name: each.name, kind: each.kind + 1 };
    if (selectionRange !== undefined) {
      const range = spanOf(each.range ?? selectionRange);
      return { ...named, range, selectionRange: spanOf(selectionRange), children: some(each.children ?? []).sort(byPlace) };
    }
    return {
      ...named,
      ...(each.containerName ? { containerName: each.containerName } : {}),
      ...(location ? { location: { uri: location.uri.toString(), ...spanIn(location.range) } } : {}),
    };
  };
  const some = (symbols: readonly SymbolLike[]): LspSymbol[] => {
    const taken = symbols.slice(0, left);
    left -= taken.length;
    return taken.map(converted);
  };
  return some(found).sort(byPlace);
}

/** A `WorkspaceEdit` with `changes`. */
export function changes(
  entries: readonly (readonly [UriLike, readonly EditLike[]])[],
): { readonly changes: Readonly<Record<string, readonly { range: Span; newText: string }[]>> } {
  let left = MAX_ENTRIES;
  const byUri: Record<string, { range: Span; newText: string }[]> = {};
  for (const [uri, edits] of entries) {
    const taken = edits.slice(0, left);
    left -= taken.length;
    (byUri[uri.toString()] ??= []).push(
      ...taken.map(({ range, newText }) => ({ range: spanOf(range), newText })),
    );
  }
  return { changes: byUri };
}

/** Merges all providers' hovers into one `Hover`; null if they say nothing. */
export function hover(found: readonly HoverLike[]): LspHover | null {
  const said = found.flatMap(({ contents }) => contents.map(markdown)).filter((text) => text.trim() !== "");
  if (said.length === 0) return null;
  const range = found.find((each) => each.range)?.range;
  return { contents: { kind: "markdown", value: cut(said.join("\n\n"), MAX_HOVER) }, ...spanIn(range) };
}

/** Orders a document's symbols, which some extensions sort by name, by position. Others keep their order. */
function byPlace(one: LspSymbol, other: LspSymbol): number {
  const [first, second] = [one.selectionRange?.start, other.selectionRange?.start];
  if (first === undefined || second === undefined) return 0;
  return first.line - second.line || first.character - second.character;
}

const START: RangeLike = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function spanIn(range: RangeLike | undefined): { range?: Span } {
  return range ? { range: spanOf(range) } : {};
}

function markdown(marked: MarkedLike): string {
  if (typeof marked === "string") return marked;
  return marked.language ? `\`\`\`${marked.language}\n${marked.value}\n\`\`\`` : marked.value;
}

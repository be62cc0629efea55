/** Validates the arguments of a known tool, which are the params of an LSP request. Pure. */

export interface Place {
  readonly uri: string;
  /** From 0, in UTF-16 code units. */
  readonly line: number;
  readonly character: number;
}

/** The arguments are not as the protocol says. */
export class BadArguments extends Error {}

export function placeIn(given: unknown): Place {
  const { position } = record(given);
  const { line, character } = record(position);
  if (!isIndex(line) || !isIndex(character)) throw new BadArguments("The call names no position.");
  const uri = documentIn(given);
  if (uri === undefined) throw new BadArguments("The call names no document.");
  return { uri, line, character };
}

/** The URI of `textDocument`, if there is one. */
export function documentIn(given: unknown): string | undefined {
  const { uri } = record(record(given).textDocument);
  return typeof uri === "string" ? uri : undefined;
}

/** The string argument of that name. */
export function textIn(given: unknown, name: "newName" | "query"): string {
  const text = record(given)[name];
  if (typeof text !== "string") throw new BadArguments(`The call has no ${name}.`);
  return text;
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

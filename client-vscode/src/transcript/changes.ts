/**
 * What a call did to files, as diffs. A question has the diff of the proposal. A change that needed no question, or that the
 * user altered, is in the result: the diff in its text, the counts in its details. Pure.
 */

import type { FileChangeData, ToolEndData } from "../protocol";
import type { ToolEntry } from "./entries";

type Kind = FileChangeData["kind"];

interface Told {
  readonly uri: string;
  readonly kind: Kind;
  readonly added: number;
  readonly removed: number;
}

export function changesDone(call: ToolEntry, { details }: ToolEndData, output: string): readonly FileChangeData[] {
  const told = toldChanges(details?.changes);
  if (told.length === 0) return call.changes;
  const uris = told.map(({ uri }) => uri);
  const altered = call.approval?.edited === true || call.approval?.partly === true;
  return told.map((change) => {
    const proposed = altered ? undefined : call.changes.find(({ uri }) => uri === change.uri);
    const diff = diffOf(change, call, altered, output, uris);
    return proposed ?? { ...change, base: { sha256: null }, hunks: [], diff };
  });
}

function diffOf({ kind, uri }: Told, call: ToolEntry, altered: boolean, output: string, uris: readonly string[]): string {
  if (kind === "edit") return uris.length > 1 ? diffFor(uri, uris, output) : diffIn(output);
  const { content } = call.args;
  return kind === "create" && !altered && typeof content === "string" ? diffOfNew(content) : "";
}

/** The first unified diff in a result's text: from its `---` line to where its hunks end. */
export function diffIn(text: string): string {
  return diffFrom(text.split("\n"), () => true);
}

/** The diff of one of several files, by the name in its header: the end of a path, and of two the shorter path's. */
function diffFor(uri: string, uris: readonly string[], text: string): string {
  const path = decodeURIComponent(uri);
  const shorter = uris.map(decodeURIComponent).filter((other) => other.length < path.length);
  return diffFrom(text.split("\n"), (name) => {
    const isOf = (each: string): boolean => each.endsWith(`/${name}`);
    return isOf(path) && !shorter.some(isOf);
  });
}

function diffFrom(lines: readonly string[], isWanted: (name: string) => boolean): string {
  const start = lines.findIndex((line, i) => {
    const name = /^\+\+\+ (?:b\/)?(.*?)\t?$/.exec(lines[i + 1] ?? "")?.[1];
    return line.startsWith("--- ") && name !== undefined && isWanted(name);
  });
  if (start < 0) return "";
  let end = start + 2;
  while (end < lines.length && /^(?:@@|[ +\-\\])/.test(lines[end] ?? "")) end += 1;
  return lines.slice(start, end).join("\n");
}

function diffOfNew(content: string): string {
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join("\n");
}

function toldChanges(value: unknown): Told[] {
  return Array.isArray(value) ? value.flatMap((each) => (isTold(each) ? [each] : [])) : [];
}

function isTold(value: unknown): value is Told {
  if (typeof value !== "object" || value === null) return false;
  const { uri, kind, added, removed } = value as Partial<Record<keyof Told, unknown>>;
  return (
    typeof uri === "string" &&
    (kind === "create" || kind === "edit" || kind === "delete" || kind === "move") &&
    typeof added === "number" &&
    typeof removed === "number"
  );
}

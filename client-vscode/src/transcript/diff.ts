/** A unified diff as lines with their numbers. Pure. */

export interface DiffLine {
  readonly kind: "hunk" | "context" | "added" | "removed" | "note";
  /** Without the diff's first column. */
  readonly text: string;
  /** From 1; undefined if the line is only on the other side. */
  readonly oldLine?: number;
  readonly newLine?: number;
}

/** The lines of one file's diff, without its header. Text that is no diff gives no lines. */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let oldLine = 0;
  let newLine = 0;
  let inHunk = false;
  for (const line of diff.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (hunk) {
      inHunk = true;
      oldLine = Number(hunk[1]);
      newLine = Number(hunk[2]);
      lines.push({ kind: "hunk", text: line });
      continue;
    }
    if (!inHunk || line === "") continue;
    const text = line.slice(1);
    if (line.startsWith("+")) lines.push({ kind: "added", text, newLine: newLine++ });
    else if (line.startsWith("-")) lines.push({ kind: "removed", text, oldLine: oldLine++ });
    else if (line.startsWith(" ")) lines.push({ kind: "context", text, oldLine: oldLine++, newLine: newLine++ });
    else lines.push({ kind: "note", text: line.replace(/^\\ /, "") });
  }
  return lines;
}

/** The line of the new file where the change begins, from 1; undefined if the diff doesn't say. */
export function firstChangedLine(lines: readonly DiffLine[]): number | undefined {
  const at = lines.findIndex(({ kind }) => kind === "added" || kind === "removed");
  const near = lines.slice(at < 0 ? lines.length : at).find(({ newLine }) => newLine !== undefined);
  return near?.newLine;
}

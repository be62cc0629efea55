/** A recorded model behind a real socket: what it says, and what it insists on having been told. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { STEERSMAN } from "./places";
import { Program } from "./programs";

/** A line of a tape: `pydoc steersman.models.tape_format` says what there is. */
export interface Turn {
  readonly when?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly expect?: Readonly<Record<string, unknown>>;
  readonly error?: Readonly<Record<string, unknown>>;
  /** Tokens. */
  readonly usage?: Readonly<Record<string, number>>;
  readonly hang?: boolean;
  readonly chunk?: number;
  readonly delayMs?: number;
  readonly deltaDelayMs?: number;
}

export async function serveTape(folder: string, turns: readonly Turn[]): Promise<Program & { readonly url?: string }> {
  const file = join(folder, "tape.jsonl");
  writeFileSync(file, [{ tape: 1, name: "story" }, ...turns].map((line) => `${JSON.stringify(line)}\n`).join(""));
  return Program.start(STEERSMAN, ["tape", "serve", file], process.env, (line) => line.startsWith("{"));
}

export function urlOf(tape: Program): string {
  return (JSON.parse(tape.line) as { url: string }).url;
}

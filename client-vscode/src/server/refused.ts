/** What the server refuses, as a value that can be told to the user and acted on. It knows no editor. */

import type { RefusedData } from "../protocol";

/** The server's codes, and what can go wrong on the way to it. */
export type RefusalCode = RefusedData["code"] | "noServer" | "failed";

/** A command that can't be done now, or at all. `data.text` is what was said and is handed back. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: RefusalCode,
    readonly data: Partial<RefusedData> = {},
  ) {
    super(message);
  }
}

/** The error of a request, as what the server means by it. `data` of -32803 and -32602 is an object; others have none. */
export function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  const message = error instanceof Error ? error.message : String(error);
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : undefined;
  const refusal: Partial<RefusedData> = typeof data === "object" && data !== null ? data : {};
  return new Refused(message, refusal.code ?? "failed", refusal);
}

/** A command that was refused, as an error to show to the user or to act on. It knows no editor. */

import type { RefusedData } from "../protocol";

/** The server's codes, and those for failures on the way to it. */
export type RefusalCode = RefusedData["code"] | "noServer" | "failed";

/** The command can't be carried out now, or at all. `data.text` is the user's text, returned. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: RefusalCode,
    readonly data: Partial<RefusedData> = {},
  ) {
    super(message);
  }
}

/** Any thrown value as `Refused`. The server's errors -32803 and -32602 have an object in `data`; others have none. */
export function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  const message = error instanceof Error ? error.message : String(error);
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : undefined;
  const refusal: Partial<RefusedData> = typeof data === "object" && data !== null ? data : {};
  return new Refused(message, refusal.code ?? "failed", refusal);
}

/** Takes a session's lock. It tries repeatedly: after a reload the old window's server may still hold it for a moment. */

import type { ResumeAnswer } from "../protocol";
import { asRefused } from "../server/refused";
import type { Commander } from "./commander";

export type Opened =
  | { readonly kind: "open"; readonly answer: ResumeAnswer }
  /** Another process works in it. */
  | { readonly kind: "locked" }
  | { readonly kind: "gone" }
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

/** Milliseconds before each retry. */
const PAUSES = [200, 400, 800, 1600] as const;

/**
 * @param wanted whether anybody still waits for this
 * @param pause resolves after that many milliseconds
 */
export async function openSession(
  server: Commander,
  session: string,
  wanted: () => boolean,
  pause: (ms: number) => Promise<void>,
): Promise<Opened> {
  for (let attempt = 0; ; attempt++) {
    try {
      return { kind: "open", answer: await server.execute("steersman.resume", { session }) };
    } catch (error) {
      const { code, message } = asRefused(error);
      if (code === "unknownSession") return { kind: "gone" };
      if (code !== "locked") return { kind: "refused", code, message };
      const next = PAUSES[attempt];
      if (next === undefined || !wanted()) return { kind: "locked" };
      await pause(next);
    }
  }
}

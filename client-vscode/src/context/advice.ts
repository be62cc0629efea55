/** What to say and offer when the server refuses a command that was run outside the chat. Pure. */

import type { Refused } from "../server/refused";

export type Offer = "showChat" | "openSettings" | "showLog";

export interface Advice {
  readonly message: string;
  readonly offers: readonly Offer[];
  /** The session to show in the chat. */
  readonly session: string | undefined;
  /** The user's text, which goes back into the composer. */
  readonly text: string | undefined;
}

export function adviceOn(refused: Refused): Advice {
  const { session, text } = refused.data;
  return {
    message: refused.message,
    offers: offersOn(refused, text),
    session: session ?? undefined,
    text: text ?? undefined,
  };
}

function offersOn(refused: Refused, text: string | null | undefined): readonly Offer[] {
  switch (refused.code) {
    case "busy":
    case "aborting":
    case "ambiguous":
    case "noServer":
      return ["showChat"];
    case "unknownModel":
    case "noCredentials":
      return ["openSettings", "showChat"];
    case "failed":
    case "extensionFailed":
      return ["showLog"];
    default:
      return text ? ["showChat"] : [];
  }
}

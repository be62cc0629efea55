/** Says what is in the composer, once: while it is on its way nothing else is, and it goes only when it has arrived. */

import { useRef, useState } from "preact/hooks";
import type { Draft } from "../../src/view/messages";
import { type Bridge, CallFailed } from "../bridge";
import { t } from "../l10n";
import type { DraftState } from "./useDraft";
import { attachments, commandOf } from "./tokens";

export interface Submit {
  readonly sending: boolean;
  readonly submit: (when: "now" | "later") => void;
}

/**
 * @param said called when something has been
 * @param tell what could not be said, why, and the code of that; null takes it away
 */
export function useSubmit(
  bridge: Bridge,
  state: DraftState,
  said: () => void,
  tell: (problem: string | null, code?: string) => void,
): Submit {
  const [sending, setSending] = useState(false);
  const busy = useRef(false);

  const arrived = (draft: Draft): void => {
    state.sent(draft);
    said();
  };
  const submit = async (when: "now" | "later"): Promise<void> => {
    const draft = state.latest.current;
    if (busy.current || isEmpty(draft)) return;
    busy.current = true;
    setSending(true);
    tell(null);
    try {
      await say(bridge, draft, when);
      arrived(draft);
    } catch (error) {
      tell(why(error), error instanceof CallFailed ? error.code : undefined);
      // A host that was out of reach for a while, such as a remote one, still says what it had been given.
      if (error instanceof CallFailed) void error.late?.then(() => (tell(null), arrived(draft)));
    } finally {
      busy.current = false;
      setSending(false);
    }
  };
  return { sending, submit: (when) => void submit(when) };
}

export function isEmpty(draft: Draft): boolean {
  return draft.text.trim() === "" && draft.images.length === 0;
}

function why(error: unknown): string {
  // Why there is none is told in the view already.
  if (error instanceof CallFailed && error.code === "noServer") return t("Not sent: there is no server yet.");
  return error instanceof Error ? error.message : String(error);
}

async function say(bridge: Bridge, draft: Draft, when: "now" | "later"): Promise<void> {
  const command = draft.images.length === 0 ? commandOf(draft.text) : null;
  switch (command?.name) {
    case "new":
      await bridge.call("newSession", {});
      break;
    case "continue":
      await bridge.call("continueRun", {});
      break;
    case "compact":
      await bridge.call("compact", command.rest === "" ? {} : { instructions: command.rest });
      break;
    case "export":
      await bridge.call("exportSession", {});
      break;
    default:
      await bridge.call("submit", { draft, when, attach: attachments(draft.text) });
  }
}

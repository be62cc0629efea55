/** Keeps a selection that is sent automatically from blocking the message. Pure. */

import type { ContextParams } from "../protocol";
import { Refused } from "../server/refused";

/**
 * Sends a message with its context. If a file in it is denied and the selections were not `asked` for, sends it again without
 * them: only the server knows its deny rules. If a mentioned file is denied, the message is refused again.
 */
export async function sendWith<Answer>(
  context: ContextParams,
  asked: boolean,
  send: (context: ContextParams) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send(context);
  } catch (error) {
    const { selections, ...rest } = context;
    const unasked = !asked && selections !== undefined && selections.length > 0;
    if (!unasked || !(error instanceof Refused) || error.code !== "denied") throw error;
    return send(rest);
  }
}

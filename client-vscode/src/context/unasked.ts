/** A selection that goes with a message though nobody has named it must not hold the message up. Pure. */

import type { ContextParams } from "../protocol";
import { Refused } from "../server/refused";

/**
 * Sends a message with its context; once more without the selections, if these were not `asked` for and a file is denied:
 * which files deny rules cover is known to the server only. Another denied file, a mentioned one, is refused again.
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

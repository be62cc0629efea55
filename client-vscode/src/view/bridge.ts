/** Passes the page's calls to the rooms that answer them. It knows neither the editor nor any room. */

import { t } from "../l10n";
import { asRefused } from "../server/refused";
import type { CallName, FromPage, Push, ViewCalls } from "./messages";

export type Handler<K extends CallName> = (
  params: ViewCalls[K]["params"],
) => Promise<ViewCalls[K]["answer"]> | ViewCalls[K]["answer"];

/** Each room answers some calls; together they answer all. */
export type Handlers = { readonly [K in CallName]?: Handler<K> };

/** Answers one call with an `answer`, or with a `failure` that says why. Never throws. */
export async function answerCall(
  handlers: Handlers,
  call: Extract<FromPage, { type: "call" }>,
): Promise<Push> {
  try {
    const handler = handlers[call.name] as Handler<CallName> | undefined;
    if (!handler) throw new Error(t("This version can't do that: {0}.", call.name));
    return { type: "answer", id: call.id, answer: await handler(call.params) };
  } catch (error) {
    const refused = asRefused(error);
    return { type: "failure", id: call.id, code: refused.code, message: refused.message };
  }
}

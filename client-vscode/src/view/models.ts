/** The models that the chat's picker offers: those known here to be usable. Pure. */

import type { StatusAnswer } from "../protocol";
import type { Choice } from "./messages";

export const MOST_RECENT = 8;

/**
 * The model for new runs, the models of open sessions, and recent ones, each once.
 *
 * No provider is asked. The picker of all models has what providers offer beyond these.
 */
export function modelChoices(
  status: Pick<StatusAnswer, "model" | "sessions">,
  recent: readonly string[],
  detail: { readonly configured: string; readonly open: string; readonly recent: string },
): readonly Choice[] {
  const found = new Map<string, string>();
  const add = (model: string | null, why: string): void => {
    if (model !== null && model !== "" && !found.has(model)) found.set(model, why);
  };
  add(status.model, detail.configured);
  for (const session of status.sessions) add(session.model, detail.open);
  for (const model of recent) add(model, detail.recent);
  return [...found].map(([model, why]) => ({ value: model, label: model, detail: why }));
}

/** The recent models with `model` as the latest. */
export function withRecent(recent: readonly string[], model: string): readonly string[] {
  return [model, ...recent.filter((each) => each !== model)].slice(0, MOST_RECENT);
}

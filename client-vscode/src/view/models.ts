/** The models that the picker offers: those that are known here to be usable. Pure. */

import type { StatusAnswer } from "../protocol";
import type { Choice } from "./messages";

export const MOST_RECENT = 8;

/**
 * The model of new runs, those of the open sessions, and those that were used last, each once.
 *
 * Nobody is asked for them. What providers have beside is in the picker of all models.
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

/** `model` as the one that was used last. */
export function withRecent(recent: readonly string[], model: string): readonly string[] {
  return [model, ...recent.filter((each) => each !== model)].slice(0, MOST_RECENT);
}

/** The title of a session that can only be read: what its log says of it. Pure. */

import type { Event } from "../protocol";

/** The name that its user has given it, else the first line of its first message, else `known`. */
export function titleIn(events: readonly Event[], known: string | null): string | null {
  let title = known;
  for (const event of events) {
    if (event.type === "session_renamed") title = event.data.title;
    if (event.type === "agent_start") title ??= event.data.inputs[0]?.text.trim().split("\n", 1)[0] ?? null;
  }
  return title;
}

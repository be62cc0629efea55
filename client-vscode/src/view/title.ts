/** The title of a session that can only be read: what its log says of it. Pure. */

import type { Event } from "../protocol";
import { titleOf } from "../sessions/current";

/** The name that its user has given it, else the title that it has without one, else `known`. */
export function titleIn(events: readonly Event[], known: string | null): string | null {
  let title = known;
  for (const event of events) {
    if (event.type === "session_renamed") title = event.data.title;
    if (event.type === "agent_start") title ??= titleOf(event.data);
  }
  return title;
}

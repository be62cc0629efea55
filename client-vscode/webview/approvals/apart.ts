/** Which questions have no place in the transcript that is shown. */

import type { Entry } from "../../src/transcript/entries";
import type { PendingApproval } from "../../src/view/messages";

/** Those about no tool call (trust), those of other sessions, and those whose call the transcript doesn't have (yet). */
export function shownApart(
  approvals: readonly PendingApproval[],
  session: string | null,
  entries: readonly Entry[],
): readonly PendingApproval[] {
  if (approvals.length === 0) return approvals;
  const calls = new Set(entries.filter((entry) => entry.kind === "tool").map((entry) => entry.callId));
  return approvals.filter(({ request }) => request.session !== session || !calls.has(request.toolCallId));
}

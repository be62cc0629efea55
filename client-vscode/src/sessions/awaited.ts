/** Waits for the event that tells the end of what a command has begun. It may come before the command's answer. */

import { t } from "../l10n";
import type { Event } from "../protocol";
import { Refused } from "../server/refused";

interface Listening {
  dispose(): void;
}

/** Of the server: what is needed here. */
export interface EventSource {
  readonly state: { readonly kind: string };
  onEvent(listener: (event: Event) => void): Listening;
  onDidChangeState(listener: () => void): Listening;
}

/**
 * The event for which `end` gives something, of those that come after this call.
 *
 * @throws what `begin` throws; Refused `noServer` if the server stops before the event.
 */
export async function eventAfter<Answer, End>(
  server: EventSource,
  begin: () => Promise<Answer>,
  end: (event: Event, answer: Answer) => End | undefined,
): Promise<End> {
  const seen: Event[] = [];
  let wake = (): void => undefined;
  const listening = [
    server.onEvent((event) => {
      seen.push(event);
      wake();
    }),
    server.onDidChangeState(() => wake()),
  ];
  try {
    const answer = await begin();
    for (;;) {
      for (const event of seen.splice(0)) {
        const found = end(event, answer);
        if (found !== undefined) return found;
      }
      if (server.state.kind !== "running") throw new Refused(t("The server has stopped."), "noServer");
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    for (const listener of listening) listener.dispose();
  }
}

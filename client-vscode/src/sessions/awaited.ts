/** Waits for the event that ends what a command has started. The event may come before the command's answer. */

import { t } from "../l10n";
import type { Event } from "../protocol";
import { Refused } from "../server/refused";

interface Listening {
  dispose(): void;
}

/** What is needed of the server. */
export interface EventSource {
  readonly state: { readonly kind: string };
  onEvent(listener: (event: Event) => void): Listening;
  onDidChangeState(listener: () => void): Listening;
}

/**
 * What `end` returns for the first event after this call for which it returns something.
 *
 * @throws whatever `begin` throws; Refused `noServer` if the server stops before the event.
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

/** The one place of the transcript that a screen reader reads by itself. */

import { useEffect, useState } from "preact/hooks";
import type { PageState } from "../store";
import { Announcements } from "./announce";

export function Announcer({ state }: { state: PageState }) {
  const [announcements] = useState(() => new Announcements());
  const [text, setText] = useState("");
  useEffect(() => {
    const { session, transcript } = state;
    const said = announcements.next({
      session: session.id,
      run: session.run,
      state: session.state,
      entries: transcript.entries,
    });
    if (said !== undefined) setText(said);
  }, [state, announcements]);
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}

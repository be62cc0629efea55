/** Above the transcript: which session this is, what it is doing and for how long, what it has used. */

import type { Bridge } from "../bridge";
import { t } from "../l10n";
import { type Store, useSince, useStore } from "../store";
import { elapsed, runState } from "./runState";
import { Title } from "./title";
import { Usage } from "./usage";

export function Header({ store, bridge }: { store: Store; bridge: Bridge }) {
  const session = useStore(store, (state) => state.session);
  const usage = useStore(store, (state) => state.transcript.usage);
  const contextTokens = useStore(store, (state) => state.transcript.contextTokens);
  const contextWindow = useStore(store, (state) => state.transcript.window);
  const doing = useStore(store, ({ session: now, transcript }) => runState(now, transcript.entries));
  const waits = session.state === "waitingApproval" || session.state === "waitingInput";
  return (
    <header class="header">
      <div class="header-row">
        <Title session={session.id} title={session.title} bridge={bridge} />
        <span class="header-gap" />
        <Usage usage={usage} contextTokens={contextTokens} window={contextWindow} />
      </div>
      <div class="header-row header-state">
        <span class={waits ? "doing waits" : "doing"} role="status">
          {doing ?? ""}
        </span>
        {session.run !== null && <Elapsed store={store} since={session.startedAt} />}
      </div>
    </header>
  );
}

/** It says something new each second, which nobody wants to hear: it is no live region. */
function Elapsed({ store, since }: { store: Store; since: number | undefined }) {
  const ms = useSince(store, since);
  if (ms === undefined) return null;
  const time = elapsed(ms);
  return (
    <span class="elapsed" role="timer" aria-label={t("Running for {0}", time)} aria-live="off">
      {time}
    </span>
  );
}

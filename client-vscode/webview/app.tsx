/** The page: header, transcript, questions, composer. */

import { useEffect, useRef } from "preact/hooks";
import { ApprovalList } from "./approvals/list";
import type { Bridge } from "./bridge";
import { Composer, isBusy } from "./composer/composer";
import { composes } from "./composer/keys";
import { t } from "./l10n";
import { Disconnected, SessionBanner, Untrusted } from "./shell/banners";
import { keepFocus } from "./shell/focus";
import { Header } from "./shell/header";
import { InputQuestions } from "./shell/inputCard";
import { ServerState } from "./shell/serverState";
import { Welcome } from "./shell/welcome";
import { type Store, useStore } from "./store";
import { TranscriptView } from "./transcript/view";

export function App({ store, bridge }: { store: Store; bridge: Bridge }) {
  const server = useStore(store, (state) => state.server);
  const trusted = useStore(store, (state) => state.trusted);
  const session = useStore(store, (state) => state.session);
  const connected = useStore(store, (state) => state.connected);
  const nothing = useStore(store, (state) => state.transcript.entries.length === 0);
  const serverIsUp = server.kind === "running";
  // A session that has something to show, or will in a moment, has the transcript's place.
  const fresh = session.id === null && session.run === null;
  const empty = nothing && (fresh || !serverIsUp);
  const reconnect = (): void => bridge.send({ type: "ready" });

  const page = useRef<HTMLElement>(null);
  useEffect(() => (page.current ? keepFocus(page.current, () => store.focusComposer()) : undefined), [store]);

  return (
    <main
      ref={page}
      class="page"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || composes(event) || isTyping(event.target)) return;
        if (isBusy(session)) bridge.call("stop", {}).catch(() => undefined);
      }}
    >
      {fresh ? (
        <h1 class="visually-hidden">{t("New session")}</h1>
      ) : (
        <Header store={store} bridge={bridge} />
      )}
      {!connected && <Disconnected reconnect={reconnect} />}
      {!trusted && <Untrusted bridge={bridge} />}
      <SessionBanner session={session} bridge={bridge} />
      {!empty && <ServerState server={server} banner bridge={bridge} />}
      <div class="middle">
        {!empty && <TranscriptView store={store} bridge={bridge} />}
        {empty && (serverIsUp || server.kind === "stopped") && <Welcome use={(text) => store.suggest(text)} />}
        {empty && <ServerState server={server} banner={false} bridge={bridge} />}
      </div>
      <ApprovalList store={store} bridge={bridge} />
      <InputQuestions store={store} bridge={bridge} />
      <Composer store={store} bridge={bridge} />
    </main>
  );
}

/** Escape in a field is the field's own. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

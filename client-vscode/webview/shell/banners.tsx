/** What keeps the session from being worked in, or limits it, above the transcript. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { SessionView } from "../../src/view/messages";
import type { Bridge } from "../bridge";
import { t } from "../l10n";

export function SessionBanner({ session, bridge }: { session: SessionView; bridge: Bridge }) {
  const { id, locked, refusal } = session;
  if (id === null || (!locked && refusal === undefined)) return null;
  const fork = { label: t("Fork to go on here"), act: () => bridge.call("fork", { place: "new" }) };
  const again = { label: t("Try again"), act: () => bridge.call("openSession", { session: id }) };
  return (
    <Banner icon="lock" actions={[fork, again]}>
      {locked ? t("Another window works in this session: it can be read here.") : refusal}
    </Banner>
  );
}

/** Work goes on, but with less. It goes by itself once the workspace is trusted. */
export function Untrusted({ bridge }: { bridge: Bridge }) {
  const manage = { label: t("Manage workspace trust"), act: () => bridge.call("manageTrust", {}), quiet: true };
  return (
    <Banner icon="shield" actions={[manage]}>
      {t("This workspace is not trusted: its own instructions and templates are not followed, and every change is asked about.")}
    </Banner>
  );
}

/** The page has no extension any more: what is shown is old. */
export function Disconnected({ reconnect }: { reconnect: () => void }) {
  const act = (): Promise<void> => Promise.resolve(reconnect());
  return (
    <Banner icon="debug-disconnect" actions={[{ label: t("Reconnect"), act }]}>
      {t("The connection to the extension is lost. What you typed is kept.")}
    </Banner>
  );
}

interface Action {
  readonly label: string;
  readonly act: () => Promise<unknown>;
  /** Nothing waits for it. */
  readonly quiet?: boolean;
}

interface BannerProps {
  readonly icon: string;
  readonly actions: readonly Action[];
  readonly children: ComponentChildren;
}

function Banner({ icon, actions, children }: BannerProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const press = (act: Action["act"]): void => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    act()
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  return (
    <div class="banner" role="status">
      <p class="banner-text">
        <span class={`codicon codicon-${icon}`} aria-hidden="true" /> {children}
      </p>
      <div class="problem-buttons">
        {actions.map(({ label, act, quiet }, place) => (
          <button
            key={label}
            class={place === 0 && quiet !== true ? "button" : "button secondary"}
            aria-disabled={busy}
            onClick={() => press(act)}
          >
            {label}
          </button>
        ))}
      </div>
      {problem !== null && <p class="problem-failed">{problem}</p>}
    </div>
  );
}

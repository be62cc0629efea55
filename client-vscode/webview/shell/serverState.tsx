/** Why there is no server yet, or none at all, and what can be done about it. */

import { useState } from "preact/hooks";
import type { Problem } from "../../src/server/problem";
import type { ServerView } from "../../src/view/messages";
import type { Bridge } from "../bridge";
import { t } from "../l10n";

/** `banner`: above what is shown; otherwise in its place. Nothing where the server runs. */
export function ServerState({ server, banner, bridge }: { server: ServerView; banner: boolean; bridge: Bridge }) {
  switch (server.kind) {
    case "failed":
      return <ProblemView problem={server.problem} banner={banner} bridge={bridge} />;
    case "starting":
      return (
        <div class={banner ? "banner" : "place starting"} role="status">
          <span class="starting-step">{server.step}…</span>
          <progress class="starting-progress" aria-label={server.step} />
        </div>
      );
    case "stopped":
      return banner ? (
        <div class="banner" role="status">
          {t("The server has stopped. The next message starts it.")}
        </div>
      ) : null;
    case "running":
      return null;
  }
}

function ProblemView({ problem, banner, bridge }: { problem: Problem; banner: boolean; bridge: Bridge }) {
  const [failed, setFailed] = useState<string | null>(null);
  const [pressed, setPressed] = useState<string | null>(null);
  return (
    <div class={banner ? "banner problem" : "place problem"} role="alert">
      <p class="problem-message">
        <span class="codicon codicon-error" aria-hidden="true" /> {problem.message}
      </p>
      {problem.detail !== undefined && (
        <details class="problem-detail">
          <summary>{t("Details")}</summary>
          <pre tabIndex={0}>{problem.detail}</pre>
        </details>
      )}
      <div class="problem-buttons">
        {problem.buttons.map(({ label, remedy }, place) => (
          <button
            key={label}
            class={place === 0 ? "button" : "button secondary"}
            aria-disabled={pressed === label}
            onClick={() => {
              if (pressed === label) return;
              setPressed(label);
              setFailed(null);
              bridge
                .call("remedy", remedy)
                .catch((error: unknown) => setFailed(error instanceof Error ? error.message : String(error)))
                .finally(() => setPressed(null));
            }}
          >
            {label}
          </button>
        ))}
      </div>
      {failed !== null && <p class="problem-failed">{failed}</p>}
    </div>
  );
}

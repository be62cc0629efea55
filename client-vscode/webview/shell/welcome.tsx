/** An empty session: what can be asked, and how. */

import { t } from "../l10n";

export function Welcome({ use }: { use: (prompt: string) => void }) {
  const examples = [
    t("Explain what this project does"),
    t("Find out why a test fails, and fix it"),
    t("Write tests for @selection"),
  ];
  return (
    <div class="place welcome">
      <p class="welcome-text">
        {t("Say what is to be done. You see every step, can steer while it works, and are asked before a file changes.")}
      </p>
      <ul class="welcome-examples" aria-label={t("Examples")}>
        {examples.map((example) => (
          <li key={example}>
            <button class="welcome-example" onClick={() => use(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
      <p class="welcome-hints">
        <kbd>@</kbd> {t("for files and symbols")} <span class="welcome-dot" aria-hidden="true">·</span> <kbd>/</kbd>{" "}
        {t("for templates and commands")}
      </p>
    </div>
  );
}

/** What a button can do at once about a failure, by its code: a run's, or of something that was not even begun. Pure. */

import { commandButton, type ProblemButton, settingButton } from "../../src/server/problem";
import { t } from "../l10n";

/** Undefined: nothing that a button could do. */
export function helpFor(code: string | undefined): ProblemButton | undefined {
  switch (code) {
    case "auth":
    case "noCredentials":
      return commandButton(t("Set API key"), "steersman.ui.setApiKey");
    case "unknownModel":
      return settingButton(t("Choose a model"), "steersman.model");
    default:
      return undefined;
  }
}

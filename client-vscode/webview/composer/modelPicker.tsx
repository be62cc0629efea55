/** Which model the session's next run asks: one of those that are known here, or any by its name. */

import { useEffect, useState } from "preact/hooks";
import type { Choice } from "../../src/view/messages";
import type { Bridge } from "../bridge";
import { t } from "../l10n";
import { Menu, Popup } from "./popup";

export function ModelPicker({ model, bridge }: { model: string | null; bridge: Bridge }) {
  const shown = model === null ? t("No model") : model.slice(model.indexOf(":") + 1);
  return (
    <Popup name={t("Model")} shown={shown} title={model === null ? t("Choose a model") : t("Model: {0}", model)} icon="chip">
      {(close) => <Models model={model} bridge={bridge} close={close} />}
    </Popup>
  );
}

const NO_CHOICES: readonly Choice[] = [];

function Models({ model, bridge, close }: { model: string | null; bridge: Bridge; close: () => void }) {
  const [choices, setChoices] = useState(NO_CHOICES);
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const tell = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
  useEffect(() => {
    bridge.call("models", {}).then((answer) => setChoices(answer.choices), tell);
  }, [bridge]);
  const choose = (value: string): void => {
    const wanted = value.trim();
    if (!/^[^:\s]+:\S/.test(wanted)) return setProblem(t("Write it as PROVIDER:NAME, for instance anthropic:NAME."));
    setProblem(null);
    bridge.call("configure", { model: wanted }).then(close, tell);
  };
  return (
    <>
      {choices.length > 0 && <Menu label={t("Models")} choices={choices} checked={model} choose={choose} />}
      <button
        class="button popup-more"
        onClick={() => {
          close();
          bridge.call("pickModel", {}).catch(tell);
        }}
      >
        {t("All models…")}
      </button>
      <form
        class="popup-form"
        onSubmit={(event) => {
          event.preventDefault();
          choose(name);
        }}
      >
        <label class="popup-label" for="model-name">
          {t("Another model")}
        </label>
        <input
          id="model-name"
          class="text-input"
          type="text"
          spellcheck={false}
          placeholder="PROVIDER:NAME"
          value={name}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : "model-problem"}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button class="button" type="submit">
          {t("Use")}
        </button>
      </form>
      {problem !== null && (
        <p class="popup-problem" id="model-problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** A question that wants a line of text: the model's, or one that a command has. */

import { useRef, useState } from "preact/hooks";
import type { PendingInput } from "../../src/view/messages";
import { questionOf } from "../../src/view/typed";
import type { Bridge } from "../bridge";
import { visible } from "../approvals/visible";
import { composes } from "../composer/keys";
import { t } from "../l10n";
import { type Store, useStore } from "../store";

/** Those of the session that is shown, and those that belong to none. */
export function InputQuestions({ store, bridge }: { store: Store; bridge: Bridge }) {
  const inputs = useStore(store, (state) => state.inputs);
  const session = useStore(store, (state) => state.session.id);
  const here = inputs.filter((input) => input.session === "" || input.session === session);
  return (
    <>
      {here.map((input) => (
        <InputCard key={questionOf(input)} input={input} store={store} bridge={bridge} />
      ))}
    </>
  );
}

interface CardProps {
  readonly input: PendingInput;
  readonly store: Store;
  readonly bridge: Bridge;
}

function InputCard({ input, store, bridge }: CardProps) {
  const text = useStore(store, ({ typed }) => typed[questionOf(input)] ?? "");
  const [problem, setProblem] = useState<string | null>(null);
  const busy = useRef(false);
  const name = `input-${input.toolCallId}`;
  const answer = (said: string | null): void => {
    if (busy.current || said?.trim() === "") return;
    busy.current = true;
    setProblem(null);
    bridge.call("answerInput", { session: input.session, toolCallId: input.toolCallId, text: said }).catch((error: unknown) => {
      busy.current = false;
      setProblem(error instanceof Error ? error.message : String(error));
    });
  };
  return (
    <section class="question" role="group" aria-labelledby={name}>
      <p class="question-prompt" id={name}>
        {visible(input.prompt)}
      </p>
      {input.options.length > 0 && (
        <div class="question-options">
          {input.options.map((option) => (
            <button key={option} class="button secondary question-option" onClick={() => answer(option)}>
              {visible(option)}
            </button>
          ))}
        </div>
      )}
      <form
        class="question-form"
        onSubmit={(event) => {
          event.preventDefault();
          answer(text);
        }}
      >
        <textarea
          class="text-input question-text"
          rows={Math.min(6, text.split("\n").length)}
          aria-label={t("Answer")}
          placeholder={input.options.length > 0 ? t("Or something else") : t("Your answer")}
          value={text}
          onInput={(event) => store.type(questionOf(input), event.currentTarget.value)}
          onKeyDown={(event) => {
            if (composes(event) || event.key !== "Enter" || event.shiftKey) return;
            event.preventDefault();
            answer(text);
          }}
        />
        <div class="question-buttons">
          <button class="button" type="submit" aria-disabled={text.trim() === ""}>
            {t("Answer")}
          </button>
          <button class="button secondary" type="button" onClick={() => answer(null)}>
            {t("Skip")}
          </button>
        </div>
      </form>
      {problem !== null && (
        <p class="question-problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

/** A word for the model with a no: one line, Enter declines, Escape goes back. */

import { useEffect, useRef, useState } from "preact/hooks";
import { composes } from "../composer/keys";
import { t } from "../l10n";
import { GuardedButton } from "./button";

interface Props {
  readonly inert: boolean;
  /** An empty text is a plain no. */
  readonly onDecline: (feedback: string) => void;
  readonly onBack: () => void;
}

export function Feedback({ inert, onDecline, onBack }: Props) {
  const [text, setText] = useState("");
  const box = useRef<HTMLInputElement>(null);
  // The user has just pressed Decline: this is where the next key belongs.
  useEffect(() => box.current?.focus(), []);
  const keyDown = (event: KeyboardEvent): void => {
    if (composes(event) || (event.key !== "Enter" && event.key !== "Escape")) return;
    // Neither may reach the page: Escape would stop the run there.
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    if (event.key === "Escape") onBack();
    else if (!inert) onDecline(text);
  };
  return (
    <div class="approval-feedback">
      <input
        ref={box}
        type="text"
        aria-label={t("Feedback")}
        placeholder={t("What should it do instead? (optional)")}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={keyDown}
      />
      <div class="card-buttons">
        <GuardedButton className="primary" inert={inert} onPress={() => onDecline(text)}>
          {t("Decline")}
        </GuardedButton>
        <GuardedButton inert={false} onPress={onBack}>
          {t("Back")}
        </GuardedButton>
      </div>
    </div>
  );
}

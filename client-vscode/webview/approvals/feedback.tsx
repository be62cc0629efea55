/** A word for the model with a no: one line, Enter declines, Escape goes back. */

import { useEffect, useRef } from "preact/hooks";
import { composes } from "../composer/keys";
import { t } from "../l10n";
import { GuardedButton } from "./button";

interface Props {
  readonly inert: boolean;
  readonly text: string;
  /** The user has just pressed Decline: this is where the next key belongs. */
  readonly focus: boolean;
  readonly onText: (text: string) => void;
  /** An empty text is a plain no. */
  readonly onDecline: () => void;
  readonly onBack: () => void;
}

export function Feedback({ inert, text, focus, onText, onDecline, onBack }: Props) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus) box.current?.focus();
  }, []);
  const keyDown = (event: KeyboardEvent): void => {
    if (composes(event) || (event.key !== "Enter" && event.key !== "Escape")) return;
    // Neither may reach the page: Escape would stop the run there.
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    if (event.key === "Escape") onBack();
    else if (!inert) onDecline();
  };
  return (
    <div class="approval-feedback">
      <input
        ref={box}
        type="text"
        aria-label={t("Feedback")}
        placeholder={t("What should it do instead? (optional)")}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={keyDown}
      />
      <div class="card-buttons">
        <GuardedButton className="primary" inert={inert} onPress={onDecline}>
          {t("Decline")}
        </GuardedButton>
        <GuardedButton inert={false} onPress={onBack}>
          {t("Back")}
        </GuardedButton>
      </div>
    </div>
  );
}

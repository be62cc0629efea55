/** A button that opens something above it, and a menu to choose one thing from. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Choice } from "../../src/view/messages";
import { passFocus } from "../shell/focus";

export interface PopupProps {
  /** The button's name; what it shows is its description. */
  readonly name: string;
  readonly shown: string;
  readonly title: string;
  readonly icon: string;
  readonly children: (close: () => void) => ComponentChildren;
}

export function Popup({ name, shown, title, icon, children }: PopupProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    passFocus(root.current, button.current);
  };
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    const left = (): void => setOpen(false);
    document.addEventListener("mousedown", outside);
    document.addEventListener("focusin", outside);
    window.addEventListener("blur", left);
    return () => {
      document.removeEventListener("mousedown", outside);
      document.removeEventListener("focusin", outside);
      window.removeEventListener("blur", left);
    };
  }, [open]);
  const id = useId();
  return (
    <div
      class="popup"
      ref={root}
      onKeyDown={(event) => {
        if (!open || event.key !== "Escape" || event.isComposing) return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      {/* The button lies over its face: it is named for what it is, and what it shows is its value. */}
      <div class="popup-face">
        <span class={`codicon codicon-${icon}`} aria-hidden="true" />
        <span class="popup-shown" id={`${id}-shown`}>
          {shown}
        </span>
        <span class="codicon codicon-chevron-down" aria-hidden="true" />
        <button
          ref={button}
          class="popup-button"
          aria-label={name}
          aria-describedby={`${id}-shown`}
          aria-haspopup="dialog"
          aria-expanded={open}
          title={title}
          onClick={() => setOpen(!open)}
        />
      </div>
      {open && (
        <div class="popup-panel" role="dialog" aria-label={title}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

export interface MenuProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly checked: string | null;
  readonly choose: (value: string) => void;
}

/** One choice of several; arrow keys move, Enter and Space choose. Takes the focus when it is shown. */
export function Menu({ label, choices, checked, choose }: MenuProps) {
  const list = useRef<HTMLDivElement>(null);
  const start = Math.max(
    0,
    choices.findIndex(({ value }) => value === checked),
  );
  const item = (place: number): HTMLElement | undefined =>
    list.current?.querySelectorAll<HTMLElement>("[role=menuitemradio]")[(place + choices.length) % choices.length];
  // Choices may come late, when the focus has gone from the button to another thing in the panel.
  useEffect(() => passFocus(list.current?.closest(".popup")?.querySelector(".popup-face"), item(start)), []);
  return (
    <div class="menu" role="menu" aria-label={label} ref={list}>
      {choices.map((choice, place) => (
        <button
          key={choice.value}
          class="menu-item"
          role="menuitemradio"
          aria-checked={choice.value === checked}
          tabIndex={place === start ? 0 : -1}
          onClick={() => choose(choice.value)}
          onKeyDown={(event) => {
            const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: choices.length - 1 }[event.key];
            if (to === undefined) return;
            event.preventDefault();
            item(to)?.focus();
          }}
        >
          <span class={`codicon ${choice.value === checked ? "codicon-check" : "codicon-blank"}`} aria-hidden="true" />
          <span class="menu-text">
            <span class="menu-label">{choice.label}</span>
            {choice.detail !== undefined && <span class="menu-detail">{choice.detail}</span>}
          </span>
        </button>
      ))}
    </div>
  );
}

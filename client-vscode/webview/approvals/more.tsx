/** What else a yes can cover, behind a small arrow: a menu that opens by click, Enter or arrow down. */

import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../l10n";
import { GuardedButton } from "./button";

interface Props {
  readonly inert: boolean;
  readonly items: readonly { readonly label: string; readonly onPress: () => void }[];
}

export function More({ inert, items }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    root.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (!open) return;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move === undefined && event.key !== "Escape" && event.key !== "Tab") return;
    event.stopPropagation();
    if (event.key === "Tab") return setOpen(false);
    event.preventDefault();
    if (move === undefined) return close();
    const all = [...(root.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = all.findIndex((each) => each === document.activeElement);
    all[(at + move + all.length) % all.length]?.focus();
  };
  return (
    <div class="approval-more" ref={root} onKeyDown={keyDown}>
      <GuardedButton
        label={t("More")}
        className="approval-arrow"
        inert={inert}
        popup={{ open }}
        element={button}
        onPress={() => setOpen(!open)}
      >
        <span class="codicon codicon-chevron-down" aria-hidden="true" />
      </GuardedButton>
      {open && (
        <div class="approval-menu" role="menu">
          {items.map(({ label, onPress }) => (
            <MenuItem key={label} label={label} inert={inert} onPress={() => (close(), onPress())} />
          ))}
        </div>
      )}
    </div>
  );
}

function MenuItem({ label, inert, onPress }: { label: string; inert: boolean; onPress: () => void }) {
  return (
    <GuardedButton role="menuitem" inert={inert} onPress={onPress}>
      {label}
    </GuardedButton>
  );
}

/** A button that is inert for a while without losing the focus, and that no held key can press. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Gate } from "./gate";
import { Press } from "./press";

/** True while the question's buttons can't be pressed yet. */
export function useInert(gate: Gate, id: string): boolean {
  const [inert, setInert] = useState(() => gate.remaining(id) > 0);
  useEffect(() => gate.watch(id, () => setInert(gate.remaining(id) > 0)), [gate, id]);
  return inert;
}

interface Props {
  /** Its name. */
  readonly label?: string;
  readonly className?: string;
  readonly role?: "menuitem";
  readonly inert: boolean;
  readonly onPress: () => void;
  readonly popup?: { readonly open: boolean };
  readonly element?: { current: HTMLButtonElement | null };
  readonly children: ComponentChildren;
}

export function GuardedButton({ label, className, role, inert, onPress, popup, element, children }: Props) {
  // The press outlives a rendering, and looks at what holds when it comes.
  const active = useRef(!inert);
  active.current = !inert;
  const press = useRef<Press | null>(null);
  press.current ??= new Press(() => active.current);
  const guard = press.current;
  return (
    <button
      type="button"
      ref={element}
      class={className}
      role={role}
      tabIndex={role ? -1 : undefined}
      aria-label={label}
      title={label}
      aria-disabled={inert}
      aria-haspopup={popup ? "menu" : undefined}
      aria-expanded={popup?.open}
      onKeyDown={(event) => guard.keyDown(event) && event.preventDefault()}
      onKeyUp={(event) => {
        if (guard.keyUp(event)) onPress();
        if (event.key === " ") event.preventDefault();
      }}
      onPointerDown={() => guard.pointerDown()}
      onClick={() => guard.click() && onPress()}
      onBlur={() => guard.leave()}
    >
      {children}
    </button>
  );
}

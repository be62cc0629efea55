/** A line that opens and closes what is under it. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useFold } from "./context";

interface Props {
  /** Of what is opened; the same for as long as the transcript is shown. */
  readonly id: string;
  readonly initially?: boolean;
  readonly icon?: string;
  readonly heading: ComponentChildren;
  /** Beside the line, not part of its button. */
  readonly beside?: ComponentChildren;
  readonly children: () => ComponentChildren;
}

export function Disclosure({ id, initially = false, icon, heading, beside, children }: Props) {
  const [open, toggle] = useFold(id, initially);
  const content = useId();
  return (
    <div class={open ? "disclosure open" : "disclosure"}>
      <div class="disclosure-line">
        <button
          type="button"
          class="disclosure-button"
          aria-expanded={open}
          {...(open ? { "aria-controls": content } : {})}
          onClick={toggle}
        >
          <span class={`codicon codicon-chevron-${open ? "down" : "right"}`} aria-hidden="true" />
          {icon !== undefined && <span class={`codicon codicon-${icon}`} aria-hidden="true" />}
          <span class="disclosure-heading">{heading}</span>
        </button>
        {beside}
      </div>
      {open && (
        <div class="disclosure-content" id={content}>
          {children()}
        </div>
      )}
    </div>
  );
}

/** The list of completions above the composer. The text box keeps the focus: `aria-activedescendant` says what is active. */

import { useEffect, useRef } from "preact/hooks";
import { t } from "../l10n";
import type { List } from "./completer";

export const LIST_ID = "composer-suggestions";

export function itemId(place: number): string {
  return `${LIST_ID}-${place}`;
}

export function Suggestions({ list, choose }: { list: List; choose: (place: number) => void }) {
  const active = useRef<HTMLLIElement>(null);
  useEffect(() => active.current?.scrollIntoView({ block: "nearest" }), [list.active, list.items]);
  if (list.items.length === 0) return null;
  return (
    <ul class="composer-suggestions" id={LIST_ID} role="listbox" aria-label={t("Suggestions")}>
      {list.items.map((item, place) => (
        <li
          key={`${item.insert} ${place}`}
          id={itemId(place)}
          ref={place === list.active ? active : undefined}
          role="option"
          aria-selected={place === list.active}
          class="composer-suggestion"
          title={item.insert}
          onMouseDown={(event) => {
            // The text box must not lose the focus.
            event.preventDefault();
            choose(place);
          }}
        >
          <span class={`codicon codicon-${item.icon}`} aria-hidden="true" />
          <span class="composer-suggestion-label">{item.label}</span>
          {item.detail !== undefined && <span class="composer-suggestion-detail">{item.detail}</span>}
        </li>
      ))}
    </ul>
  );
}

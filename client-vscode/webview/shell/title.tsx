/** The session's title, which can be changed in its place. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Bridge } from "../bridge";
import { visible } from "../approvals/visible";
import { composes } from "../composer/keys";
import { t } from "../l10n";
import { passFocus } from "./focus";

export function Title({ session, title, bridge }: { session: string | null; title: string | null; bridge: Bridge }) {
  const [editing, setEditing] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const inEdit = editing !== null;
  useEffect(() => {
    setEditing(null);
    setProblem(null);
  }, [session]);
  useEffect(() => {
    if (inEdit) box.current?.select();
  }, [inEdit]);

  const end = (): void => {
    setEditing(null);
    setProblem(null);
    // The button comes back with the next rendering, and the field has gone by then.
    setTimeout(() => passFocus(null, button.current));
  };
  const save = (): void => {
    const wanted = editing?.trim() ?? "";
    if (wanted === "" || wanted === title) return end();
    bridge.call("rename", { title: wanted }).then(end, (error: unknown) => {
      setProblem(error instanceof Error ? error.message : String(error));
    });
  };

  if (session === null) return <h1 class="title">{t("New session")}</h1>;
  if (!inEdit) {
    const shown = visible(title ?? t("Untitled session"));
    return (
      <>
        <h1 class="title" title={shown}>
          {shown}
        </h1>
        <button
          ref={button}
          class="icon-button title-edit"
          aria-label={t("Rename session")}
          title={t("Rename session")}
          onClick={() => setEditing(title ?? "")}
        >
          <span class="codicon codicon-edit" aria-hidden="true" />
        </button>
      </>
    );
  }
  return (
    <div class="title-form">
      <input
        ref={box}
        class="text-input"
        type="text"
        aria-label={t("Session title")}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : "title-problem"}
        value={editing}
        onInput={(event) => setEditing(event.currentTarget.value)}
        onBlur={() => problem === null && setEditing(null)}
        onKeyDown={(event) => {
          if (composes(event)) return;
          if (event.key === "Enter") save();
          else if (event.key === "Escape") end();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {problem !== null && (
        <p class="title-problem" id="title-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

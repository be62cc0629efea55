/** One file of a revert: what would be done to it, the diff of that, and the choice where it is in conflict. */

import { useId, useState } from "preact/hooks";
import type { FileToRevert } from "../../src/protocol";
import { t } from "../l10n";
import { RevertDiff } from "./diff";

export type Choice = "restore" | "keep" | "skip";

interface Props {
  readonly file: FileToRevert;
  readonly label: string;
  readonly choice: Choice | undefined;
  readonly disabled: boolean;
  readonly onChoose: (choice: Choice) => void;
  readonly onOpen: () => void;
}

export function FileRow({ file, label, choice, disabled, onChoose, onOpen }: Props) {
  const [open, setOpen] = useState(false);
  const diff = useId();
  const { added = 0, removed = 0 } = file;
  return (
    <li class={`revert-file revert-${file.state}`}>
      <div class="revert-row">
        {file.diff ? (
          <button
            type="button"
            class="revert-fold"
            aria-expanded={open}
            aria-controls={diff}
            aria-label={t("Diff of {0}", label)}
            title={open ? t("Hide diff") : t("Show diff")}
            onClick={() => setOpen(!open)}
          >
            <span class={`codicon codicon-chevron-${open ? "down" : "right"}`} aria-hidden="true" />
          </button>
        ) : (
          <span class="revert-fold" />
        )}
        <span class="revert-action">{actionText(file)}</span>
        {file.action === "create" || file.state === "unavailable" ? (
          <span class="revert-name" title={label}>
            {label}
          </span>
        ) : (
          <button type="button" class="revert-name revert-link" title={label} onClick={onOpen}>
            {label}
          </button>
        )}
        {added > 0 && <span class="lines-added">+{added}</span>}
        {removed > 0 && <span class="lines-removed">−{removed}</span>}
      </div>
      {file.reason !== undefined && (
        <p class="revert-reason">
          <span class="codicon codicon-warning" aria-hidden="true" /> {file.reason}
        </p>
      )}
      {file.state === "conflict" && (
        <Choices label={label} file={file} choice={choice} disabled={disabled} onChoose={onChoose} />
      )}
      <div id={diff}>{open && file.diff && <RevertDiff diff={file.diff} label={label} />}</div>
    </li>
  );
}

type ChoicesProps = Pick<Props, "file" | "label" | "choice" | "disabled" | "onChoose">;

/** None is chosen beforehand: one loses work, and the others don't do what was asked for. */
function Choices({ file, label, choice, disabled, onChoose }: ChoicesProps) {
  const name = useId();
  const choices: readonly (readonly [Choice, string])[] = [
    ["restore", file.action === "delete" ? t("Delete it all the same") : t("Restore it all the same")],
    ["keep", t("Keep what is there now")],
    ["skip", t("Skip it for now")],
  ];
  return (
    <div class="revert-choices" role="radiogroup" aria-label={t("What to do with {0}", label)}>
      {choices.map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={choice === value}
            disabled={disabled}
            onChange={() => onChoose(value)}
          />
          {text}
        </label>
      ))}
    </div>
  );
}

function actionText({ action, state }: FileToRevert): string {
  if (state === "done") return t("As it was");
  if (state === "unavailable") return t("Can't be reverted");
  switch (action) {
    case "restore":
      return t("Restore");
    case "create":
      return t("Create again");
    case "delete":
      return t("Delete");
    case "none":
      return t("Leave");
  }
}

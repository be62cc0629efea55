/** What a question is about: the command, the tool's arguments, the files. */

import type { ApprovalRequest, FileChangeData } from "../../src/protocol";
import type { PendingApproval } from "../../src/view/messages";
import { t } from "../l10n";
import { fileName } from "../transcript/format";
import { bounded, visible } from "./visible";

interface Props {
  readonly approval: PendingApproval;
  /** Shows the diff of one of the files. */
  readonly onShowFile: (uri: string) => void;
  /** The diffs are shown: they name the files. */
  readonly withDiffs: boolean;
}

export function Details({ approval, withDiffs, onShowFile }: Props) {
  const { request } = approval;
  const several = request.changes.length > 1;
  return (
    <>
      {request.command !== undefined && <Code label={t("Command")} text={request.command} />}
      {request.cwd !== undefined && (
        <p class="approval-where">
          {t("in")} <code>{visible(request.cwd)}</code>
        </p>
      )}
      {request.tool && <ToolArguments tool={request.tool} />}
      {request.changes.length > 0 && !withDiffs && (
        <ul class="approval-files" aria-label={t("Files")}>
          {request.changes.map((change) => (
            <File
              key={change.uri}
              change={change}
              roots={approval.roots}
              onShow={several && change.kind !== "move" ? () => onShowFile(change.uri) : undefined}
            />
          ))}
        </ul>
      )}
      <Made approval={approval} />
    </>
  );
}

function ToolArguments({ tool }: { tool: NonNullable<ApprovalRequest["tool"]> }) {
  const label = t("Arguments of {0}", tool.name);
  return <Code label={label} text={JSON.stringify(tool.arguments, null, 2)} />;
}

/** Scrolls inside itself, by keys too. */
function Code({ label, text }: { label: string; text: string }) {
  const { text: shown, left } = bounded(text);
  return (
    <>
      <pre class="approval-code" role="region" aria-label={label} tabIndex={0}>
        {visible(shown)}
      </pre>
      {left > 0 && <p class="approval-note">{t("{0} more characters are not shown.", left)}</p>}
    </>
  );
}

const ICONS: Record<FileChangeData["kind"], string> = {
  create: "new-file",
  edit: "edit",
  delete: "trash",
  move: "arrow-right",
};

interface FileProps {
  readonly change: FileChangeData;
  readonly roots: readonly string[];
  readonly onShow: (() => void) | undefined;
}

function File({ change, roots, onShow }: FileProps) {
  const path = fileName(change.uri, roots);
  const cut = path.lastIndexOf("/");
  const [name, folder] = [path.slice(cut + 1), path.slice(0, Math.max(0, cut))];
  const kinds = { create: t("New file"), edit: t("Edit"), delete: t("Delete"), move: t("Move") };
  return (
    <li title={path}>
      <span class={`codicon codicon-${ICONS[change.kind]}`} role="img" aria-label={kinds[change.kind]} />
      {onShow ? (
        <button type="button" class="approval-link approval-file" aria-label={t("Show the diff of {0}", path)} onClick={onShow}>
          {name}
        </button>
      ) : (
        <span class="approval-file">{name}</span>
      )}
      <span class="approval-folder">{folder}</span>
      {change.added > 0 && (
        <span class="lines-added">
          +{change.added}
        </span>
      )}
      {change.removed > 0 && (
        <span class="lines-removed">
          −{change.removed}
        </span>
      )}
    </li>
  );
}

/** What the user has made of the proposal in the editor. */
function Made({ approval }: { approval: PendingApproval }) {
  const all = approval.request.changes.reduce((sum, change) => sum + change.hunks.length, 0);
  const chosen = approval.chosenHunks?.length;
  const made = [
    ...(chosen !== undefined && chosen < all ? [t("{0} of {1} hunks", chosen, all)] : []),
    ...(approval.edited ? [t("edited by you")] : []),
  ];
  if (made.length === 0) return null;
  return (
    <p class="approval-note">
      <span class="codicon codicon-edit" aria-hidden="true" /> {made.join(" · ")}
    </p>
  );
}

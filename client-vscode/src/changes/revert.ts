/** Reverts what runs have changed: for the card in the chat, and for commands and lenses with the editor's own dialogs. */

import * as vscode from "vscode";
import { t } from "../l10n";
import type { FileToRevert, RevertPreview } from "../protocol";
import type { Server } from "../server/server";
import type { Handlers } from "../view/bridge";
import { textOnly } from "../view/notice";
import type { RunChanges } from "./lastRun";
import { carryOut, checkpointOf, countsText, outcomeText, preview, revertible } from "./reverting";
import type { RevertDiffs } from "./revertDiffs";
import type { TrackedChanges } from "./tracked";

interface Item extends vscode.QuickPickItem {
  readonly file?: FileToRevert;
}

export class Reverts {
  /** `shown()`: the session of the chat. */
  constructor(
    private readonly server: Server,
    private readonly tracked: TrackedChanges,
    private readonly diffs: RevertDiffs,
    private readonly shown: () => string | null,
  ) {}

  readonly handlers: Handlers = {
    revertPreview: async ({ checkpoint }) => {
      const answer = await preview(this.server, this.session(), checkpoint);
      const uris = [...answer.files.map(({ uri }) => uri), ...answer.notRevertible];
      return { ...answer, labels: Object.fromEntries(uris.map((uri) => [uri, label(uri)])) };
    },
    revert: ({ checkpoint, onConflict }) =>
      this.server.execute("steersman.revert", {
        session: this.session(),
        checkpoint,
        preview: false,
        onConflict: { ...onConflict },
      }),
  };

  /** Shows what reverting the last run would do, and reverts the chosen files. */
  async revertLastRun(): Promise<void> {
    const run = this.tracked.changed.at(-1);
    const session = run?.session ?? this.shown();
    if (session === null) throw new Error(t("No run has changed a file yet."));
    const told = await this.preview(session, run);
    if (told) await this.choose(session, told);
  }

  /** The same for one file. */
  async revertFile(uri: vscode.Uri): Promise<void> {
    const change = this.tracked.of(uri);
    if (!change) throw new Error(t("The last run has not changed this file."));
    const { session } = change.run;
    const told = await this.preview(session, change.run, [change.file.uri]);
    const [file] = told ? revertible(told.files) : [];
    if (!told || !file) return;
    const conflict = file.state === "conflict";
    const yes = conflict ? t("Restore Anyway") : t("Revert");
    const show = t("Show Diff");
    const question = t("Revert what the run did to {0}?", label(file.uri));
    const why = conflict ? [file.reason, t("Changes made since then would be lost.")] : [file.reason];
    const detail = [countsText(file), ...why].filter(Boolean).join("\n");
    const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, yes, show);
    if (answer === show) await this.diffs.show(file);
    if (answer === yes) await this.carryOut(session, told.checkpoint, [file]);
  }

  private session(): string {
    const session = this.shown();
    if (session === null) throw new Error(t("There is no session yet: send a message first."));
    return session;
  }

  /** Undefined if there is nothing to revert, which the user is told. */
  private async preview(
    session: string,
    run: RunChanges | undefined,
    files?: readonly string[],
  ): Promise<RevertPreview | undefined> {
    const checkpoint = await checkpointOf(this.server, session, run);
    const told = checkpoint === null ? undefined : await preview(this.server, session, checkpoint, files);
    if (told && revertible(told.files).length > 0) return told;
    const why = told?.files.map(({ reason }) => reason).filter((reason) => reason !== undefined) ?? [];
    await vscode.window.showInformationMessage(textOnly([t("There is nothing to revert."), ...why].join(" ")));
    return undefined;
  }

  /** Files without a conflict are preselected; one that was changed since is left alone unless the user selects it. */
  private async choose(session: string, told: RevertPreview): Promise<void> {
    const pick = vscode.window.createQuickPick<Item>();
    pick.title = t("Revert the Last Run");
    pick.placeholder = warning(told) ?? t("Choose the files to revert");
    pick.canSelectMany = true;
    pick.ignoreFocusOut = true;
    pick.items = revertible(told.files).map(itemOf);
    pick.selectedItems = pick.items.filter(({ file }) => file?.state === "ready");
    const chosen = await new Promise<readonly Item[]>((resolve) => {
      pick.onDidTriggerItemButton(({ item }) => item.file && void this.diffs.show(item.file));
      pick.onDidAccept(() => {
        resolve(pick.selectedItems);
        pick.hide();
      });
      pick.onDidHide(() => resolve([]));
      pick.show();
    });
    pick.dispose();
    await this.diffs.close();
    const files = chosen.flatMap(({ file }) => file ?? []);
    if (files.length > 0) await this.carryOut(session, told.checkpoint, files);
  }

  /** Files in conflict are only in `files` if the user has chosen them. */
  private async carryOut(session: string, checkpoint: string, files: readonly FileToRevert[]): Promise<void> {
    const conflicts = files.filter(({ state }) => state === "conflict");
    const onConflict = Object.fromEntries(conflicts.map(({ uri }) => [uri, "restore" as const]));
    const params = { session, checkpoint, files: files.map(({ uri }) => uri), onConflict };
    const progress = { location: vscode.ProgressLocation.Window, title: t("Reverting…") };
    const done = await vscode.window.withProgress(progress, () => carryOut(this.server, params));
    const { text: said, well } = outcomeText(done);
    const text = textOnly(said);
    await (well ? vscode.window.showInformationMessage(text) : vscode.window.showWarningMessage(text));
  }
}

/** The path in the workspace, with the folder's name if there are several. */
function label(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}

function itemOf(file: FileToRevert): Item {
  const what = { restore: t("restore"), create: t("create again"), delete: t("delete"), none: "" }[file.action];
  return {
    file,
    label: label(file.uri),
    description: [what, countsText(file)].filter(Boolean).join(" "),
    ...(file.reason === undefined ? {} : { detail: `$(warning) ${file.reason}` }),
    buttons: file.diff === undefined ? [] : [{ iconPath: new vscode.ThemeIcon("diff"), tooltip: t("Show diff") }],
  };
}

/** What a revert does not undo, in one line. */
function warning({ commands, notRevertible }: RevertPreview): string | undefined {
  if (notRevertible.length > 0) {
    return t("Not reverted: what commands did, for instance to {0}", notRevertible.slice(0, 3).map(label).join(", "));
  }
  return commands.length > 0 ? t("Not reverted: what commands did ({0})", commands.slice(0, 2).join(", ")) : undefined;
}

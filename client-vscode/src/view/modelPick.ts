/** The models as a quick pick: what providers offer, which is fetched while it is open, or any model by name. */

import * as vscode from "vscode";
import { t } from "../l10n";
import type { ModelsAnswer } from "../protocol";
import { namedBy, type Row, rowsOf } from "./offers";

interface Item extends vscode.QuickPickItem {
  readonly model?: string;
  /** Shown in full when the row is chosen. */
  readonly problem?: string;
}

/**
 * The chosen model; undefined if none was chosen.
 *
 * @param ask fetches what providers offer; it may take seconds
 * @param known models to choose from meanwhile
 */
export async function pickModel(
  ask: () => Promise<ModelsAnswer>,
  known: readonly string[],
  current: string | null,
): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = t("Choose a model");
  pick.placeholder = t("A model's name, or PROVIDER:NAME");
  pick.matchOnDescription = pick.matchOnDetail = true;
  // Keeps the server's order. This property is not in the stable API; without it the order is VS Code's.
  if ("sortByLabel" in pick) pick.sortByLabel = false;
  let rows = rowsOf(null, known);
  let failure: string | undefined;
  let open = true;

  const show = (): void => {
    const named = namedBy(pick.value);
    const listed = rows.some((row) => row.kind === "model" && row.model === named);
    pick.items = [
      ...(failure === undefined ? [] : [{ label: `$(error) ${failure}`, alwaysShow: true }]),
      ...(named === undefined || listed ? [] : [{ label: t("Use {0}", named), model: named, alwaysShow: true }]),
      ...rows.map((row) => itemOf(row, current)),
    ];
  };
  const fill = async (): Promise<void> => {
    pick.busy = true;
    try {
      rows = rowsOf(await ask(), known);
    } catch (error) {
      failure = (error as Error).message;
    }
    if (!open) return;
    pick.busy = false;
    show();
  };

  const chosen = new Promise<string | undefined>((resolve) => {
    pick.onDidChangeValue(show);
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item?.problem !== undefined) void vscode.window.showInformationMessage(item.problem);
      if (item?.model === undefined) return;
      resolve(item.model);
      pick.hide();
    });
    pick.onDidHide(() => resolve(undefined));
  });
  show();
  pick.show();
  void fill();
  try {
    return await chosen;
  } finally {
    open = false;
    pick.dispose();
  }
}

function itemOf(row: Row, current: string | null): Item {
  switch (row.kind) {
    case "group":
      return { label: row.label, kind: vscode.QuickPickItemKind.Separator };
    case "model":
      return {
        label: row.label,
        description: row.description,
        model: row.model,
        iconPath: new vscode.ThemeIcon(row.model === current ? "check" : "blank"),
      };
    case "problem":
      return {
        label: row.label,
        detail: row.detail,
        problem: `${row.label}: ${row.detail}`,
        iconPath: new vscode.ThemeIcon("circle-slash"),
      };
  }
}

/** "Resume Session…": the sessions as a quick pick, which the server searches while the user types. */

import * as vscode from "vscode";
import { locale, t } from "../l10n";
import type { ListedSession, SessionsParams } from "../protocol";
import type { Server } from "../server/server";
import { descriptionOf, iconOf, titleOf } from "./labels";
import { PAGE } from "./list";
import type { Row } from "./rows";

interface Item extends vscode.QuickPickItem {
  readonly session?: string;
}

/** The chosen session; undefined if none was chosen. */
export async function pickSession(
  server: Server,
  rowOf: (listed: ListedSession) => Row,
  folderName: (uri: string) => string,
): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = t("Resume Session");
  pick.placeholder = t("Words of its title");
  pick.matchOnDescription = pick.matchOnDetail = true;
  // Keeps the newest first while the user types. This property is not in the stable API; without it the order is VS Code's.
  if ("sortByLabel" in pick) pick.sortByLabel = false;
  let asked = 0;
  let timer: NodeJS.Timeout | undefined;

  const fill = async (query: string): Promise<void> => {
    const number = ++asked;
    pick.busy = true;
    try {
      const items = await itemsOf(server, query, rowOf, folderName);
      // An answer to an earlier query is outdated.
      if (number === asked) pick.items = items;
    } catch (error) {
      if (number === asked) pick.items = [{ label: `$(error) ${(error as Error).message}`, alwaysShow: true }];
    } finally {
      if (number === asked) pick.busy = false;
    }
  };

  const chosen = new Promise<string | undefined>((resolve) => {
    pick.onDidChangeValue((value) => {
      clearTimeout(timer);
      timer = setTimeout(() => void fill(value), 200);
    });
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (!item?.session) return;
      resolve(item.session);
      pick.hide();
    });
    pick.onDidHide(() => resolve(undefined));
  });
  pick.show();
  void fill("");
  try {
    return await chosen;
  } finally {
    clearTimeout(timer);
    asked += 1;
    pick.dispose();
  }
}

/** This workspace's first, then those of other folders; each newest first. */
async function itemsOf(
  server: Server,
  query: string,
  rowOf: (listed: ListedSession) => Row,
  folderName: (uri: string) => string,
): Promise<Item[]> {
  const ask = async (params: SessionsParams): Promise<readonly ListedSession[]> =>
    (await server.execute("steersman.sessions", { query, limit: PAGE, ...params })).sessions;
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
  const own = (await Promise.all(roots.map((root) => ask({ root })))).flat().sort((a, b) => b.updated - a.updated);
  const known = new Set(own.map(({ session }) => session));
  const others = (await ask({})).filter(({ session }) => !known.has(session));
  const item = (listed: ListedSession, foreign: boolean): Item => {
    const row = rowOf(listed);
    return {
      session: row.id,
      label: titleOf(row),
      iconPath: new vscode.ThemeIcon(iconOf(row.state).name),
      description: descriptionOf(row, new Date(), locale()),
      ...(foreign ? { detail: folderName(row.folders[0] ?? "") } : {}),
      // The server's search matches words in any order; VS Code must not filter its results.
      alwaysShow: query !== "",
    };
  };
  const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const items = [
    ...(own.length > 0 ? [separator(t("This workspace"))] : []),
    ...own.map((listed) => item(listed, false)),
    ...(others.length > 0 ? [separator(t("Other folders"))] : []),
    ...others.map((listed) => item(listed, true)),
  ];
  return items.length > 0 ? items : [{ label: t("There is no such session."), alwaysShow: true }];
}

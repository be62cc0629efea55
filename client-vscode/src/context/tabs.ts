/** The files that are open in this window: their tabs and their text documents. */

import * as vscode from "vscode";
import type { DocumentLike, TabLike } from "./openList";

export function documents(): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === "file" && !isClosed);
}

/** The same, as far as `openList` needs it. */
export function standing(): DocumentLike[] {
  return documents().map(({ uri, isDirty }) => ({ uri: uri.toString(), dirty: isDirty }));
}

export function tabs(): TabLike[] {
  return vscode.window.tabGroups.all.flatMap((group) =>
    group.tabs.flatMap((tab) => {
      const shown = shownIn(tab);
      if (shown === undefined || shown.uri.scheme !== "file") return [];
      const { uri, editor } = shown;
      return [
        { uri: uri.toString(), dirty: tab.isDirty, editor, visible: tab.isActive, active: tab.isActive && group.isActive },
      ];
    }),
  );
}

/** What a tab shows; of a diff, the side that can be edited. */
function shownIn({ input }: vscode.Tab): { uri: vscode.Uri; editor: TabLike["editor"] } | undefined {
  if (input instanceof vscode.TabInputText) return { uri: input.uri, editor: "text" };
  if (input instanceof vscode.TabInputTextDiff) return { uri: input.modified, editor: "text" };
  if (input instanceof vscode.TabInputNotebook) return { uri: input.uri, editor: "notebook" };
  if (input instanceof vscode.TabInputCustom) return { uri: input.uri, editor: "custom" };
  return undefined;
}

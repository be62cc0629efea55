/** The tabs that show proposals: opened without taking the focus, closed exactly. It knows no question. */

import * as vscode from "vscode";
import { placeOf } from "./documents";

export interface Sides {
  /** The file that it is about. */
  readonly file: vscode.Uri;
  readonly before: vscode.Uri;
  readonly proposed: vscode.Uri;
}

export class ProposalTabs {
  /** Tabs of the multi-diff editor, whose input the API doesn't tell. */
  private readonly several = new Map<string, vscode.Tab>();

  /** The question of the tab in front. */
  get active(): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab && this.idOf(tab);
  }

  /** The tab in front is not one of these. */
  get othersInFront(): boolean {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab !== undefined && this.idOf(tab) === undefined;
  }

  /** Where it is open. */
  columnOf(id: string): vscode.ViewColumn | undefined {
    return this.of(id)[0]?.group.viewColumn;
  }

  isOpen(id: string): boolean {
    return this.of(id).length > 0;
  }

  async openOne(sides: Sides, title: string, line: number, show: vscode.TextDocumentShowOptions): Promise<void> {
    const selection = new vscode.Range(line, 0, line, 0);
    // Not as a preview: the next file that is looked at would take its place, and it the place of one. As text, whatever
    // else shows such files (a notebook's diff has no hunks of ours): `override` is not in the API's types.
    const options: vscode.TextDocumentShowOptions & { override: boolean } = { preview: false, selection, override: false, ...show };
    await vscode.commands.executeCommand("vscode.diff", sides.before, sides.proposed, title, options);
  }

  /** The editor gives it the focus, there is no way to ask otherwise. One that is open comes to the front. */
  async openSeveral(id: string, files: readonly Sides[]): Promise<void> {
    const open = this.several.get(id);
    if (open && allTabs().includes(open)) {
      if (open.isActive && open.group.isActive) return;
      // The API has no way to bring a tab to the front.
      await save((each) => each === id);
      await vscode.window.tabGroups.close(open, true);
    }
    const title = titleOfSeveral();
    const before = new Set(allTabs());
    const opened = new Promise<vscode.Tab | undefined>((resolve) => {
      const done = (tab?: vscode.Tab): void => {
        listening.dispose();
        clearTimeout(timer);
        resolve(tab);
      };
      const listening = vscode.window.tabGroups.onDidChangeTabs(({ opened: tabs }) => {
        const tab = tabs.find((each) => !before.has(each) && each.label.startsWith(title));
        if (tab) done(tab);
      });
      const timer = setTimeout(done, 5000);
    });
    const resources = files.map(({ file, before: left, proposed }) => [file, left, proposed]);
    await vscode.commands.executeCommand("vscode.changes", title, resources);
    const tab = await opened;
    if (!tab) return;
    this.several.set(id, tab);
    // It comes as a preview, whose place the next file that is looked at would take.
    if (tab.isActive && tab.group.isActive) await vscode.commands.executeCommand("workbench.action.keepEditor");
  }

  /** Closes tabs of several files that an earlier window has left: nothing but their title tells whose they are. */
  async closeLeftSeveral(): Promise<void> {
    const ours = [...this.several.values()];
    const tabs = allTabs().filter((tab) => tab.input === undefined && tab.label.startsWith(titleOfSeveral()) && !ours.includes(tab));
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }

  /** Closes the tabs of a question, without asking whether to save what nobody needs any more. */
  async close(isOurs: (id: string) => boolean): Promise<void> {
    await save(isOurs);
    const tabs = allTabs().filter((tab) => {
      const id = this.idOf(tab);
      return id !== undefined && isOurs(id);
    });
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
    for (const id of [...this.several.keys()]) if (isOurs(id)) this.several.delete(id);
  }

  private of(id: string): vscode.Tab[] {
    return allTabs().filter((tab) => this.idOf(tab) === id);
  }

  private idOf(tab: vscode.Tab): string | undefined {
    const { input } = tab;
    if (input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff) {
      return (placeOf(input.modified) ?? placeOf(input.original))?.id;
    }
    if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom) {
      return placeOf(input.uri)?.id;
    }
    return [...this.several].find(([, each]) => each === tab)?.[0];
  }
}

async function save(isOurs: (id: string) => boolean): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    const place = placeOf(document.uri);
    if (place && isOurs(place.id) && document.isDirty) await document.save();
  }
}

/** Of the multi-diff editor, which adds how many files it shows. */
function titleOfSeveral(): string {
  return vscode.l10n.t("Steersman: proposed changes");
}

function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

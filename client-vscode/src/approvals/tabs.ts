/** Opens the tabs of proposals without taking the focus, and closes exactly those. It knows no question. */

import * as vscode from "vscode";
import { placeOf } from "./documents";

export interface Sides {
  /** The file to be changed. */
  readonly file: vscode.Uri;
  readonly before: vscode.Uri;
  readonly proposed: vscode.Uri;
}

export class ProposalTabs {
  /** Tabs of the multi-diff editor by question, since the API doesn't tell their input. */
  private readonly several = new Map<string, vscode.Tab>();
  /** This window has opened some, or is about to. */
  private opensSeveral = false;

  /** The question whose tab is in front. */
  get active(): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab && this.idOf(tab);
  }

  /** The tab in front is not one of these. */
  get othersInFront(): boolean {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab !== undefined && this.idOf(tab) === undefined;
  }

  /** The column of a question's tab. */
  columnOf(id: string): vscode.ViewColumn | undefined {
    return this.of(id)[0]?.group.viewColumn;
  }

  isOpen(id: string): boolean {
    return this.of(id).length > 0;
  }

  async openOne(sides: Sides, title: string, line: number, show: vscode.TextDocumentShowOptions): Promise<void> {
    const selection = new vscode.Range(line, 0, line, 0);
    // Not as a preview, which the next opened file would replace. `override`, which is not in the API's types: as text, even
    // for files with another default editor, since a notebook's diff does not show our hunks.
    const options: vscode.TextDocumentShowOptions & { override: boolean } = { preview: false, selection, override: false, ...show };
    await vscode.commands.executeCommand("vscode.diff", sides.before, sides.proposed, title, options);
  }

  /** Brings the question's tab to the front, or opens it. VS Code gives it the focus; the API has no option against that. */
  async openSeveral(id: string, files: readonly Sides[]): Promise<void> {
    this.opensSeveral = true;
    const open = this.several.get(id);
    if (open && allTabs().includes(open)) {
      if (open.isActive && open.group.isActive) return;
      // The API can't bring a tab to the front, so it is opened again.
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
    // It opens as a preview, which the next opened file would replace.
    if (tab.isActive && tab.group.isActive) await vscode.commands.executeCommand("workbench.action.keepEditor");
  }

  get all(): readonly vscode.Tab[] {
    return allTabs();
  }

  /** Whether a tab belongs to none of the questions that are ours. */
  isLeft(tab: vscode.Tab, isOurs: (id: string) => boolean): boolean {
    const id = this.idOf(tab);
    return id === undefined ? this.isLeftSeveral(tab) : !isOurs(id);
  }

  /** Closes multi-diff tabs that an earlier window has left. */
  async closeLeftSeveral(): Promise<void> {
    const tabs = allTabs().filter((tab) => this.isLeftSeveral(tab));
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }

  /** Closes the tabs of questions, without asking whether to save them. */
  async close(isOurs: (id: string) => boolean): Promise<void> {
    await save(isOurs);
    const tabs = allTabs().filter((tab) => {
      const id = this.idOf(tab);
      return id !== undefined && isOurs(id);
    });
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
    for (const id of [...this.several.keys()]) if (isOurs(id)) this.several.delete(id);
  }

  /** Only their title identifies them: once one was opened here, one that comes late may be that. */
  private isLeftSeveral(tab: vscode.Tab): boolean {
    return !this.opensSeveral && tab.input === undefined && tab.label.startsWith(titleOfSeveral());
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

/** The multi-diff editor appends the number of files. */
function titleOfSeveral(): string {
  return vscode.l10n.t("Steersman: proposed changes");
}

function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

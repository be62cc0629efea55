/**
 * Tells the server what the user has open and sees: `steersman/openDocuments`.
 *
 * The language client attaches every `file` document that VS Code has loaded. What that leaves out is told here: tabs
 * whose text is no document (notebooks, editors of extensions, files over 50 MB) with whether they are saved, so that
 * the agent writes over none of it; and which of all these the user has in front of them.
 */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ListedDocument, OpenDocument, OpenDocumentsAnswer, OpenDocumentsRequest } from "../protocol";
import type { ClientFeature } from "../server/server";
import { Coalescer } from "./coalesce";
import { openList, type TabLike } from "./openList";

const PACE = { delayMs: 50, batch: 1 };

export class OpenDocuments implements ClientFeature {
  readonly options = { openDocuments: true };
  private client: LanguageClient | undefined;
  private told = "";
  private readonly dirty = new Map<string, boolean>();
  private readonly changes = new Coalescer<"list">(() => this.tell(), PACE);

  attach(client: LanguageClient): vscode.Disposable[] {
    const changed = (): void => this.changed();
    return [
      client.onRequest("steersman/openDocuments", (request: OpenDocumentsRequest) => this.answer(request)),
      vscode.workspace.onDidOpenTextDocument(changed),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.dirty.delete(document.uri.toString());
        this.changed();
      }),
      vscode.workspace.onDidSaveTextDocument((document) => this.touched(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.touched(document)),
      vscode.window.tabGroups.onDidChangeTabs(changed),
      vscode.window.tabGroups.onDidChangeTabGroups(changed),
      new vscode.Disposable(() => {
        if (this.client === client) this.client = undefined;
        this.told = "";
        this.changes.clear();
      }),
    ];
  }

  started(client: LanguageClient): void {
    this.client = client;
    // At once: a message that has waited for the server comes next.
    this.tell();
  }

  /** Tells what waits, so that a message that is sent next finds it there. */
  flush(): void {
    this.changes.flush();
  }

  /** Of all that is typed only the first change and the saving of it matter. */
  private touched(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    if (document.uri.scheme !== "file" || this.dirty.get(uri) === document.isDirty) return;
    this.dirty.set(uri, document.isDirty);
    this.changed();
  }

  private changed(): void {
    this.changes.add(["list"]);
  }

  private tell(): void {
    const documents = list();
    const told = JSON.stringify(documents);
    if (this.client === undefined || told === this.told) return;
    this.told = told;
    // A connection that is closing refuses it; the next server asks for all anew.
    this.client.sendNotification("steersman/openDocumentsChanged", { documents }).catch(() => undefined);
  }

  private async answer({ uris }: OpenDocumentsRequest): Promise<OpenDocumentsAnswer> {
    const open = list();
    if (!uris || uris.length === 0) return { documents: open };
    const wanted = open.filter(({ uri }) => uris.includes(uri));
    return { documents: await Promise.all(wanted.map(withText)) };
  }
}

/** With its text, if that is a document. A tab that was not shown since the window was opened has none yet. */
async function withText(listed: ListedDocument): Promise<OpenDocument> {
  const isText = tabs().some((tab) => tab.uri === listed.uri && tab.text);
  try {
    const document =
      documents().find(({ uri }) => uri.toString() === listed.uri) ??
      (isText ? await vscode.workspace.openTextDocument(vscode.Uri.parse(listed.uri)) : undefined);
    if (document === undefined) return listed;
    return { uri: listed.uri, dirty: document.isDirty, version: document.version, text: document.getText() };
  } catch {
    return listed; // too long for an extension, or no text: it can't be had
  }
}

function list(): ListedDocument[] {
  return openList(
    tabs(),
    documents().map(({ uri, isDirty }) => ({ uri: uri.toString(), dirty: isDirty })),
  );
}

function documents(): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === "file" && !isClosed);
}

function tabs(): TabLike[] {
  return vscode.window.tabGroups.all.flatMap((group) =>
    group.tabs.flatMap((tab) => {
      const shown = shownIn(tab);
      if (shown === undefined || shown.uri.scheme !== "file") return [];
      const { uri, text } = shown;
      return [
        { uri: uri.toString(), dirty: tab.isDirty, text, visible: tab.isActive, active: tab.isActive && group.isActive },
      ];
    }),
  );
}

/** What a tab is about; of two sides the one that can be changed. */
function shownIn({ input }: vscode.Tab): { uri: vscode.Uri; text: boolean } | undefined {
  if (input instanceof vscode.TabInputText) return { uri: input.uri, text: true };
  if (input instanceof vscode.TabInputTextDiff) return { uri: input.modified, text: true };
  if (input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputNotebook) {
    return { uri: input.uri, text: false };
  }
  return undefined;
}

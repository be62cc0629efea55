/**
 * Tells the server what the user has open and sees: `steersman/openDocuments`.
 *
 * The language client attaches every `file` document that VS Code has loaded. This tells the rest: the tabs that have no
 * text document (notebooks, extensions' editors, files over 50 MB) and whether they are saved, so that the agent
 * overwrites nothing; and which of all tabs the user has in front of them.
 */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ListedDocument, OpenDocument, OpenDocumentsAnswer, OpenDocumentsRequest } from "../protocol";
import type { ClientFeature } from "../server/server";
import { Coalescer } from "./coalesce";
import { isUnsavedElsewhere, openList } from "./openList";
import { documents, standing, tabs } from "./tabs";

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
    // At once: a message that has waited for the server is sent next.
    this.tell();
  }

  /** Tells what waits, so that the server has it before the next message. */
  flush(): void {
    this.changes.flush();
  }

  /** Of all typing, only the first unsaved change matters, and the save. */
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
    // A closing connection refuses it; the next server asks for everything again.
    this.client.sendNotification("steersman/openDocumentsChanged", { documents }).catch(() => undefined);
  }

  private async answer({ uris }: OpenDocumentsRequest): Promise<OpenDocumentsAnswer> {
    const open = list();
    if (!uris || uris.length === 0) return { documents: open };
    const wanted = open.filter(({ uri }) => uris.includes(uri));
    return { documents: await Promise.all(wanted.map(withText)) };
  }
}

/** With its text, if it has a text document. A tab that has not been shown since the window opened has none yet. */
async function withText(listed: ListedDocument): Promise<OpenDocument> {
  const { uri } = listed;
  // The text is not what the user has in front of them: without it, the server leaves the file alone.
  if (isUnsavedElsewhere(uri, tabs(), standing())) return listed;
  const isText = tabs().some((tab) => tab.uri === uri && tab.editor === "text");
  try {
    const document =
      documents().find((each) => each.uri.toString() === uri) ??
      (isText ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)) : undefined);
    if (document === undefined) return listed;
    return { uri, dirty: document.isDirty, version: document.version, text: document.getText() };
  } catch {
    return listed; // too long for an extension, or not text
  }
}

function list(): ListedDocument[] {
  return openList(tabs(), standing());
}

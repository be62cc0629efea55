/** Tells the server what all language servers of this window find: `$/steersman/diagnostics`. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ReportedDiagnostics } from "../protocol";
import type { ClientFeature } from "../server/server";
import { Coalescer } from "./coalesce";
import { kindOf, lookedAt, type Manifest } from "./languages";
import { reported } from "./reported";

/** What the server keeps; more at the start would only push out what was told before. */
const MAX_DOCUMENTS = 2_000;
/** At most 1,000 documents a second, and no document more often than ten times. */
const PACE = { delayMs: 100, batch: 100 };

export class Diagnostics implements ClientFeature {
  readonly options = { diagnostics: true };
  private client: LanguageClient | undefined;
  private readonly changed: Coalescer<string>;
  /** Ids of languages that an extension looks at. */
  private looked = new Set<string>();
  /** Kinds of files that the server has heard of. */
  private readonly introduced = new Set<string>();

  constructor() {
    this.changed = new Coalescer((uris) => this.tell(uris), PACE, undefined, isOpen);
  }

  attach(client: LanguageClient): vscode.Disposable[] {
    return [
      vscode.languages.onDidChangeDiagnostics(({ uris }) => this.client && this.add(uris)),
      vscode.workspace.onDidOpenTextDocument((document) => this.client && this.introduce([document])),
      new vscode.Disposable(() => {
        if (this.client === client) this.client = undefined;
        this.changed.clear();
      }),
    ];
  }

  started(client: LanguageClient): void {
    this.client = client;
    this.introduced.clear();
    this.looked = lookedAt(vscode.extensions.all.map(({ packageJSON }) => packageJSON as Manifest));
    // VS Code's own extension looks at links only where that is switched on.
    if (!vscode.workspace.getConfiguration("markdown").get<boolean>("validate.enabled", false)) this.looked.delete("markdown");
    const known = vscode.languages.getDiagnostics();
    const [bad, good] = [known.filter(([, { length }]) => length > 0), known.filter(([, { length }]) => length === 0)];
    this.add([...bad, ...good].map(([uri]) => uri).slice(0, MAX_DOCUMENTS));
    this.introduce(vscode.workspace.textDocuments);
    // A message that has waited for the server comes next.
    this.changed.begin();
  }

  /** Tells what waits, so that a message that is sent next finds it there. */
  flush(): void {
    this.changed.flush();
  }

  private add(uris: readonly vscode.Uri[]): void {
    this.changed.add(uris.filter(({ scheme }) => scheme === "file").map((uri) => uri.toString()));
  }

  /**
   * Tells of one document of each language that is looked at, also without a problem: the server waits after an edit
   * only for languages that it has heard of, and most extensions say nothing of a document that is as it should be.
   */
  private introduce(documents: readonly vscode.TextDocument[]): void {
    for (const { uri, languageId } of documents) {
      const kind = kindOf(uri.path);
      if (uri.scheme !== "file" || !this.looked.has(languageId) || this.introduced.has(kind)) continue;
      this.introduced.add(kind);
      this.add([uri]);
    }
  }

  private tell(uris: readonly string[]): void {
    for (const uri of uris) {
      const found = vscode.languages.getDiagnostics(vscode.Uri.parse(uri));
      const params: ReportedDiagnostics = { uri, diagnostics: reported(found) };
      // A connection that is closing refuses it; the next client is told all anew.
      this.client?.sendNotification("$/steersman/diagnostics", params).catch(() => undefined);
    }
  }
}

function isOpen(uri: string): boolean {
  return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri);
}

/** Sends the server the diagnostics of all language servers of this window: `$/steersman/diagnostics`. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ReportedDiagnostics } from "../protocol";
import type { ClientFeature } from "../server/server";
import { Coalescer } from "./coalesce";
import { kindOf, lookedAt, type Manifest } from "./languages";
import { reported } from "./reported";

/** The server keeps no more documents than this: further ones would only displace earlier ones. */
const MAX_DOCUMENTS = 2_000;
/** At most 1,000 documents a second, and no document more often than ten times. */
const PACE = { delayMs: 100, batch: 100 };

export class Diagnostics implements ClientFeature {
  readonly options = { diagnostics: true };
  private client: LanguageClient | undefined;
  private readonly changed: Coalescer<string>;
  /** Ids of the languages that an extension checks. */
  private looked = new Set<string>();
  /** Kinds of files of which the server has been told a document. */
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
    // VS Code's own extension checks Markdown only if this setting is on.
    if (!vscode.workspace.getConfiguration("markdown").get<boolean>("validate.enabled", false)) this.looked.delete("markdown");
    const known = vscode.languages.getDiagnostics();
    const [bad, good] = [known.filter(([, { length }]) => length > 0), known.filter(([, { length }]) => length === 0)];
    this.add([...bad, ...good].map(([uri]) => uri).slice(0, MAX_DOCUMENTS));
    this.introduce(vscode.workspace.textDocuments);
    // A message that has waited for the server is sent next.
    this.changed.begin();
  }

  /** Sends what waits, so that the server has it before the next message. */
  flush(): void {
    this.changed.flush();
  }

  private add(uris: readonly vscode.Uri[]): void {
    this.changed.add(uris.filter(({ scheme }) => scheme === "file").map((uri) => uri.toString()));
  }

  /**
   * Reports one document of each language that is checked, even without problems. After an edit the server waits only for
   * languages that it has heard of, and most extensions report nothing for a document without problems.
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
      // A closing connection refuses it; the next client gets everything again.
      this.client?.sendNotification("$/steersman/diagnostics", params).catch(() => undefined);
    }
  }
}

function isOpen(uri: string): boolean {
  return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri);
}

/** Saves what the agent has edited, when the server asks for it by `steersman/save`. Never what the user has typed. */

import * as vscode from "vscode";
import type {
  ApplyWorkspaceEditParams,
  LanguageClient,
  Middleware,
} from "vscode-languageclient/node";
import type { SaveAnswer, SaveRequest } from "../protocol";
import type { ClientFeature } from "../server/server";
import { OwnEdits, type Standing } from "./ownEdits";

export class Saving implements ClientFeature {
  readonly options = { save: true };
  private readonly own = new OwnEdits();

  readonly middleware: Middleware = {
    workspace: {
      handleApplyEdit: async (params, next) => {
        const brackets = edited(params).map((uri) => this.own.begin(uri, standingOf(uri)));
        try {
          return await next(params, NEVER);
        } finally {
          for (const bracket of brackets) this.own.end(bracket, standingOf(bracket.uri));
        }
      },
    },
  };

  attach(client: LanguageClient): vscode.Disposable[] {
    return [
      client.onRequest("steersman/save", ({ uris }: SaveRequest) => this.save(uris)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.own.changed(document.uri.toString());
      }),
      vscode.workspace.onDidSaveTextDocument((document) => this.own.forget(document.uri.toString())),
      vscode.workspace.onDidCloseTextDocument((document) => this.own.forget(document.uri.toString())),
    ];
  }

  private async save(uris: readonly string[]): Promise<SaveAnswer> {
    const saved = await Promise.all(uris.map(async (uri) => ((await this.saveOne(uri)) ? uri : undefined)));
    return { saved: saved.filter((uri) => uri !== undefined) };
  }

  private async saveOne(uri: string): Promise<boolean> {
    const document = documentOf(uri);
    if (document === undefined) return false;
    if (!document.isDirty) return true; // saved by itself meanwhile
    if (!this.own.mayBeSaved(uri, standing(document))) return false;
    try {
      return await document.save();
    } catch {
      return false; // VS Code has said why
    }
  }
}

const NEVER = new vscode.CancellationTokenSource().token;

function edited({ edit }: ApplyWorkspaceEditParams): string[] {
  const changed = edit.documentChanges?.flatMap((change) => ("textDocument" in change ? [change.textDocument.uri] : []));
  return [...new Set(changed ?? Object.keys(edit.changes ?? {}))].map((uri) => vscode.Uri.parse(uri).toString());
}

function documentOf(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted && !document.isClosed);
}

function standingOf(uri: string): Standing | undefined {
  const document = documentOf(uri);
  return document && standing(document);
}

function standing(document: vscode.TextDocument): Standing {
  return { version: document.version, dirty: document.isDirty };
}

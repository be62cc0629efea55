/**
 * Protects what the user has not saved from the agent: no edit goes into a file on which another editor holds unsaved work,
 * and `steersman/save` saves only what the agent has edited.
 */

import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";
import type { SaveAnswer, SaveRequest } from "../protocol";
import type { ClientFeature } from "../server/server";
import { editedIn, touchedIn } from "./editUris";
import { isUnsavedElsewhere } from "./openList";
import { OwnEdits, type Standing } from "./ownEdits";
import { documents, standing, tabs } from "./tabs";

export class Saving implements ClientFeature {
  readonly options = { save: true };
  private readonly own = new OwnEdits();

  readonly middleware: Middleware = {
    workspace: {
      handleApplyEdit: async (params, next) => {
        if (touchedIn(params.edit).map(asSpelledHere).some(isHeld)) return { applied: false, failureReason: HELD };
        const brackets = editedIn(params.edit).map(asSpelledHere).map((uri) => this.own.begin(uri, standingOf(uri)));
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
    const saved = await Promise.all(uris.map(async (uri) => ((await this.saveOne(asSpelledHere(uri))) ? uri : undefined)));
    return { saved: saved.filter((uri) => uri !== undefined) };
  }

  private async saveOne(uri: string): Promise<boolean> {
    const document = documentOf(uri);
    if (document === undefined) return false;
    if (!document.isDirty) return true; // saved by itself meanwhile
    if (isHeld(uri) || !this.own.mayBeSaved(uri, standingOfDocument(document))) return false;
    try {
      return await document.save();
    } catch {
      return false; // VS Code has said why
    }
  }
}

const NEVER = new vscode.CancellationTokenSource().token;

/** For the model. */
const HELD = "another editor, such as a notebook, has unsaved work on the file, and the user has to save it first";

function isHeld(uri: string): boolean {
  return isUnsavedElsewhere(uri, tabs(), standing());
}

function asSpelledHere(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}

function documentOf(uri: string): vscode.TextDocument | undefined {
  return documents().find((document) => document.uri.toString() === uri);
}

function standingOf(uri: string): Standing | undefined {
  const document = documentOf(uri);
  return document && standingOfDocument(document);
}

function standingOfDocument(document: vscode.TextDocument): Standing {
  return { version: document.version, dirty: document.isDirty };
}

/** Asks the language extensions of this window through the `vscode.execute…Provider` commands. It changes nothing. */

import * as vscode from "vscode";
import {
  changes,
  hover,
  locations,
  symbols,
  type HoverLike,
  type LinkLike,
  type LocationLike,
  type SymbolLike,
} from "./lspShapes";
import { documentIn, placeIn, textIn } from "./toolArguments";

/** The result of a tool: LSP's result, and whether anything was found. */
export interface Result {
  readonly data: unknown;
  readonly empty: boolean;
}

/** Implements one of the server's known tools. */
export interface Provider {
  /** `given` are the params of the LSP request. May throw what the extension or VS Code throws. */
  ask(given: unknown): Promise<Result>;
}

type Position = readonly [vscode.Uri, vscode.Position];

export const PROVIDERS: Readonly<Record<string, Provider>> = {
  definition: { ask: (given) => places("vscode.executeDefinitionProvider", given) },
  references: { ask: (given) => places("vscode.executeReferenceProvider", given) },
  hover: {
    ask: async (given) => {
      const found = await run<HoverLike[]>("vscode.executeHoverProvider", ...positionIn(given));
      const data = hover(found ?? []);
      return { data, empty: data === null };
    },
  },
  symbols: {
    ask: async (given) => {
      const uri = documentIn(given);
      const found =
        uri === undefined
          ? await run<SymbolLike[]>("vscode.executeWorkspaceSymbolProvider", textIn(given, "query"))
          : await run<SymbolLike[]>("vscode.executeDocumentSymbolProvider", vscode.Uri.parse(uri));
      return { data: symbols(found ?? []), empty: (found ?? []).length === 0 };
    },
  },
  renamePreview: {
    ask: async (given) => {
      const name = textIn(given, "newName");
      const edit = await run<vscode.WorkspaceEdit>("vscode.executeDocumentRenameProvider", ...positionIn(given), name);
      const entries = edit?.entries() ?? [];
      return { data: edit ? changes(entries) : null, empty: entries.length === 0 };
    },
  },
};

/** Whether any extension knows anything about a document; the best available sign is that it has an outline. */
export async function isKnown(uri: string): Promise<boolean> {
  const found = await run<SymbolLike[]>("vscode.executeDocumentSymbolProvider", vscode.Uri.parse(uri));
  return found !== undefined && found.length > 0;
}

async function places(command: string, given: unknown): Promise<Result> {
  const found = (await run<(LocationLike | LinkLike)[]>(command, ...positionIn(given))) ?? [];
  return { data: locations(found), empty: found.length === 0 };
}

function positionIn(given: unknown): Position {
  const { uri, line, character } = placeIn(given);
  return [vscode.Uri.parse(uri), new vscode.Position(line, character)];
}

function run<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
  return Promise.resolve(vscode.commands.executeCommand<T | undefined>(command, ...args));
}

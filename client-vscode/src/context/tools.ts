/** `steersman/callTool`: the known tools, with which models ask the language extensions of this window. They only read. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { CallToolAnswer, CallToolRequest } from "../protocol";
import type { ClientFeature } from "../server/server";
import { GivenUp, Lanes, TooLong, within } from "./bounds";
import { isKnown, PROVIDERS, type Provider, type Result } from "./providers";
import { BadArguments, documentIn } from "./toolArguments";

/** Less than the server waits, so that the model is told the reason. */
const PATIENCE_MS = 60_000;
/** In a large workspace a few questions keep a language server busy. */
const AT_ONCE = 4;
/** Pauses before an extension is asked again: one that is still starting knows nothing yet. */
const WARMING_MS = [300, 700, 1_500];

export class Tools implements ClientFeature {
  readonly options = { tools: Object.keys(PROVIDERS) };
  private readonly lanes = new Lanes(AT_ONCE);
  /** Languages whose extensions have had time to start. */
  private readonly warm = new Set<string>();

  attach(client: LanguageClient): vscode.Disposable[] {
    return [
      client.onRequest("steersman/callTool", (request: CallToolRequest, token: vscode.CancellationToken) =>
        this.call(request, token),
      ),
    ];
  }

  private async call({ name, arguments: given }: CallToolRequest, token: vscode.CancellationToken): Promise<CallToolAnswer> {
    const provider = PROVIDERS[name];
    if (provider === undefined) return failed(`VS Code has no tool ${name}.`);
    try {
      // A question that is given up frees its lane even if the language server never answers.
      return await this.lanes.run(() => within(this.ask(provider, given, token), PATIENCE_MS, token));
    } catch (error) {
      return failed(reason(error));
    }
  }

  private async ask(provider: Provider, given: unknown, token: vscode.CancellationToken): Promise<CallToolAnswer> {
    if (token.isCancellationRequested) throw new GivenUp();
    const uri = documentIn(given);
    // Opened without being shown: extensions answer about documents, and some start only when one is open.
    const document = uri === undefined ? undefined : await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    const { data, empty } = await this.warmed(document?.languageId, () => provider.ask(given), token);
    if (empty && uri !== undefined && document !== undefined && !(await isKnown(uri))) {
      return failed(
        `VS Code can't say: none of its extensions knows anything of this file (its language is ${document.languageId}). ` +
          "Use grep and read.",
      );
    }
    return { data };
  }

  /** Asks; at the first question about a language that finds nothing, asks again after a pause. */
  private async warmed(
    language: string | undefined,
    ask: () => Promise<Result>,
    token: vscode.CancellationToken,
  ): Promise<Result> {
    const key = language ?? "";
    let result = await ask();
    for (const pause of this.warm.has(key) ? [] : WARMING_MS) {
      if (!result.empty || token.isCancellationRequested) break;
      await new Promise((resolve) => setTimeout(resolve, pause));
      result = await ask();
    }
    this.warm.add(key);
    return result;
  }
}

function failed(content: string): CallToolAnswer {
  return { content, isError: true };
}

/** For the model. */
function reason(error: unknown): string {
  if (error instanceof GivenUp) return "The call was withdrawn.";
  if (error instanceof TooLong) return "The language extensions of VS Code gave no answer in time.";
  const said = error instanceof Error ? error.message : String(error);
  if (error instanceof BadArguments) return said;
  return `VS Code can't say: ${said}`;
}

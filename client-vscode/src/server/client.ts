/** The language client for one server process. It is slow to load: only code that starts a server imports its values. */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  ProgressType,
  RevealOutputChannelOn,
  type LanguageClientOptions,
  type Middleware,
} from "vscode-languageclient/node";
import type { Event, SteersmanOptions } from "../protocol";
import { mergeMiddleware } from "./middleware";
import type { ServerProcess } from "./serverProcess";

export interface ClientParts {
  readonly name: string;
  readonly process: ServerProcess;
  readonly options: Partial<SteersmanOptions>;
  readonly middleware: readonly (Middleware | undefined)[];
  readonly log: vscode.LogOutputChannel;
  readonly trace: vscode.LogOutputChannel;
  /** The process has sent something that is not a language server's message. */
  readonly onGarbage: () => void;
}

/** Opens no windows of its own and restarts nothing: problems are shown in one place, the view. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export function makeClient(parts: ClientParts): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file" }],
    initializationOptions: { steersman: parts.options },
    outputChannel: parts.log,
    traceOutputChannel: parts.trace,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    middleware: mergeMiddleware(parts.middleware),
    // The process reads its own standard error.
    stdioOptions: { stdout: () => undefined, stderr: () => undefined },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: (error) => {
        parts.log.warn(error.message);
        // With a code (EPIPE), the process has ended, and its end is reported elsewhere.
        if (!("code" in error)) parts.onGarbage();
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
  };
  const start = (): Promise<ServerProcess["child"]> => Promise.resolve(parts.process.child);
  return new QuietClient("steersman", parts.name, start, options);
}

export function listenToEvents(client: LanguageClient, token: string, each: (event: Event) => void): vscode.Disposable {
  return client.onProgress(new ProgressType<Event>(), token, each);
}

/** Questions of the model's that want a line of text: `steersman/input`, answered in the chat. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { InputAnswer, InputRequest } from "../protocol";
import type { ClientFeature } from "../server/server";
import type { Handlers } from "../view/bridge";
import type { PendingInput } from "../view/messages";

interface Open {
  readonly shown: PendingInput;
  readonly settle: (answer: InputAnswer | null) => void;
}

export class Inputs implements ClientFeature, vscode.Disposable {
  readonly options = { input: true };
  private readonly open = new Map<string, Open>();
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;

  readonly handlers: Handlers = {
    answerInput: ({ toolCallId, text }) => {
      const question = this.open.get(toolCallId);
      if (!question) throw new Error("This question has been answered already.");
      question.settle(text === null ? null : { text });
      return {};
    },
  };

  attach(client: LanguageClient): vscode.Disposable[] {
    return [
      client.onRequest("steersman/input", (request: InputRequest, token: vscode.CancellationToken) =>
        this.ask(request, token),
      ),
    ];
  }

  pending(): readonly PendingInput[] {
    return [...this.open.values()].map(({ shown }) => shown);
  }

  dispose(): void {
    this.changes.dispose();
  }

  private ask(request: InputRequest, token: vscode.CancellationToken): Promise<InputAnswer | null> {
    return new Promise((resolve) => {
      const close = (answer: InputAnswer | null): void => {
        this.open.delete(request.toolCallId);
        this.changes.fire();
        resolve(answer);
      };
      token.onCancellationRequested(() => close(null));
      const { toolCallId, session, prompt, options } = request;
      this.open.set(toolCallId, { shown: { toolCallId, session, prompt, options: options ?? [] }, settle: close });
      this.changes.fire();
    });
  }
}

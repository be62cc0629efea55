/** Questions about changes: `steersman/requestApproval`, answered in the chat, in a diff or by a notification. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ApprovalAnswer, ApprovalRequest } from "../protocol";
import type { ClientFeature } from "../server/server";
import type { Handlers } from "../view/bridge";
import type { PendingApproval } from "../view/messages";

interface Open {
  shown: PendingApproval;
  readonly settle: (answer: ApprovalAnswer) => void;
}

export class Approvals implements ClientFeature, vscode.Disposable {
  readonly options = { approval: true };
  private readonly open = new Map<string, Open>();
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;

  readonly handlers: Handlers = {
    approve: ({ id, answer }) => {
      const question = this.open.get(id);
      if (!question) throw new Error("This question has been answered already.");
      question.settle(answer);
      return {};
    },
  };

  attach(client: LanguageClient): vscode.Disposable[] {
    return [
      client.onRequest("steersman/requestApproval", (request: ApprovalRequest, token: vscode.CancellationToken) =>
        this.ask(request, token),
      ),
    ];
  }

  pending(): readonly PendingApproval[] {
    return [...this.open.values()].map(({ shown }) => shown);
  }

  dispose(): void {
    this.changes.dispose();
  }

  private ask(request: ApprovalRequest, token: vscode.CancellationToken): Promise<ApprovalAnswer | null> {
    return new Promise((resolve) => {
      const close = (answer: ApprovalAnswer | null): void => {
        this.open.delete(request.id);
        this.changes.fire();
        resolve(answer);
      };
      token.onCancellationRequested(() => close(null));
      this.open.set(request.id, {
        shown: { request, chosenHunks: null, edited: false, shownAt: Date.now() },
        settle: close,
      });
      this.changes.fire();
    });
  }
}

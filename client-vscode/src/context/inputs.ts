/** Questions that want a line of text, of the model's or of a command: `steersman/input`, answered in the chat. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { InputAnswer, InputRequest } from "../protocol";
import type { ClientFeature } from "../server/server";
import type { Handlers } from "../view/bridge";
import type { PendingInput } from "../view/messages";
import { textOnly } from "../view/notice";
import { askInBox, isPrompt } from "./promptBox";

interface Open {
  readonly shown: PendingInput;
  readonly settle: (answer: InputAnswer | null) => void;
  /** A notification has told of it. */
  told: boolean;
}

/** Where questions are shown. */
export interface QuestionPlace {
  readonly visible: boolean;
  /** The session that is shown there. */
  readonly session: string | null;
  show(session: string): Promise<void>;
  /** It is shown or hidden, or shows another session. */
  readonly onDidChange: vscode.Event<unknown>;
}

/** Characters of a question that a notification shows. */
const MOST_SHOWN = 200;

export class Inputs implements ClientFeature, vscode.Disposable {
  readonly options = { input: true };
  private readonly open = new Map<string, Open>();
  private place: QuestionPlace | undefined;
  private listening: vscode.Disposable | undefined;
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;

  readonly handlers: Handlers = {
    answerInput: ({ toolCallId, text }) => {
      const question = this.open.get(toolCallId);
      if (!question) throw new Error(vscode.l10n.t("This question has been answered already."));
      question.settle(text === null ? null : { text });
      return {};
    },
  };

  attach(client: LanguageClient): vscode.Disposable[] {
    return [
      client.onRequest("steersman/input", (request: InputRequest, token: vscode.CancellationToken) =>
        isPrompt(request) ? askInBox(request, token) : this.ask(request, token),
      ),
    ];
  }

  /** The chat, which is made after this. */
  connect(place: QuestionPlace): void {
    this.place = place;
    this.listening = place.onDidChange(() => this.pointAtHidden());
  }

  pending(): readonly PendingInput[] {
    return [...this.open.values()].map(({ shown }) => shown);
  }

  dispose(): void {
    this.listening?.dispose();
    this.changes.dispose();
  }

  private ask(request: InputRequest, token: vscode.CancellationToken): Promise<InputAnswer | null> {
    return new Promise((resolve) => {
      const { toolCallId, session, prompt, options } = request;
      const close = (answer: InputAnswer | null): void => {
        if (!this.open.delete(toolCallId)) return;
        this.changes.fire();
        resolve(answer);
      };
      token.onCancellationRequested(() => close(null));
      this.open.set(toolCallId, { shown: { toolCallId, session, prompt, options: options ?? [] }, settle: close, told: false });
      this.changes.fire();
      this.pointAtHidden();
    });
  }

  /** Questions that nobody sees are told of, each once. */
  private pointAtHidden(): void {
    const { place } = this;
    if (!place) return;
    for (const question of this.open.values()) {
      const isSeen = place.visible && place.session === question.shown.session;
      if (isSeen || question.told) continue;
      question.told = true;
      void this.point(place, question.shown);
    }
  }

  private async point(place: QuestionPlace, { toolCallId, session, prompt }: PendingInput): Promise<void> {
    const answer = vscode.l10n.t("Answer");
    const title = prompt.length > MOST_SHOWN ? `${prompt.slice(0, MOST_SHOWN)}…` : prompt;
    const pressed = await vscode.window.showInformationMessage(vscode.l10n.t("Steersman asks: {0}", textOnly(title)), answer);
    // One that was answered meanwhile has nothing to show any more.
    if (pressed === answer && this.open.has(toolCallId)) await place.show(session);
  }
}

/** `steersman/input`: the model's questions are answered in the chat, a command's request for a prompt in an input box. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { cut } from "../cut";
import type { InputAnswer, InputRequest } from "../protocol";
import type { ClientFeature } from "../server/server";
import type { Handlers } from "../view/bridge";
import type { PendingInput } from "../view/messages";
import { textOnly } from "../view/notice";
import { OpenQuestions } from "./openQuestions";
import { askInBox, isPrompt } from "./promptBox";

/** Where questions are shown. */
export interface QuestionPlace {
  readonly visible: boolean;
  /** The session that is shown there. */
  readonly session: string | null;
  show(session: string): Promise<void>;
  /** It was shown or hidden, or shows another session. */
  readonly onDidChange: vscode.Event<unknown>;
}

/** UTF-16 code units of a question that a notification shows. */
const MOST_SHOWN = 200;

export class Inputs implements ClientFeature, vscode.Disposable {
  readonly options = { input: true };
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly questions = new OpenQuestions(() => this.changes.fire());
  private place: QuestionPlace | undefined;
  private listening: vscode.Disposable | undefined;
  readonly onDidChange = this.changes.event;

  readonly handlers: Handlers = {
    answerInput: ({ text, ...call }) => {
      if (this.questions.answer(call, text === null ? null : { text })) return {};
      throw new Error(vscode.l10n.t("This question has been answered already."));
    },
  };

  attach(client: LanguageClient): vscode.Disposable[] {
    // A connection that ends does not cancel its requests.
    const ended = new vscode.CancellationTokenSource();
    return [
      client.onRequest("steersman/input", (request: InputRequest, token: vscode.CancellationToken) =>
        isPrompt(request) ? askInBox(request, token, ended.token) : this.ask(request, token),
      ),
      new vscode.Disposable(() => {
        this.questions.withdrawAll();
        ended.cancel();
        ended.dispose();
      }),
    ];
  }

  /** The chat, which is created later. */
  connect(place: QuestionPlace): void {
    this.place = place;
    this.listening = place.onDidChange(() => this.notifyOfUnseen());
  }

  pending(): readonly PendingInput[] {
    return this.questions.pending;
  }

  dispose(): void {
    this.listening?.dispose();
    this.changes.dispose();
  }

  private ask(request: InputRequest, token: vscode.CancellationToken): Promise<InputAnswer | null> {
    const answer = this.questions.ask(request);
    token.onCancellationRequested(() => this.questions.withdraw(request));
    this.notifyOfUnseen();
    return answer;
  }

  private notifyOfUnseen(): void {
    const { place } = this;
    if (!place) return;
    for (const question of this.questions.takeUnseen(place.visible ? place.session : null)) void this.notify(place, question);
  }

  private async notify(place: QuestionPlace, question: PendingInput): Promise<void> {
    const { session, prompt } = question;
    const answer = vscode.l10n.t("Answer");
    const title = prompt.length > MOST_SHOWN ? `${cut(prompt, MOST_SHOWN)}…` : prompt;
    const pressed = await vscode.window.showInformationMessage(vscode.l10n.t("Steersman asks: {0}", textOnly(title)), answer);
    // It may have been answered meanwhile.
    if (pressed === answer && this.questions.has(question)) await place.show(session);
  }
}

/** The model's questions that wait for a line of text. Pure: it knows neither the editor nor the server. */

import type { InputAnswer, InputRequest } from "../protocol";
import type { PendingInput } from "../view/messages";

interface Open {
  readonly shown: PendingInput;
  readonly settle: (answer: InputAnswer | null) => void;
  /** Its user has been notified of it. */
  notified: boolean;
}

export class OpenQuestions {
  private readonly open = new Map<string, Open>();

  /** `changed` is called after each change. */
  constructor(private readonly changed: () => void) {}

  /** Oldest first. */
  get pending(): readonly PendingInput[] {
    return [...this.open.values()].map(({ shown }) => shown);
  }

  has(toolCallId: string): boolean {
    return this.open.has(toolCallId);
  }

  /** Opens a question. Resolves with its answer; null if it is dismissed or withdrawn. */
  ask({ toolCallId, session, prompt, options }: InputRequest): Promise<InputAnswer | null> {
    return new Promise((resolve) => {
      const shown = { toolCallId, session, prompt, options: options ?? [] };
      this.open.set(toolCallId, { shown, settle: resolve, notified: false });
      this.changed();
    });
  }

  /** False: it is not open any more. */
  answer(toolCallId: string, answer: InputAnswer | null): boolean {
    const question = this.open.get(toolCallId);
    if (!question) return false;
    this.open.delete(toolCallId);
    question.settle(answer);
    this.changed();
    return true;
  }

  /** Nobody waits for any answer any more: the server is gone. */
  withdrawAll(): void {
    for (const toolCallId of [...this.open.keys()]) this.answer(toolCallId, null);
  }

  /** Those that are not in the session `seen` (null: no session is in view), each once. */
  takeUnseen(seen: string | null): PendingInput[] {
    const unseen = [...this.open.values()].filter(({ shown, notified }) => shown.session !== seen && !notified);
    for (const question of unseen) question.notified = true;
    return unseen.map(({ shown }) => shown);
  }
}

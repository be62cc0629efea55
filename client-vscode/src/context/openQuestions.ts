/** The model's questions that wait for a line of text. Pure: it knows neither the editor nor the server. */

import type { InputAnswer, InputRequest } from "../protocol";
import type { PendingInput } from "../view/messages";

/** Which call asks: ids of calls are a model's, and two sessions may have the same. */
export type Call = Pick<InputRequest, "session" | "toolCallId">;

interface Open {
  readonly request: InputRequest;
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

  has(call: Call): boolean {
    return this.open.has(keyOf(call));
  }

  /** Opens a question in place of an earlier one of the call. Resolves with its answer; null if it is dismissed or withdrawn. */
  ask(request: InputRequest): Promise<InputAnswer | null> {
    const { toolCallId, session, prompt, options } = request;
    this.answer(request, null);
    return new Promise((resolve) => {
      const shown = { toolCallId, session, prompt, options: options ?? [] };
      this.open.set(keyOf(request), { request, shown, settle: resolve, notified: false });
      this.changed();
    });
  }

  /** False: it is not open any more. */
  answer(call: Call, answer: InputAnswer | null): boolean {
    const question = this.open.get(keyOf(call));
    if (!question) return false;
    this.open.delete(keyOf(call));
    question.settle(answer);
    this.changed();
    return true;
  }

  /** The server has taken this question back; a later one of the same call stays. */
  withdraw(request: InputRequest): void {
    if (this.open.get(keyOf(request))?.request === request) this.answer(request, null);
  }

  /** Nobody waits for any answer any more: the server is gone. */
  withdrawAll(): void {
    for (const { request } of [...this.open.values()]) this.answer(request, null);
  }

  /** Those that are not in the session `seen` (null: no session is in view), each once. */
  takeUnseen(seen: string | null): PendingInput[] {
    const unseen = [...this.open.values()].filter(({ shown, notified }) => shown.session !== seen && !notified);
    for (const question of unseen) question.notified = true;
    return unseen.map(({ shown }) => shown);
  }
}

function keyOf({ session, toolCallId }: Call): string {
  return `${session} ${toolCallId}`;
}

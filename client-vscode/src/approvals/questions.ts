/**
 * The pending questions. Each ends once: answered here, answered elsewhere, or withdrawn. Pure: how an answer reaches the
 * server is passed in.
 */

import { t } from "../l10n";
import type { ApprovalAnswer, ApprovalRequest, ApproveParams } from "../protocol";
import { Refused } from "../server/refused";

/** Sends an answer to the server; rejects with Refused if it isn't accepted. */
export type Send = (params: ApproveParams) => Promise<unknown>;

export interface Question {
  readonly request: ApprovalRequest;
  /** Milliseconds since 1970. */
  readonly shownAt: number;
}

interface Open extends Question {
  sending: boolean;
  readonly end: (answer: ApprovalAnswer | null) => void;
}

export class Questions {
  private readonly open = new Map<string, Open>();

  /** `changed` is called after each change, with the ids of the questions that it ended. */
  constructor(
    private readonly send: Send,
    private readonly now: () => number,
    private readonly changed: (ended: readonly string[]) => void,
  ) {}

  /** Oldest first. */
  get pending(): readonly Question[] {
    return [...this.open.values()];
  }

  get(id: string): Question | undefined {
    return this.open.get(id);
  }

  /**
   * Opens a question in place of the one that it supersedes. Resolves with the result of the server's request: null if the
   * question ends without an answer from here.
   */
  ask(request: ApprovalRequest): Promise<ApprovalAnswer | null> {
    if (request.supersedes !== undefined) this.close(request.supersedes);
    this.close(request.id);
    return new Promise((resolve) => {
      this.open.set(request.id, { request, shownAt: this.now(), sending: false, end: resolve });
      this.changed([]);
    });
  }

  /**
   * Answers a question by a command rather than as the result of the server's request: a command can fail, which leaves the
   * question open and can be shown.
   *
   * @throws Refused `alreadyAnswered`, or why the server doesn't accept it.
   */
  async answer(id: string, answer: ApprovalAnswer): Promise<void> {
    const question = this.open.get(id);
    if (!question || question.sending) {
      throw new Refused(t("This question has been answered already."), "alreadyAnswered");
    }
    if (!question.request.decisions.includes(answer.decision)) {
      throw new Refused(t("This question does not take that answer."), "badAnswer");
    }
    question.sending = true;
    try {
      await this.send({ ...answer, id });
    } catch (error) {
      question.sending = false;
      if (error instanceof Refused && OVER.has(error.code)) this.close(id);
      throw error;
    }
    this.end(id, answer);
  }

  /** It was answered elsewhere or withdrawn. */
  close(id: string): void {
    this.end(id, null);
  }

  /** The server that asked is gone. */
  closeAll(): void {
    for (const id of [...this.open.keys()]) this.close(id);
  }

  private end(id: string, answer: ApprovalAnswer | null): void {
    const question = this.open.get(id);
    if (!question) return;
    this.open.delete(id);
    question.end(answer);
    this.changed([id]);
  }
}

const OVER: ReadonlySet<string> = new Set(["alreadyAnswered", "unknownApproval", "noServer"]);

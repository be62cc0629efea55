/** What is typed as answers to open questions, by question. The page shows it, the host keeps it for the next page. Pure. */

import type { PendingApproval, PendingInput } from "./messages";

export type Typed = Readonly<Record<string, string>>;

/** Feedback with a no, or the answer to a question of the model: which question it belongs to. */
export function questionOf(pending: PendingApproval | PendingInput): string {
  return "request" in pending ? pending.request.id : `${pending.session} ${pending.toolCallId}`;
}

export function withText(typed: Typed, question: string, text: string): Typed {
  return { ...typed, [question]: text };
}

/** Without what belongs to questions that are no longer open. */
export function ofOpen(typed: Typed, open: readonly (PendingApproval | PendingInput)[]): Typed {
  const questions = new Set(open.map(questionOf));
  return Object.fromEntries(Object.entries(typed).filter(([question]) => questions.has(question)));
}

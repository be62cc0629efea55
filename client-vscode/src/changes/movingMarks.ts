/** The changed lines of documents, moved along with their edits, also with those made while the lines were asked for. Pure. */

import { type Mark, moved, type TextChange } from "./ranges";

export class MovingMarks {
  private readonly marks = new Map<string, readonly Mark[]>();
  /** Edits by document since each open question was put: a question's answer must not end what another one still needs. */
  private readonly open = new Set<Map<string, readonly TextChange[]>>();

  get names(): string[] {
    return [...this.marks.keys()];
  }

  get(name: string): readonly Mark[] | undefined {
    return this.marks.get(name);
  }

  set(name: string, marks: readonly Mark[]): void {
    this.marks.set(name, marks);
  }

  forget(name: string): void {
    this.marks.delete(name);
  }

  /** A document was edited: changes from its end to its start, with ranges in the text before all of them. */
  edited(name: string, changes: readonly TextChange[]): void {
    const marks = this.marks.get(name);
    if (marks) this.marks.set(name, changes.reduce(moved, marks));
    for (const since of this.open) since.set(name, [...(since.get(name) ?? []), ...changes]);
  }

  /** Puts a question for documents' lines as they are now, and takes its answer over. Throws what the question throws. */
  async fetch(question: () => Promise<ReadonlyMap<string, readonly Mark[]>>): Promise<void> {
    const since = new Map<string, readonly TextChange[]>();
    this.open.add(since);
    try {
      for (const [name, marks] of await question()) this.marks.set(name, (since.get(name) ?? []).reduce(moved, marks));
    } finally {
      this.open.delete(since);
    }
  }
}

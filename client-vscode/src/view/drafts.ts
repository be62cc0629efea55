/** What is being typed in the chat; it survives a reload of the page and of the window. */

import type { Draft } from "./messages";
import type { Keep } from "./undelivered";

export const NO_DRAFT: Draft = { text: "", images: [] };
const KEY = "steersman.draft";

export class Drafts {
  private now: Draft;

  constructor(private readonly memento: Keep) {
    this.now = (memento.get(KEY) as Draft | undefined) ?? NO_DRAFT;
  }

  get draft(): Draft {
    return this.now;
  }

  /** Stores the text at once; images are large and last only as long as the window. */
  keep(draft: Draft): void {
    this.now = draft;
    void this.memento.update(KEY, draft.text === "" ? undefined : { text: draft.text, images: [] });
  }

  keepText(text: string): void {
    this.keep({ ...this.now, text });
  }

  /** `draft` was sent: clears it, unless something else has been typed meanwhile. */
  sent(draft: Draft): void {
    const same = this.now.text === draft.text && this.now.images.length === draft.images.length;
    if (same) this.keep(NO_DRAFT);
  }
}

/** The draft with returned texts in front: nothing that was typed is lost. */
export function before(texts: readonly string[], draft: Draft): Draft {
  return { ...draft, text: [...texts, draft.text].filter((text) => text !== "").join("\n\n") };
}

/** Tells the host what is being typed, soon enough that hardly a letter is lost, seldom enough not to be in the way. */

import type { Draft, PastedImage } from "../../src/view/messages";
import type { Bridge } from "../bridge";
import type { Clock } from "../connection";

const WAIT_MS = 150;

export class DraftKeeper {
  private timer: number | undefined;
  private draft: Draft | undefined;
  private told: readonly PastedImage[] | undefined;

  constructor(
    private readonly bridge: Bridge,
    private readonly clock: Clock,
  ) {}

  /** The draft is this now. */
  changed(draft: Draft): void {
    this.draft = draft;
    this.timer ??= this.clock.set(() => this.flush(), WAIT_MS);
  }

  /** Tells what has not been told yet: the page may be gone in a moment. */
  flush(): void {
    if (this.timer !== undefined) this.clock.clear(this.timer);
    this.timer = undefined;
    const { draft } = this;
    this.draft = undefined;
    if (!draft) return;
    // Images are large: they go over only when they change.
    const same = draft.images === this.told || (draft.images.length === 0 && this.told?.length === 0);
    if (same) this.bridge.send({ type: "draftText", text: draft.text });
    else this.bridge.send({ type: "draft", draft });
    this.told = draft.images;
  }
}

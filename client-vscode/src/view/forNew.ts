/** What is chosen for the session that the next message creates. Pure. */

import type { Mode } from "./messages";

export interface Chosen {
  readonly model?: string;
  readonly mode?: NonNullable<Mode>;
}

export class ForNew {
  private now: Chosen = {};

  get chosen(): Chosen {
    return this.now;
  }

  choose({ model, mode }: { readonly [K in keyof Chosen]?: Chosen[K] | undefined }): void {
    this.now = { ...this.now, ...(model ? { model } : {}), ...(mode ? { mode } : {}) };
  }

  /** Another session is shown: what was chosen counts no longer. */
  forget(): void {
    this.now = {};
  }

  /**
   * The session exists, made with `sent`. The answer is what has been chosen for it since: a first message may wait for its
   * server for minutes, and the session has not been told.
   */
  made(sent: Chosen): Chosen {
    const { model, mode } = this.now;
    this.forget();
    return {
      ...(model !== undefined && model !== sent.model ? { model } : {}),
      ...(mode !== undefined && mode !== sent.mode ? { mode } : {}),
    };
  }
}

/** Shows the steps of an installation in the view, and in one notification that can cancel it. Pure: the notification is passed in. */

import { t } from "../l10n";
import { problem, retryButton } from "./problem";

/** Opens a notification and calls `task`, perhaps a while later; it closes when that has ended. */
export type Notify = (
  task: (report: (message: string) => void, onCancel: (cancel: () => void) => void) => Promise<void>,
) => void;

export class MakingProgress {
  private readonly controller = new AbortController();
  private done: () => void = () => undefined;
  private readonly ended = new Promise<void>((resolve) => (this.done = resolve));
  private report: ((text: string) => void) | undefined;
  /** The step that is under way. */
  private now: string | undefined;

  constructor(
    outer: AbortSignal,
    private readonly inView: (text: string) => void,
    private readonly notify: Notify,
  ) {
    outer.addEventListener("abort", () => this.controller.abort(outer.reason), { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Called by what takes long: a server that is found at once opens no notification. */
  readonly step = (text: string): void => {
    this.inView(text);
    const opens = this.now === undefined;
    this.now = text;
    if (opens) this.open();
    else this.report?.(text);
  };

  end(): void {
    this.done();
  }

  private open(): void {
    this.notify((report, onCancel) => {
      this.report = report;
      // There may be a later one already: a busy window takes its time.
      if (this.now !== undefined) report(this.now);
      onCancel(() => this.controller.abort(problem(t("Setting up the server was cancelled."), "", [retryButton()])));
      return this.ended;
    });
  }
}

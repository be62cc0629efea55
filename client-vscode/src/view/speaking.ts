/** Sends what the user says to the session in view: messages, one after the other, and Continue. It knows no page. */

import { sendWith } from "../context/unasked";
import type { ContextParams } from "../protocol";
import type { SessionNow } from "../sessions/current";
import type { Commander } from "./commander";
import type { Drafts } from "./drafts";
import type { ViewCalls } from "./messages";
import { type Outcome, say, type Where } from "./say";
import type { Undelivered } from "./undelivered";

/** The sessions' current states. */
export interface Standing {
  get(session: string): Pick<SessionNow, "run">;
  set(session: string, told: { readonly run: string }): void;
}

export class Speaking {
  private saying: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly server: Commander,
    private readonly sessions: Standing,
    private readonly drafts: Pick<Drafts, "sent">,
    private readonly undelivered: Pick<Undelivered, "began">,
    private readonly context: (attach: ViewCalls["submit"]["params"]["attach"]) => ContextParams,
  ) {}

  /**
   * Sends a draft once the one before it has been answered: what is said while a run is starting goes to that run. `where`
   * is called at that time.
   *
   * @throws Refused the server does not accept it; the draft stays.
   */
  submit(
    params: ViewCalls["submit"]["params"],
    where: () => Omit<Where, "run">,
    said: (outcome: Outcome) => void,
  ): Promise<Outcome> {
    const outcome = this.saying.then(() => this.say(params, where(), said));
    this.saying = outcome.catch(() => undefined);
    return outcome;
  }

  /** @throws Refused */
  async continueRun(session: string): Promise<void> {
    const answer = await this.server.execute("steersman.continue", { session });
    this.began(answer.session, answer.run);
  }

  private async say(
    { draft, when, attach }: ViewCalls["submit"]["params"],
    where: Omit<Where, "run">,
    said: (outcome: Outcome) => void,
  ): Promise<Outcome> {
    const images = draft.images.map((image) => ({ ...image }));
    const context = { ...this.context(attach), ...(images.length > 0 ? { images } : {}) };
    const run = where.session === null ? null : this.sessions.get(where.session).run;
    const outcome = await sendWith(context, attach.includes("selection"), (sent) =>
      say(this.server, { ...where, run }, { text: draft.text, when, context: sent }),
    );
    this.drafts.sent(draft);
    if (outcome.disposition === "started") this.began(outcome.session, outcome.run);
    said(outcome);
    return outcome;
  }

  /** The answer that starts a run comes before its events. */
  private began(session: string, run: string): void {
    this.undelivered.began(run);
    this.sessions.set(session, { run });
  }
}

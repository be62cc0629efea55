/** What a screen reader is told while a run goes on: its states and its finished answers, not each word. Pure. */

import type { Entry, RunEndEntry } from "../../src/transcript/entries";
import { t } from "../l10n";

export interface Heard {
  readonly session: string | null;
  readonly run: string | null;
  readonly state: string;
  readonly entries: readonly Entry[];
}

/** Characters of an answer that are read without being asked for. */
const MOST = 600;

export class Announcements {
  private before: Heard | undefined;
  /** A run was live, and its end has not been told. */
  private awaits = false;

  /** What has changed, in words; undefined: nothing that is worth a word. */
  next(now: Heard): string | undefined {
    const { before } = this;
    this.before = now;
    if (!before || before.session !== now.session) {
      this.awaits = now.run !== null;
      return undefined;
    }
    // That the run is over and what it has ended with come one after the other, in either order.
    if (this.awaits && endOf(now) && endOf(now)?.id !== endOf(before)?.id) {
      this.awaits = false;
      return [answerBefore(now.entries), endOf(now)?.data.message].filter(Boolean).join("\n");
    }
    if (now.run === null) return undefined;
    if (before.run !== now.run) {
      this.awaits = true;
      return t("The run has begun.");
    }
    return before.state === now.state ? undefined : stateInWords(now.state);
  }
}

function endOf({ entries }: Heard): RunEndEntry | undefined {
  const last = entries.at(-1);
  return last?.kind === "runEnd" ? last : undefined;
}

function stateInWords(state: string): string | undefined {
  const states: Readonly<Record<string, string>> = {
    tool: t("A tool is running."),
    retrying: t("The model is asked again."),
    compacting: t("Old messages are summarised."),
    aborting: t("The run is being stopped."),
    waitingInput: t("The model asks you something."),
  };
  return Object.hasOwn(states, state) ? states[state] : undefined;
}

/** The answer that the run has ended with. */
function answerBefore(entries: readonly Entry[]): string {
  const answer = entries.at(-2);
  if (answer?.kind !== "text" || answer.discarded) return "";
  return answer.text.length > MOST ? `${answer.text.slice(0, MOST)}…` : answer.text;
}

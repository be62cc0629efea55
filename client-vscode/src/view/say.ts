/**
 * Says something to a session: starts a run, steers the live one, or queues a follow-up. Pure but for the commander.
 *
 * What the chat knows of a run can be out of date by a moment. If the run has just ended, a steer becomes a start; if one has
 * just begun, a start becomes a steer: the text is meant for the session either way.
 */

import type { ContextParams } from "../protocol";
import { Refused } from "../server/refused";
import type { Commander } from "./commander";
import type { Mode } from "./messages";

export interface Said {
  readonly text: string;
  readonly when: "now" | "later";
  readonly context: ContextParams;
}

export interface Where {
  /** Null: a new session. */
  readonly session: string | null;
  /** Its live run, as far as is known. */
  readonly run: string | null;
  /** Chosen for a new session. */
  readonly model?: string;
  readonly mode?: NonNullable<Mode>;
}

export interface Outcome {
  readonly disposition: "started" | "steered" | "queued";
  readonly session: string;
  readonly run: string;
}

/** @throws Refused the server does not accept it; nothing was said. */
export async function say(server: Commander, where: Where, said: Said): Promise<Outcome> {
  if (where.run === null) {
    try {
      return await start(server, where, said);
    } catch (error) {
      const run = error instanceof Refused && error.code === "busy" ? error.data.run : undefined;
      if (where.session === null || run === undefined) throw error;
      return tell(server, run, said);
    }
  }
  try {
    return await tell(server, where.run, said);
  } catch (error) {
    if (!(error instanceof Refused) || where.session === null) throw error;
    if (error.code !== "notRunning" && error.code !== "unknownRun") throw error;
    return start(server, where, said);
  }
}

async function start(server: Commander, where: Where, said: Said): Promise<Outcome> {
  const { session, model, mode } = where;
  const made = session === null ? { model, mode } : { session };
  const answer = await server.execute("steersman.start", { prompt: said.text, context: said.context, ...made });
  return { disposition: "started", session: answer.session, run: answer.run };
}

async function tell(server: Commander, run: string, said: Said): Promise<Outcome> {
  const params = { text: said.text, run, context: said.context };
  const answer = await server.execute(said.when === "now" ? "steersman.steer" : "steersman.followUp", params);
  return { disposition: answer.disposition, session: answer.session, run: answer.run };
}

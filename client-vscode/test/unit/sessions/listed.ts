/** Sessions as the server lists them, for the specifications beside this. */

import type { ListedSession } from "../../../src/protocol";
import { fresh } from "../../../src/sessions/current";
import { type Row, rowOf } from "../../../src/sessions/rows";

export function listed(session: string, part: Partial<ListedSession> = {}): ListedSession {
  return {
    session,
    title: `title of ${session}`,
    created: 0,
    updated: 0,
    roots: ["file:///shop"],
    model: "openai-chat:qwen",
    usage: null,
    state: "idle",
    locked: false,
    size: 0,
    ...part,
  };
}

export function row(session: string, part: Partial<ListedSession> = {}): Row {
  return rowOf(listed(session, part), fresh(), false);
}

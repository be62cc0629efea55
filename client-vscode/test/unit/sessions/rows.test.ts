import { expect, test } from "vitest";
import type { AgentEndData, Event } from "../../../src/protocol";
import { fresh, type SessionNow } from "../../../src/sessions/current";
import { changesList, Failures, rowOf } from "../../../src/sessions/rows";
import { listed } from "./listed";

const live = (state: string): SessionNow => ({ ...fresh(), run: "run_1", state });

test("a run of this window shows as running, and as waiting where it waits for its user", () => {
  expect(rowOf(listed("a"), live("streaming"), false).state).toBe("running");
  expect(rowOf(listed("a"), live("waitingApproval"), false).state).toBe("waiting");
  expect(rowOf(listed("a"), live("waitingInput"), false).state).toBe("waiting");
});

test("what another window has is locked, or at work", () => {
  expect(rowOf(listed("a", { locked: true }), fresh(), false).state).toBe("locked");
  expect(rowOf(listed("a", { locked: true, state: "live" }), fresh(), false).state).toBe("elsewhere");
});

test("an interrupted run is known from the log, and from the server's going away", () => {
  expect(rowOf(listed("a", { state: "interrupted" }), fresh(), false).state).toBe("interrupted");
  expect(rowOf(listed("a"), { ...fresh(), state: "interrupted" }, false).state).toBe("interrupted");
});

test("what this window has heard goes before what was listed", () => {
  const { title, model } = rowOf(listed("a"), { ...fresh(), title: "new", model: "anthropic:other" }, false);
  expect({ title, model }).toEqual({ title: "new", model: "anthropic:other" });
});

function event(type: "agent_start" | "agent_end", stopReason: AgentEndData["stopReason"] = "complete"): Event {
  return { seq: 1, session: "a", run: "run_1", ts: 0, type, data: { stopReason, inputs: [] } as never };
}

test("a session's last run failed until the next one begins", () => {
  const failures = new Failures();
  failures.apply(event("agent_end", "error"));
  expect(rowOf(listed("a"), fresh(), failures.has("a")).state).toBe("failed");
  failures.apply(event("agent_start"));
  failures.apply(event("agent_end"));
  expect(failures.has("a")).toBe(false);
});

test("only what begins, ends or names a session makes the list another one", () => {
  expect(changesList(event("agent_start"))).toBe(true);
  expect(changesList({ session: "a", ts: 0, type: "state", data: { state: "tool" } })).toBe(false);
});

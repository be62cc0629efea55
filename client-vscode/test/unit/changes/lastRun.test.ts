import { expect, test } from "vitest";
import { LastRuns } from "../../../src/changes/lastRun";
import type { Event, RevertedFile } from "../../../src/protocol";

const A = "file:///shop/a.py";
const B = "file:///shop/b.py";

function began(session: string, run: string, inputs = 1): Event {
  const data = { model: "m", mode: "ask", inputs: Array(inputs).fill({ kind: "prompt", text: "do it" }) as never[] } as const;
  return { seq: 1, session, run, ts: 0, type: "agent_start", data };
}

function edited(session: string, run: string | undefined, uri: string, part: object = {}): Event {
  const data = { toolCallId: null, uri, kind: "edit", added: 2, removed: 1, sha256: null, via: "disk", unsaved: false };
  return { seq: 2, session, ...(run ? { run } : {}), ts: 0, type: "edit_applied", data: { ...data, ...part } as never };
}

const ended = (session: string): Event => ({ seq: 3, session, ts: 0, type: "agent_end", data: {} as never });

function reverted(session: string, ...files: RevertedFile[]): Event {
  return { seq: 4, session, ts: 0, type: "revert_end", data: { id: "rev_1", files } };
}

function runsAfter(...events: Event[]): LastRuns {
  const runs = new LastRuns();
  for (const event of events) runs.apply(event);
  return runs;
}

const of = (runs: LastRuns, uri: string): ReturnType<LastRuns["of"]> => runs.of((each) => each === uri);
const filesOf = (runs: LastRuns): unknown[] => runs.changed.map(({ session, files }) => [session, [...files.keys()]]);

test("a run's files are counted together, and named by the run that can take them back", () => {
  const runs = runsAfter(began("s", "run_1"), edited("s", "run_1", A), edited("s", "run_1", A), edited("s", "run_1", B));
  expect(of(runs, A)?.run).toMatchObject({ session: "s", checkpoint: "run_1", live: true });
  expect(of(runs, A)?.file).toEqual({ uri: A, added: 4, removed: 2 });
  expect(filesOf(runs)).toEqual([["s", [A, B]]]);
});

test("the next run takes the place of the last one, of another session too; a live one beside it stays", () => {
  const first = [began("s", "run_1"), edited("s", "run_1", A)];
  expect(filesOf(runsAfter(...first, ended("s"), began("s", "run_2")))).toEqual([]);
  expect(filesOf(runsAfter(...first, ended("s"), began("t", "run_2"), edited("t", "run_2", B)))).toEqual([["t", [B]]]);
  expect(filesOf(runsAfter(...first, began("t", "run_2"), edited("t", "run_2", B)))).toEqual([
    ["s", [A]],
    ["t", [B]],
  ]);
});

test("a file that two live runs have changed belongs to the later one", () => {
  const runs = runsAfter(began("s", "run_1"), edited("s", "run_1", A), began("t", "run_2"), edited("t", "run_2", A));
  expect(of(runs, A)?.run.session).toBe("t");
});

test("a run that is continued goes on with what it has changed", () => {
  const runs = runsAfter(
    began("s", "run_1"),
    edited("s", "run_1", A),
    ended("s"),
    began("s", "run_2", 0),
    edited("s", "run_2", B),
  );
  expect(of(runs, B)?.run.checkpoint).toBe("run_1");
  expect(filesOf(runs)).toEqual([["s", [A, B]]]);
});

test("a continued run whose beginning was not seen names no checkpoint", () => {
  const runs = runsAfter(began("s", "run_2", 0), edited("s", "run_2", A));
  expect(of(runs, A)?.run.checkpoint).toBeNull();
});

test("a revert's edits are no changes of a run, and reverted changes are not shown any more", () => {
  const runs = runsAfter(
    began("s", "run_1"),
    edited("s", "run_1", A),
    edited("s", "run_1", B),
    ended("s"),
    edited("s", undefined, A),
    reverted("s", { uri: A, outcome: "restored" }, { uri: B, outcome: "skipped" }),
  );
  expect(filesOf(runs)).toEqual([["s", [B]]]);
});

test("a moved file is where it went, and a deleted one is gone", () => {
  const runs = runsAfter(
    began("s", "run_1"),
    edited("s", "run_1", A),
    edited("s", "run_1", A, { kind: "move", target: B, added: 0, removed: 0 }),
  );
  expect(of(runs, B)?.file).toEqual({ uri: B, added: 2, removed: 1 });
  runs.apply(edited("s", "run_1", B, { kind: "delete" }));
  expect(filesOf(runs)).toEqual([]);
});

test("dismissed is dismissed; a live run's next change shows again", () => {
  const runs = runsAfter(began("s", "run_1"), edited("s", "run_1", A));
  runs.dismiss();
  expect(filesOf(runs)).toEqual([]);
  runs.apply(edited("s", "run_1", B));
  expect(filesOf(runs)).toEqual([["s", [B]]]);
});

test("events that are about something else change nothing", () => {
  const runs = runsAfter(began("s", "run_1"));
  expect(runs.apply({ session: "s", ts: 0, type: "state", data: { state: "tool" } })).toBe(false);
  expect(runs.apply(ended("unknown"))).toBe(false);
});

import { expect, test } from "vitest";
import { carryOut, checkpointOf, countsText, outcomeText, preview, revertible } from "../../../src/changes/reverting";
import type { Event, FileToRevert, RevertedFile } from "../../../src/protocol";
import type { Commander } from "../../../src/view/commander";

/** Answers as it is told, and remembers what it was asked. */
class Server implements Commander {
  readonly asked: unknown[] = [];
  state = { kind: "running" };
  private readonly listeners = new Set<(event: Event) => void>();

  constructor(private readonly answers: Readonly<Record<string, unknown>>) {}

  execute = (command: string, params: unknown): Promise<never> => {
    this.asked.push(params);
    return Promise.resolve(this.answers[command] as never);
  };

  onEvent = (listener: (event: Event) => void) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };

  onDidChangeState = () => ({ dispose: () => undefined });

  revertEnds(session: string, ...files: RevertedFile[]): void {
    for (const listener of this.listeners) {
      listener({ seq: 1, session, ts: 0, type: "revert_end", data: { id: "rev_1", files } });
    }
  }
}

test("a preview is asked for as one, and names files only if some were chosen", async () => {
  const server = new Server({ "steersman.revert": { session: "s", checkpoint: "c", files: [], commands: [], notRevertible: [] } });
  await preview(server, "s", "c");
  await preview(server, "s", "c", ["file:///a"]);
  expect(server.asked).toEqual([
    { session: "s", checkpoint: "c", preview: true },
    { session: "s", checkpoint: "c", preview: true, files: ["file:///a"] },
  ]);
});

test("a revert ends with its own session's event", async () => {
  const server = new Server({ "steersman.revert": { session: "s", operation: "op_1" } });
  const done = carryOut(server, { session: "s", checkpoint: "c" });
  server.revertEnds("other", { uri: "file:///x", outcome: "failed" });
  server.revertEnds("s", { uri: "file:///a", outcome: "restored" });
  expect(await done).toEqual([{ uri: "file:///a", outcome: "restored" }]);
  expect(server.asked).toEqual([{ session: "s", checkpoint: "c", preview: false }]);
});

test("without a known run, the last message that changed files is reverted to", async () => {
  const checkpoints = [
    { checkpoint: "msg_1", title: "", ts: 0, files: ["file:///a"] },
    { checkpoint: "msg_2", title: "", ts: 0, files: [] },
  ];
  const server = new Server({ "steersman.checkpoints": { session: "s", checkpoints } });
  expect(await checkpointOf(server, "s")).toBe("msg_1");
  const run = { session: "s", checkpoint: "run_1", live: false, files: new Map() };
  expect(await checkpointOf(server, "s", run)).toBe("run_1");
  expect(await checkpointOf(new Server({ "steersman.checkpoints": { session: "s", checkpoints: [] } }), "s")).toBeNull();
});

test("only files that are ready or in conflict can be reverted", () => {
  const states: FileToRevert["state"][] = ["ready", "done", "conflict", "unavailable"];
  const files = states.map((state) => ({ uri: `file:///${state}`, action: "restore", state }) as const);
  expect(revertible(files).map(({ state }) => state)).toEqual(["ready", "conflict"]);
});

test("the outcome is one sentence, with the reason for each file that was not reverted", () => {
  const restored: RevertedFile = { uri: "file:///a", outcome: "restored" };
  expect(outcomeText([restored])).toEqual({ text: "1 file was reverted.", well: true });
  expect(outcomeText([restored, { uri: "file:///b", outcome: "deleted" }, { uri: "file:///c", outcome: "done" }])).toEqual({
    text: "2 files were reverted.",
    well: true,
  });
  expect(outcomeText([{ uri: "file:///d", outcome: "conflict", message: "d was changed meanwhile." }])).toEqual({
    text: "0 files were reverted. 1 was not: d was changed meanwhile.",
    well: false,
  });
});

test("counts are shown where there are any", () => {
  expect(countsText({ added: 3, removed: 1 })).toBe("+3 −1");
  expect(countsText({ added: 0, removed: 1 })).toBe("−1");
  expect(countsText({})).toBe("");
});

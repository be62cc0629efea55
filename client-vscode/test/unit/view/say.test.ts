import { describe, expect, it } from "vitest";
import type { RefusedData } from "../../../src/protocol";
import { Refused } from "../../../src/server/refused";
import type { Commander } from "../../../src/view/commander";
import { openSession } from "../../../src/view/opening";
import { say } from "../../../src/view/say";

type Answers = Readonly<Record<string, (params: never) => object>>;

/** A server that answers by `answers`, and remembers what it was asked. */
function commander(answers: Answers): { server: Commander; asked: [string, object][] } {
  const asked: [string, object][] = [];
  const execute = (command: string, params: object): Promise<never> => {
    asked.push([command, params]);
    const answer = answers[command];
    if (!answer) return Promise.reject(new Refused(`not expected: ${command}`, "failed"));
    return new Promise((resolve) => resolve(answer(params as never) as never));
  };
  return { server: { execute } as Commander, asked };
}

const refuse = (code: RefusedData["code"], data: Partial<RefusedData> = {}) => (): never => {
  throw new Refused(`refused: ${code}`, code, data);
};
const started = () => ({ session: "ses_1", run: "run_2", token: "t" });
const steered = () => ({ disposition: "steered", session: "ses_1", run: "run_1", id: "in_1" });
const queued = () => ({ disposition: "queued", session: "ses_1", run: "run_1", id: "in_1" });
const now = { text: "go", when: "now", context: {} } as const;

describe("saying something", () => {
  it("makes a session with the model and the mode that were chosen for it", async () => {
    const { server, asked } = commander({ "steersman.start": started });
    const where = { session: null, run: null, model: "p:m", mode: "read-only" } as const;
    expect(await say(server, where, now)).toMatchObject({ disposition: "started", run: "run_2" });
    expect(asked[0]?.[1]).toMatchObject({ prompt: "go", model: "p:m", mode: "read-only" });
  });

  it("an idle session starts a run in it, in its own mode", async () => {
    const { server, asked } = commander({ "steersman.start": started });
    await say(server, { session: "ses_1", run: null, mode: "full-auto" }, now);
    expect(asked[0]?.[1]).toEqual({ prompt: "go", context: {}, session: "ses_1" });
  });

  it("a live run is steered now, or gets a follow-up later", async () => {
    const { server } = commander({ "steersman.steer": steered, "steersman.followUp": queued });
    const where = { session: "ses_1", run: "run_1" };
    expect((await say(server, where, now)).disposition).toBe("steered");
    expect((await say(server, where, { ...now, when: "later" })).disposition).toBe("queued");
  });

  it("a run that has just ended does not keep the text from being said", async () => {
    const { server } = commander({ "steersman.steer": refuse("notRunning"), "steersman.start": started });
    const outcome = await say(server, { session: "ses_1", run: "run_1" }, now);
    expect(outcome).toEqual({ disposition: "started", session: "ses_1", run: "run_2" });
  });

  it("nor does one that has just begun", async () => {
    const busy = refuse("busy", { run: "run_1" });
    const { server } = commander({ "steersman.start": busy, "steersman.steer": steered });
    expect((await say(server, { session: "ses_1", run: null }, now)).disposition).toBe("steered");
  });

  it("while a run is being stopped nothing is said, and nothing else is tried", async () => {
    const { server, asked } = commander({ "steersman.steer": refuse("aborting") });
    await expect(say(server, { session: "ses_1", run: "run_1" }, now)).rejects.toMatchObject({ code: "aborting" });
    expect(asked).toHaveLength(1);
  });
});

describe("opening a session", () => {
  const wanted = (): boolean => true;

  it("waits for a server that is still going away", async () => {
    let tries = 0;
    const answer = { session: "ses_1", state: "idle" };
    const { server } = commander({ "steersman.resume": () => (++tries < 3 ? refuse("locked")() : answer) });
    const paused: number[] = [];
    const pause = (ms: number): Promise<void> => Promise.resolve(void paused.push(ms));
    expect(await openSession(server, "ses_1", wanted, pause)).toEqual({ kind: "open", answer });
    expect(paused).toHaveLength(2);
  });

  it("says locked when another window keeps it", async () => {
    const { server, asked } = commander({ "steersman.resume": refuse("locked") });
    expect(await openSession(server, "ses_1", wanted, () => Promise.resolve())).toEqual({ kind: "locked" });
    expect(asked.length).toBeGreaterThan(3);
  });

  it("does not go on trying when another session is shown", async () => {
    const { server, asked } = commander({ "steersman.resume": refuse("locked") });
    await openSession(server, "ses_1", () => false, () => Promise.resolve());
    expect(asked).toHaveLength(1);
  });

  it("tells a session that is gone from one that can't be written", async () => {
    const gone = commander({ "steersman.resume": refuse("unknownSession") });
    expect(await openSession(gone.server, "s", wanted, () => Promise.resolve())).toEqual({ kind: "gone" });
    const unwritable = commander({ "steersman.resume": refuse("readOnly") });
    expect(await openSession(unwritable.server, "s", wanted, () => Promise.resolve())).toMatchObject({
      kind: "refused",
      code: "readOnly",
    });
  });
});

import { describe, expect, it } from "vitest";
import { Refused } from "../../../src/server/refused";
import type { Commander } from "../../../src/view/commander";
import { Speaking } from "../../../src/view/speaking";

/** A server whose answers come when the test says so. */
class SlowServer implements Commander {
  readonly asked: { command: string; params: object; answer: (answer: object) => void; refuse: (error: Refused) => void }[] = [];

  execute(command: string, params: object): Promise<never> {
    return new Promise((resolve, reject) => {
      this.asked.push({ command, params, answer: (answer) => resolve(answer as never), refuse: reject });
    });
  }
}

function setUp() {
  const server = new SlowServer();
  const runs = new Map<string, string>();
  const sent: string[] = [];
  const began: string[] = [];
  const speaking = new Speaking(
    server,
    { get: (session) => ({ run: runs.get(session) ?? null }), set: (session, { run }) => void runs.set(session, run) },
    { sent: (draft) => void sent.push(draft.text) },
    { began: (run) => void began.push(run) },
    () => ({}),
  );
  const place: { session: string | null } = { session: null };
  const submit = (text: string) =>
    speaking.submit({ draft: { text, images: [] }, when: "now", attach: [] }, () => ({ session: place.session }), (outcome) => {
      place.session = outcome.session;
    });
  return { server, sent, began, submit };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

describe("speaking to a session", () => {
  it("what is said while the first run is being started is said to that run, not to another session", async () => {
    const { server, submit, sent, began } = setUp();
    const first = submit("fix it");
    const second = submit("and mind the docs");
    await settled();
    expect(server.asked.map(({ command }) => command)).toEqual(["steersman.start"]);
    server.asked[0]?.answer({ session: "ses_1", run: "run_1", token: "t" });
    await first;
    await settled();
    expect(server.asked[1]).toMatchObject({ command: "steersman.steer", params: { run: "run_1" } });
    server.asked[1]?.answer({ disposition: "steered", session: "ses_1", run: "run_1", id: "in_1" });
    expect(await second).toMatchObject({ disposition: "steered", session: "ses_1" });
    expect(sent).toEqual(["fix it", "and mind the docs"]);
    expect(began).toEqual(["run_1"]);
  });

  it("a refusal leaves the draft kept, and the next message goes its way", async () => {
    const { server, submit, sent } = setUp();
    const first = submit("fix it");
    const second = submit("fix it");
    await settled();
    server.asked[0]?.refuse(new Refused("No API key.", "noCredentials"));
    await expect(first).rejects.toMatchObject({ code: "noCredentials" });
    expect(sent).toEqual([]);
    await settled();
    server.asked[1]?.answer({ session: "ses_1", run: "run_1", token: "t" });
    expect(await second).toMatchObject({ disposition: "started" });
  });
});

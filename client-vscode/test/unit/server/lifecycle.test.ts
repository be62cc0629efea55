import { beforeEach, describe, expect, test } from "vitest";
import type { ServerFeatures } from "../../../src/protocol";
import { Lifecycle, type Live, type Opened, type ServerState } from "../../../src/server/lifecycle";
import { problem, retryButton } from "../../../src/server/problem";
import { must } from "../must";

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...must(settle) };
}

/** A server that ends when it is told to, and remembers how it was asked. */
class FakeServer implements Live {
  readonly asked: string[] = [];
  private readonly end = deferred<undefined>();
  readonly process = { exit: this.end.promise, ending: undefined as string | undefined, stderr: "" };

  crash(stderr = ""): void {
    Object.assign(this.process, { ending: "exit code 1", stderr });
    this.end.resolve(undefined);
  }

  close(patience: number): Promise<void> {
    this.asked.push(`close ${patience}`);
    this.end.resolve(undefined);
    return Promise.resolve();
  }

  leave(patience: number): Promise<void> {
    this.asked.push(`leave ${patience}`);
    return Promise.resolve();
  }
}

/** Starts that are under way until the test lets them succeed or fail. */
class Starts {
  readonly all: { signal: AbortSignal; step: (text: string) => void; end: Deferred<Opened<FakeServer>> }[] = [];

  readonly open = (step: (text: string) => void, signal: AbortSignal): Promise<Opened<FakeServer>> => {
    const end = deferred<Opened<FakeServer>>();
    this.all.push({ signal, step, end });
    step("Looking for the server");
    signal.addEventListener("abort", () => end.reject(signal.reason as Error));
    return end.promise;
  };

  async succeed(): Promise<FakeServer> {
    const live = new FakeServer();
    must(this.all.at(-1)).end.resolve({ live, version: "1.2.3", features: {} as ServerFeatures });
    await settled();
    return live;
  }

  async fail(error: Error): Promise<void> {
    must(this.all.at(-1)).end.reject(error);
    await settled();
  }
}

/** A clock that stands until it is told to ring. */
class HandClock {
  time = 0;
  waiting: { ms: number; run: () => void } | undefined;
  readonly now = (): number => this.time;
  readonly after = (ms: number, run: () => void): (() => void) => {
    const waiting = { ms, run };
    this.waiting = waiting;
    return () => {
      if (this.waiting === waiting) this.waiting = undefined;
    };
  };

  async ring(): Promise<void> {
    const { ms, run } = must(this.waiting);
    this.waiting = undefined;
    this.time += ms;
    run();
    await settled();
  }
}

/** Until all promises that are settled have told it. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let starts: Starts;
let clock: HandClock;
let states: ServerState[];
let lifecycle: Lifecycle<FakeServer>;

beforeEach(() => {
  starts = new Starts();
  clock = new HandClock();
  states = [];
  lifecycle = new Lifecycle(starts.open, clock, { became: (state) => states.push(state), failed: () => undefined });
});

const kinds = (): string[] => states.map(({ kind }) => kind);
const message = (): string => (lifecycle.state.kind === "failed" ? lifecycle.state.problem.message : "");

async function started(): Promise<FakeServer> {
  void lifecycle.start();
  return starts.succeed();
}

describe("a start", () => {
  test("tells its steps, then that it runs", async () => {
    void lifecycle.start();
    must(starts.all[0]).step("Starting the server");
    expect(lifecycle.live).toBeUndefined();
    const server = await starts.succeed();
    expect(kinds()).toEqual(["starting", "starting", "running"]);
    expect(lifecycle.live).toBe(server);
  });

  test("is shared by all who want it, and is none where a server runs", async () => {
    const [first, second] = [lifecycle.start(), lifecycle.start()];
    await starts.succeed();
    await Promise.all([first, second, lifecycle.start()]);
    expect(starts.all).toHaveLength(1);
  });

  test("that fails says why, and is not tried again before the user says so", async () => {
    const asked = lifecycle.start();
    await starts.fail(problem("There is no Python.", "", [retryButton()]));
    await asked;
    await lifecycle.start();
    expect(message()).toBe("There is no Python.");
    expect(starts.all).toHaveLength(1);
    void lifecycle.restart();
    await settled();
    await starts.succeed();
    expect(lifecycle.state.kind).toBe("running");
  });

  test("that nobody has foreseen to fail can be tried again, too", async () => {
    void lifecycle.start();
    await starts.fail(new Error("EACCES"));
    expect(lifecycle.state).toMatchObject({ problem: { message: expect.stringContaining("EACCES") as string, buttons: [retryButton(), {}] } });
  });
});

describe("a crash", () => {
  test("is told with what the server printed, and the server comes back after a while", async () => {
    const server = await started();
    server.crash("MemoryError");
    await settled();
    expect(lifecycle.state).toMatchObject({ kind: "failed", problem: { detail: "MemoryError" } });
    expect(message()).toContain("exit code 1");
    expect(lifecycle.live).toBeUndefined();
    expect(clock.waiting?.ms).toBe(1000);
    await clock.ring();
    await starts.succeed();
    expect(lifecycle.state.kind).toBe("running");
  });

  test("after some others leaves it at that", async () => {
    void lifecycle.start();
    for (const wait of [1000, 2000, 4000]) {
      (await starts.succeed()).crash();
      await settled();
      expect(clock.waiting?.ms).toBe(wait);
      await clock.ring();
    }
    (await starts.succeed()).crash();
    await settled();
    expect(clock.waiting).toBeUndefined();
    expect(message()).toContain("several times");
  });

  test("does not count any more once the user has restarted it", async () => {
    (await started()).crash();
    await settled();
    void lifecycle.restart();
    await settled();
    (await starts.succeed()).crash();
    await settled();
    expect(clock.waiting?.ms).toBe(1000);
  });
});

describe("a restart", () => {
  test("lets the old server end before the new one is made, and the end of the old is no crash", async () => {
    const old = await started();
    const asked = lifecycle.restart();
    await settled();
    expect(old.asked).toEqual(["close 8000"]);
    await starts.succeed();
    await asked;
    expect(kinds()).toEqual(["starting", "running", "stopped", "starting", "running"]);
  });

  test("gives up a start that is under way, which is no failure", async () => {
    void lifecycle.start();
    void lifecycle.restart();
    await settled();
    expect(must(starts.all[0]).signal.aborted).toBe(true);
    await starts.succeed();
    expect(kinds()).toEqual(["starting", "stopped", "starting", "running"]);
  });

  test("takes the place of the one that a crash has brought about", async () => {
    (await started()).crash();
    await settled();
    void lifecycle.restart();
    await settled();
    expect(clock.waiting).toBeUndefined();
    expect(starts.all).toHaveLength(2);
  });

  test("that is asked for several times meanwhile happens once more", async () => {
    await started();
    const asked = [lifecycle.restart(), lifecycle.restart(), lifecycle.restart()];
    await settled();
    await starts.succeed();
    await asked[0];
    await settled();
    await starts.succeed();
    await Promise.all(asked);
    expect(starts.all).toHaveLength(3);
  });
});

describe("a window that closes", () => {
  test("leaves the server a moment, and hears of nothing any more", async () => {
    const server = await started();
    const told = states.length;
    await lifecycle.deactivate();
    server.crash();
    await settled();
    expect(server.asked).toEqual(["leave 1500"]);
    expect(states).toHaveLength(told);
    expect(clock.waiting).toBeUndefined();
  });

  test("gives up a start that is under way; a server that comes all the same is ended", async () => {
    void lifecycle.start();
    const start = must(starts.all[0]);
    const late = new FakeServer();
    start.end.resolve({ live: late, version: "1.2.3", features: {} as ServerFeatures });
    await lifecycle.deactivate();
    await settled();
    expect(start.signal.aborted).toBe(true);
    expect(late.asked).toEqual(["close 0"]);
    expect(kinds()).toEqual(["starting"]);
  });

  test("begins none any more, also where there was none before", async () => {
    await lifecycle.deactivate();
    await lifecycle.start();
    expect(starts.all).toEqual([]);
  });
});

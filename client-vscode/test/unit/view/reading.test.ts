import { beforeEach, describe, expect, it } from "vitest";
import type { Event } from "../../../src/protocol";
import { Refused, type RefusalCode } from "../../../src/server/refused";
import type { Commander } from "../../../src/view/commander";
import type { Push } from "../../../src/view/messages";
import { Reading, type ReadingOwner } from "../../../src/view/reading";

const notice = (seq: number, session = "ses_1"): Event => ({ seq, session, ts: 0, type: "notice", data: { message: `${seq}` } });

/** Sessions with their logs, of which some are locked, some can't be written. */
class Logs implements Commander {
  readonly events = new Map<string, Event[]>();
  readonly refusals = new Map<string, RefusalCode>();
  readonly opened: string[] = [];
  /** What opening a session closes in its log. */
  closes: Event | undefined;
  private held: (() => void)[] = [];
  holding = false;

  async execute(command: string, params: object): Promise<never> {
    const { session = "", after = 0 } = params as { session?: string; after?: number };
    if (command === "steersman.events") {
      if (this.holding) await new Promise<void>((resolve) => this.held.push(resolve));
      const rest = (this.events.get(session) ?? []).filter((event) => "seq" in event && (event.seq ?? 0) > after);
      return { events: rest, more: false, streaming: null } as never;
    }
    this.opened.push(session);
    const code = this.refusals.get(session);
    if (code !== undefined) throw new Refused(`It is ${code}.`, code);
    if (this.closes) this.events.get(session)?.push(this.closes);
    return { session, title: null, model: null, run: null, state: "idle", queue: [] } as never;
  }

  release(): void {
    this.holding = false;
    for (const go of this.held.splice(0)) go();
  }
}

/** What the chat is told, in order. */
class Told implements ReadingOwner {
  readonly log: string[] = [];
  readonly shown: number[] = [];
  title: string | null = null;
  up = true;

  push(message: Push): void {
    if (message.type === "events") this.shown.push(...message.events.map((event) => ("seq" in event && event.seq) || 0));
  }
  isUp(): boolean {
    return this.up;
  }
  get(): { title: string | null } {
    return { title: this.title };
  }
  set(_session: string, { title = null }: { title?: string | null }): void {
    this.title = title;
  }
  told(event: Event): void {
    this.log.push(event.type);
  }
  opened(session: string, answer?: object): Promise<void> {
    this.log.push(`${session} ${answer ? "open" : "closed"}`);
    return Promise.resolve();
  }
  gone(): Promise<void> {
    this.log.push("gone");
    return Promise.resolve();
  }
  read(session: string): void {
    this.log.push(`${session} read`);
  }
  unreadable(error: unknown): void {
    this.log.push(String(error));
  }
}

let logs: Logs;
let told: Told;
let reading: Reading;

beforeEach(() => {
  logs = new Logs();
  told = new Told();
  reading = new Reading(logs, told, () => Promise.resolve());
  logs.events.set("ses_1", [notice(1), notice(2)]);
});

/** Pushes come a frame's time after the events. */
const pushed = (...numbers: number[]): Promise<void> => expect.poll(() => told.shown).toEqual(numbers);

describe("a session that is shown", () => {
  it("is read from its first event on, with what opening it has added", async () => {
    logs.closes = notice(3);
    await reading.open("ses_1");
    await pushed(1, 2, 3);
    expect(told.log.at(-1)).toBe("ses_1 read");
    reading.accept(notice(4));
    await pushed(1, 2, 3, 4);
  });

  it("can be read where another window works in it", async () => {
    logs.refusals.set("ses_1", "locked");
    await reading.open("ses_1");
    expect([reading.locked, reading.refusal]).toEqual([true, undefined]);
    await pushed(1, 2);
    expect(told.log).toContain("ses_1 closed");
  });

  it("can be worked in without a word once a server that took long to end has let it go", async () => {
    logs.refusals.set("ses_1", "locked");
    reading = new Reading(logs, told, (ms) => {
      if (ms > 2000) logs.refusals.delete("ses_1");
      return Promise.resolve();
    });
    logs.closes = notice(3);
    await reading.open("ses_1");
    await expect.poll(() => reading.locked).toBe(false);
    await pushed(1, 2, 3);
    expect(told.log.filter((line) => line.startsWith("ses_1"))).toEqual(["ses_1 closed", "ses_1 read", "ses_1 open", "ses_1 read"]);
  });

  it("is left alone where the other process keeps it, and once another one is shown", async () => {
    logs.refusals.set("ses_1", "locked");
    await reading.open("ses_1");
    await expect.poll(() => logs.opened.length).toBe(10);
    await pushed(1, 2);

    let look = (): void => undefined;
    const held = (ms: number): Promise<void> => (ms > 2000 ? new Promise((resolve) => (look = resolve)) : Promise.resolve());
    reading = new Reading(logs, told, held);
    await reading.open("ses_1");
    reading.close();
    look();
    await new Promise((resolve) => setImmediate(resolve));
    expect(logs.opened).toHaveLength(15);
  });

  it("says why it can't be worked in", async () => {
    logs.refusals.set("ses_1", "readOnly");
    await reading.open("ses_1");
    expect([reading.locked, reading.refusal]).toEqual([false, "It is readOnly."]);
  });

  it("says nothing of a server that has gone: that is told elsewhere", async () => {
    logs.refusals.set("ses_1", "noServer");
    await reading.open("ses_1");
    expect(reading.refusal).toBeUndefined();
  });

  it("may be there no more", async () => {
    logs.refusals.set("ses_1", "unknownSession");
    await reading.open("ses_1");
    expect(told.log).toEqual(["notice", "notice", "gone"]);
  });

  it("tells nothing more once another one is shown", async () => {
    logs.holding = true;
    logs.events.set("ses_2", [notice(1, "ses_2")]);
    const first = reading.open("ses_1");
    reading.close();
    reading.forget();
    const second = reading.open("ses_2");
    logs.release();
    await Promise.all([first, second]);
    await pushed(1);
    expect(told.log.filter((line) => line.startsWith("ses_1"))).toEqual([]);
    expect(told.log.at(-1)).toBe("ses_2 read");
  });
});

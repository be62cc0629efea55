import { expect, test } from "vitest";
import type { Event, EventsAnswer, StreamedMessage } from "../../../src/protocol";
import { SessionFeed, type FeedSink } from "../../../src/sessions/feed";

function numbered(seq: number): Event {
  return { seq, session: "ses_1", ts: 0, type: "notice", data: { message: `${seq}` } };
}

const PASSING: Event = { session: "ses_1", ts: 0, type: "state", data: { state: "streaming" } };
const STREAMED: StreamedMessage = { messageId: "msg_1", blocks: [{ index: 0, kind: "text", text: "so far" }] };

/** What was told, in order: the numbers of events, the streamed text, failures. */
class Told implements FeedSink {
  readonly log: (number | string)[] = [];

  events(events: readonly Event[]): void {
    for (const event of events) this.log.push(("seq" in event && event.seq) || "passing");
  }

  streaming(message: StreamedMessage): void {
    this.log.push(message.blocks.map((block) => block.text).join());
  }

  failed(error: unknown): void {
    this.log.push(String(error));
  }
}

/** A log that answers in pages of `size`, each only when it is let. */
class Log {
  readonly asked: number[] = [];
  streaming: StreamedMessage | null = null;
  broken = false;
  private readonly held: (() => void)[] = [];

  constructor(
    public events: Event[],
    private readonly size = 1000,
    private readonly holding = false,
  ) {}

  readonly ask = async (after: number): Promise<EventsAnswer> => {
    this.asked.push(after);
    const { streaming } = this;
    const rest = this.events.filter((event) => "seq" in event && (event.seq ?? 0) > after);
    if (this.holding) await new Promise<void>((resolve) => this.held.push(resolve));
    if (this.broken) throw new Error("no log");
    return { events: rest.slice(0, this.size), more: rest.length > this.size, streaming };
  };

  /** Lets the open question be answered. */
  letOne(): void {
    this.held.shift()?.();
  }
}

const upTo = (last: number): Event[] => Array.from({ length: last }, (_, index) => numbered(index + 1));
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("all pages are asked for, each from where the last one ended", async () => {
  const log = new Log(upTo(5), 2);
  const told = new Told();
  const feed = new SessionFeed(log.ask, told);
  await feed.catchUp();
  expect(told.log).toEqual([1, 2, 3, 4, 5]);
  expect(log.asked).toEqual([0, 2, 4]);
  expect(feed.seq).toBe(5);
});

test("an event beyond a gap has the gap filled, and comes once", async () => {
  const log = new Log(upTo(3));
  const told = new Told();
  const feed = new SessionFeed(log.ask, told);
  feed.accept(numbered(1));
  feed.accept(numbered(3));
  expect(told.log).toEqual([1]);
  await feed.catchUp();
  expect(told.log).toEqual([1, 2, 3]);
});

test("what is told while a question is open is asked for after it, since the answer may be older", async () => {
  const log = new Log(upTo(2), 1000, true);
  const told = new Told();
  const feed = new SessionFeed(log.ask, told);
  void feed.catchUp();
  log.events = upTo(4);
  feed.accept(numbered(4));
  log.letOne();
  await settled();
  log.letOne();
  await settled();
  expect(told.log).toEqual([1, 2, 3, 4]);
  expect(log.asked).toEqual([0, 2]);
});

test("a streamed message is told after the last page, behind all that is in the log", async () => {
  const log = new Log(upTo(4), 2);
  log.streaming = STREAMED;
  const told = new Told();
  await new SessionFeed(log.ask, told).catchUp();
  expect(told.log).toEqual([1, 2, 3, 4, "so far"]);
});

test("a failing question is told once, and passing events don't ask it again", async () => {
  const log = new Log(upTo(3));
  log.broken = true;
  const told = new Told();
  const feed = new SessionFeed(log.ask, told);
  feed.accept(numbered(2));
  await settled();
  for (let delta = 0; delta < 3; delta += 1) feed.accept(PASSING);
  await settled();
  expect(log.asked).toEqual([0]);
  feed.accept(numbered(3));
  await settled();
  expect(told.log).toEqual(["Error: no log", "passing", "passing", "passing"]);

  log.broken = false;
  await feed.catchUp();
  expect(told.log.slice(4)).toEqual([1, 2, 3]);
});

test("a question that was wanted while another one failed is asked all the same", async () => {
  const log = new Log(upTo(2), 1000, true);
  const told = new Told();
  const feed = new SessionFeed(log.ask, told);
  void feed.catchUp();
  feed.accept(numbered(2));
  log.broken = true;
  log.letOne();
  await settled();
  log.broken = false;
  log.letOne();
  await settled();
  expect(told.log).toEqual(["Error: no log", 1, 2]);
});

test("an answer that brings nothing on is not asked for for ever", async () => {
  const asked: number[] = [];
  const told = new Told();
  const feed = new SessionFeed((after) => {
    asked.push(after);
    return Promise.resolve({ events: [numbered(7)], more: true, streaming: null });
  }, told);
  await feed.catchUp();
  expect(asked).toEqual([0]);
  expect(told.log).toEqual([]);
});

test("a feed that is closed while it asks tells nothing more and asks for no other page", async () => {
  const log = new Log(upTo(4), 2, true);
  const told = new Told();
  const feed = new SessionFeed(log.ask, told);
  void feed.catchUp();
  feed.close();
  log.letOne();
  await settled();
  feed.accept(numbered(1));
  await feed.catchUp();
  expect(told.log).toEqual([]);
  expect(log.asked).toEqual([0]);
});

test("a question that fails after the feed was closed is no failure of what is shown now", async () => {
  const log = new Log(upTo(1), 1000, true);
  log.broken = true;
  const told = new Told();
  const feed = new SessionFeed(log.ask, told);
  void feed.catchUp();
  feed.close();
  log.letOne();
  await settled();
  expect(told.log).toEqual([]);
});

test.each([0, 1, 2, 3, 4, 5, 6])("a question that is asked for as another ends (%i steps later) is asked", async (steps) => {
  const log = new Log(upTo(1));
  let asked = false;
  const sink: FeedSink = {
    streaming: () => undefined,
    failed: () => undefined,
    events: () => {
      if (asked) return;
      asked = true;
      let later = Promise.resolve();
      for (let step = 0; step < steps; step++) later = later.then(() => undefined);
      void later.then(() => feed.catchUp());
    },
  };
  const feed = new SessionFeed(log.ask, sink);
  await feed.catchUp();
  await settled();
  expect(log.asked).toEqual([0, 1]);
});

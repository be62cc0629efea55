/**
 * Reads the session in view: sends its events to the page in order from the first, and takes its lock meanwhile. It knows no
 * editor, and of the page only where pushes go.
 */

import type { Event, ResumeAnswer } from "../protocol";
import type { SessionNow } from "../sessions/current";
import { SessionFeed } from "../sessions/feed";
import { Batches } from "./batches";
import type { Commander } from "./commander";
import type { Push } from "./messages";
import { type Opened, openSession } from "./opening";
import { titleIn } from "./title";

/** Milliseconds before each look whether a locked session is free: a server on a busy machine may take that long to end. */
const LOOKS = [3_000, 5_000, 8_000, 15_000, 30_000] as const;

export interface ReadingOwner {
  push(message: Push): void;
  /** The server runs. */
  isUp(): boolean;
  get(session: string): Pick<SessionNow, "title">;
  set(session: string, told: Partial<SessionNow>): void;
  /** An event that the page is told of. */
  told(event: Event): void;
  /** Reading has begun. With an answer the session can be worked in; without, only read. */
  opened(session: string, answer?: ResumeAnswer): Promise<void>;
  /** There is no such session. */
  gone(): Promise<unknown>;
  /** All its events have been sent. */
  read(session: string): void;
  unreadable(error: unknown): void;
}

export class Reading {
  private feed: SessionFeed | undefined;
  private readonly batches = new Batches((events) => this.owner.push({ type: "events", events }));
  /** Another process works in it. */
  locked = false;
  /** Why it can't be worked in, although no other process does. */
  refusal: string | undefined;

  /** `pause` resolves after that many milliseconds. */
  constructor(
    private readonly server: Commander,
    private readonly owner: ReadingOwner,
    private readonly pause: (ms: number) => Promise<void>,
  ) {}

  /** Sends nothing more of the session that was shown. */
  close(): void {
    this.feed?.close();
    this.feed = undefined;
    this.batches.clear();
  }

  /** Another session is shown, of which nothing is known yet. */
  forget(): void {
    this.locked = false;
    this.refusal = undefined;
  }

  /** An event of the stream, of this session. */
  accept(event: Event): void {
    this.feed?.accept(event);
  }

  /** Reads all its events, which needs no lock, and takes the lock meanwhile. Never throws. */
  async open(session: string): Promise<void> {
    const feed: SessionFeed = new SessionFeed((after) => this.server.execute("steersman.events", { session, after }), {
      events: (events) => feed === this.feed && this.deliver(session, events),
      streaming: (message) => {
        if (feed !== this.feed) return;
        this.batches.flush();
        this.owner.push({ type: "streaming", message });
      },
      failed: (error) => feed === this.feed && this.owner.unreadable(error),
    });
    this.feed = feed;
    const wanted = (): boolean => feed === this.feed && this.owner.isUp();
    const reading = feed.catchUp();
    const opened = await openSession(this.server, session, wanted, this.pause);
    if (feed !== this.feed) return;
    await this.become(session, feed, opened, reading);
    if (opened.kind === "locked") void this.lookAgain(session, feed, wanted);
  }

  /** Takes the lock if it is let go soon. Never throws. */
  private async lookAgain(session: string, feed: SessionFeed, wanted: () => boolean): Promise<void> {
    for (const ms of LOOKS) {
      await this.pause(ms);
      if (!wanted()) return;
      const opened = await openSession(this.server, session, () => false, this.pause);
      if (feed !== this.feed) return;
      if (opened.kind === "locked") continue;
      await this.become(session, feed, opened);
      return;
    }
  }

  /** Tells what came of opening it, and what that has added. */
  private async become(session: string, feed: SessionFeed, opened: Opened, reading?: Promise<void>): Promise<void> {
    if (opened.kind === "gone") {
      await this.owner.gone();
      return;
    }
    this.locked = opened.kind === "locked";
    this.refusal = opened.kind === "refused" && opened.code !== "noServer" ? opened.message : undefined;
    await this.owner.opened(session, opened.kind === "open" ? opened.answer : undefined);
    await reading;
    // Opening it may have added to its log the ends that a crash left out.
    await feed.catchUp();
    if (feed === this.feed) this.owner.read(session);
  }

  private deliver(session: string, events: readonly Event[]): void {
    for (const event of events) this.owner.told(event);
    const { title } = this.owner.get(session);
    const told = titleIn(events, title);
    if (told !== title) this.owner.set(session, { title: told });
    this.batches.add(events);
  }
}

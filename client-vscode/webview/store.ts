/** All that the page shows, as one value that changes by pushes. Components read it by `useStore`. */

import { useEffect, useState } from "preact/hooks";
import { emptyTranscript, fold, streaming, type Transcript } from "../src/transcript/fold";
import type { Draft, PendingApproval, PendingInput, ServerView, SessionView } from "../src/view/messages";
import { ofOpen, type Typed, withText } from "../src/view/typed";
import type { Bridge } from "./bridge";

export interface PageState {
  readonly server: ServerView;
  readonly trusted: boolean;
  readonly session: SessionView;
  readonly transcript: Transcript;
  readonly approvals: readonly PendingApproval[];
  readonly inputs: readonly PendingInput[];
  /** What is typed as answers to them: it outlives their cards, which go while another session is shown. */
  readonly typed: Typed;
  /** All that the host has put into the composer, the oldest first: several may come before any of them is drawn. */
  readonly drafts: readonly PutDraft[];
  /** Counts the wishes that the composer take the focus. */
  readonly focus: number;
  /** Counts what has been said from here. */
  readonly said: number;
  /** The extension host answers. Without it what is shown is old, and nothing can be done but type. */
  readonly connected: boolean;
}

export interface PutDraft {
  readonly draft: Draft;
  readonly how: "replace" | "prepend" | "append";
}

export const INITIAL: PageState = {
  server: { kind: "stopped" },
  trusted: true,
  session: {
    id: null,
    title: null,
    model: null,
    mode: null,
    run: null,
    state: "idle",
    queue: [],
    locked: false,
  },
  transcript: emptyTranscript(),
  approvals: [],
  inputs: [],
  typed: {},
  drafts: [],
  focus: 0,
  said: 0,
  connected: true,
};

export class Store {
  private now: PageState = INITIAL;
  private readonly listeners = new Set<() => void>();
  /** Milliseconds that the host's clock is ahead of the page's. */
  private ahead = 0;

  /** `clock`: the page's, in milliseconds since 1970. */
  constructor(
    private readonly bridge: Bridge,
    private readonly clock: () => number = Date.now,
  ) {
    bridge.listen((push) => {
      switch (push.type) {
        case "server":
          return this.set({ server: push.server });
        case "trust":
          return this.set({ trusted: push.trusted });
        case "session":
          return this.set({ session: push.session });
        case "clock":
          this.ahead = push.now - this.clock();
          return;
        case "events":
          return this.set({
            transcript: fold(push.reset ? emptyTranscript() : this.now.transcript, push.events),
          });
        case "streaming":
          return this.set({ transcript: streaming(this.now.transcript, push.message) });
        case "approvals":
          return this.questions({ approvals: push.pending });
        case "inputs":
          return this.questions({ inputs: push.pending });
        case "typed":
          // What is here is the newer.
          return this.set({ typed: { ...push.typed, ...this.now.typed } });
        case "draft":
          return this.set({ drafts: [...this.now.drafts, push] });
        case "focus":
          return this.focusComposer();
      }
    });
  }

  /** Told by the connection watch. */
  connection(connected: boolean): void {
    if (connected !== this.now.connected) this.set({ connected });
  }

  /** The answer to a question (see `questionOf`) is being typed. */
  type(question: string, text: string): void {
    this.set({ typed: withText(this.now.typed, question, text) });
    this.bridge.send({ type: "typed", question, text });
  }

  /** Puts a text into the composer, before what is there, and the cursor behind it. */
  suggest(text: string): void {
    const put: PutDraft = { draft: { text, images: [] }, how: "prepend" };
    this.set({ drafts: [...this.now.drafts, put], focus: this.now.focus + 1 });
  }

  /** The user has said something, and wants to see what comes of it. */
  said(): void {
    this.set({ said: this.now.said + 1 });
  }

  focusComposer(): void {
    this.set({ focus: this.now.focus + 1 });
  }

  /** Milliseconds that have passed since a time of the host's; never below 0. */
  since(time: number): number {
    return Math.max(0, this.clock() + this.ahead - time);
  }

  get state(): PageState {
    return this.now;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private questions(part: Partial<Pick<PageState, "approvals" | "inputs">>): void {
    const { approvals, inputs, typed } = { ...this.now, ...part };
    this.set({ ...part, typed: ofOpen(typed, [...approvals, ...inputs]) });
  }

  private set(part: Partial<PageState>): void {
    this.now = { ...this.now, ...part };
    for (const listener of this.listeners) listener();
  }
}

/** Milliseconds since a time of the host's (undefined: since no known one), anew each second. */
export function useSince(store: Store, time: number | undefined): number | undefined {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return time === undefined ? undefined : store.since(time);
}

/** A part of the state; the component renders again when that part is another object. */
export function useStore<T>(store: Store, part: (state: PageState) => T): T {
  const [value, setValue] = useState(() => part(store.state));
  useEffect(() => {
    const look = (): void => setValue(() => part(store.state));
    look();
    return store.subscribe(look);
    // `part` is a fixed choice of each call site.
  }, [store]);
  return value;
}

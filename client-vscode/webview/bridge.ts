/** The page's end of the conversation with the extension host: calls that are answered, and pushes. */

import type { CallName, FromPage, Push, ViewCalls } from "../src/view/messages";

/** What VS Code gives a webview; elsewhere (tests) a small stand-in. */
export interface Host {
  postMessage(message: FromPage): void;
}

/** A call that could not be done: `message` is for the user, `code` the server's or `failed`. */
export class CallFailed extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** Of a call that was given up: resolves if the host has done it all the same. */
    readonly late?: Promise<object>,
  ) {
    super(message);
  }
}

interface Waiting {
  resolve(answer: object): void;
  reject(error: CallFailed): void;
}

export type Told = Exclude<Push, { type: "answer" | "failure" | "pong" }>;

export class Bridge {
  private readonly waiting = new Map<number, Waiting>();
  private readonly givenUp = new Map<number, (answer: object) => void>();
  private readonly listeners = new Set<(push: Told) => void>();
  private readonly watchers: { asked(): void; heard(): void }[] = [];
  private next = 1;

  constructor(private readonly host: Host) {}

  /** @throws CallFailed (the promise rejects) where the host says why it can't be done. */
  call<K extends CallName>(name: K, params: ViewCalls[K]["params"]): Promise<ViewCalls[K]["answer"]> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.host.postMessage({ type: "call", id, name, params } as FromPage);
      for (const watcher of this.watchers) watcher.asked();
    });
  }

  send(message: Exclude<FromPage, { type: "call" }>): void {
    this.host.postMessage(message);
  }

  /** Calls that have no answer yet. */
  get pending(): number {
    return this.waiting.size;
  }

  /** `asked`: something was called. `heard`: the host has said something, whatever it was. */
  watch(watcher: { asked(): void; heard(): void }): void {
    this.watchers.push(watcher);
  }

  /** Nobody seems to answer what was asked: each of the open calls fails, so that it can be made again. */
  giveUp(message: string): void {
    const calls = [...this.waiting];
    this.waiting.clear();
    for (const [id, call] of calls) {
      const late = new Promise<object>((resolve) => this.givenUp.set(id, resolve));
      call.reject(new CallFailed("disconnected", message, late));
    }
  }

  listen(listener: (push: Told) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** A message from the host. */
  receive(push: Push): void {
    this.take(push);
    for (const watcher of this.watchers) watcher.heard();
  }

  private take(push: Push): void {
    if (push.type === "pong") return;
    if (push.type !== "answer" && push.type !== "failure") {
      for (const listener of this.listeners) listener(push);
      return;
    }
    const call = this.waiting.get(push.id);
    this.waiting.delete(push.id);
    if (push.type === "answer") call?.resolve(push.answer);
    else call?.reject(new CallFailed(push.code, push.message));
    if (push.type === "answer") this.givenUp.get(push.id)?.(push.answer);
    this.givenUp.delete(push.id);
  }
}

/**
 * Asks the host what a token can become: one question at a time, always the newest, so that typing never waits and an
 * answer that comes late is not taken for one to what stands there now. It knows no component.
 */

import type { Completion } from "../../src/view/messages";
import type { Token } from "./tokens";

export interface List {
  readonly token: Token;
  /** Of the newest answer; they may belong to an earlier query while `fresh` is false. */
  readonly items: readonly Completion[];
  readonly active: number;
  readonly fresh: boolean;
}

export type Ask = (token: Token) => Promise<readonly Completion[]>;

export class Completer {
  private now: List | null = null;
  private asking: Token | undefined;
  /** Where the token begins whose list the user has closed. */
  private closed: number | null = null;

  constructor(
    private readonly ask: Ask,
    private readonly show: (list: List | null) => void,
  ) {}

  get list(): List | null {
    return this.now;
  }

  /** The host has not answered yet what was asked last. */
  get looking(): boolean {
    return this.now !== null && this.asking !== undefined;
  }

  /** The caret stands in this token now, or in none. */
  look(token: Token | null): void {
    if (token === null) {
      this.closed = null;
      return this.become(null);
    }
    if (this.closed === token.start) return;
    this.closed = null;
    const { now } = this;
    if (now && same(now.token, token) && (now.fresh || this.asking)) return this.become({ ...now, token });
    const goesOn = now?.token.start === token.start && now.token.trigger === token.trigger;
    this.become({ token, items: goesOn ? now.items : [], active: 0, fresh: false });
    if (!this.asking) void this.askFor(token);
  }

  /** By the user: it stays closed for as long as the caret is in the same token. */
  close(): void {
    this.closed = this.now?.token.start ?? null;
    this.become(null);
  }

  /** Another item is the active one; the list goes round. */
  move(by: number): void {
    if (!this.now || this.now.items.length === 0) return;
    const { length } = this.now.items;
    this.become({ ...this.now, active: (this.now.active + by + length) % length });
  }

  moveTo(active: number): void {
    if (this.now && active >= 0 && active < this.now.items.length) this.become({ ...this.now, active });
  }

  private async askFor(token: Token): Promise<void> {
    this.asking = token;
    let items: readonly Completion[] | undefined;
    try {
      items = await this.ask(token);
    } catch {
      // No list is no loss: what is typed counts all the same. The next look asks again.
    }
    this.asking = undefined;
    const { now } = this;
    if (!now) return;
    if (!same(now.token, token)) void this.askFor(now.token);
    else if (items) this.become({ ...now, items, active: 0, fresh: true });
    else this.become({ ...now, items: [], active: 0 });
  }

  private become(list: List | null): void {
    if (list === null && this.now === null) return;
    this.now = list;
    this.show(list);
  }
}

function same(one: Token, other: Token): boolean {
  return one.start === other.start && one.query === other.query && one.trigger === other.trigger;
}

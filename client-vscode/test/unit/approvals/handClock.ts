import type { Clock } from "../../../webview/approvals/gate";

/** A clock that stands still until a test moves it on. */
export class HandClock implements Clock {
  private time = 0;
  private waiting: { at: number; done: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(ms: number, done: () => void): () => void {
    const entry = { at: this.time + ms, done };
    this.waiting.push(entry);
    return () => (this.waiting = this.waiting.filter((each) => each !== entry));
  }

  pass(ms: number): void {
    this.time += ms;
    const due = this.waiting.filter(({ at }) => at <= this.time);
    this.waiting = this.waiting.filter(({ at }) => at > this.time);
    for (const { done } of due) done();
  }
}

/** The current states of this window's sessions, kept up to date from the event stream. */

import * as vscode from "vscode";
import type { Event, ListedSession } from "../protocol";
import type { Server } from "../server/server";
import { after, afterListing, fresh, type SessionNow } from "./current";

export class Sessions implements vscode.Disposable {
  private readonly known = new Map<string, SessionNow>();
  private readonly changes = new vscode.EventEmitter<string>();
  private readonly listening: vscode.Disposable[];
  /** The id of a session whose state has changed. */
  readonly onDidChange = this.changes.event;

  constructor(server: Server) {
    this.listening = [
      server.onEvent((event) => this.apply(event.session, event)),
      server.onDidChangeState((state) => state.kind === "running" || this.stopped()),
    ];
  }

  get(session: string): SessionNow {
    return this.known.get(session) ?? fresh();
  }

  /** Ids of the sessions that have a live run. */
  get live(): string[] {
    return [...this.known].filter(([, now]) => now.run !== null).map(([session]) => session);
  }

  /** Takes over what an answer of the server says of a session, beyond its events. */
  set(session: string, told: Partial<SessionNow>): void {
    this.known.set(session, { ...this.get(session), ...told });
    this.changes.fire(session);
  }

  /** Takes over what a list that has just been fetched says of a session; returns its state. */
  listed(listed: ListedSession): SessionNow {
    const before = this.get(listed.session);
    this.become(listed.session, before, afterListing(before, listed));
    return this.get(listed.session);
  }

  dispose(): void {
    for (const listener of this.listening) listener.dispose();
    this.changes.dispose();
  }

  private apply(session: string, event: Event): void {
    const before = this.get(session);
    this.become(session, before, after(before, event));
  }

  private become(session: string, before: SessionNow, now: SessionNow): void {
    if (now === before) return;
    this.known.set(session, now);
    this.changes.fire(session);
  }

  /** A server that has gone has no live run. Its runs get their ends in the log when their session is opened again. */
  private stopped(): void {
    for (const [session, now] of this.known) {
      if (now.run === null) continue;
      this.known.set(session, { ...now, run: null, state: "interrupted", queue: [] });
      this.changes.fire(session);
    }
  }
}

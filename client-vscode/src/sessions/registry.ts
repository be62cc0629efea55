/** The sessions of this window as they stand, kept from the event stream; whoever shows one listens here. */

import * as vscode from "vscode";
import type { Event } from "../protocol";
import type { Server } from "../server/server";
import { after, fresh, type SessionNow } from "./current";

export class Sessions implements vscode.Disposable {
  private readonly known = new Map<string, SessionNow>();
  private readonly changes = new vscode.EventEmitter<string>();
  private readonly listening: vscode.Disposable[];
  /** The id of a session whose state is another now. */
  readonly onDidChange = this.changes.event;

  constructor(private readonly server: Server) {
    this.listening = [
      server.onEvent((event) => this.apply(event.session, event)),
      server.onDidChangeState((state) => state.kind === "running" || this.stopped()),
    ];
  }

  get(session: string): SessionNow {
    return this.known.get(session) ?? fresh();
  }

  /** Sessions that have a live run. */
  get live(): string[] {
    return [...this.known].filter(([, now]) => now.run !== null).map(([session]) => session);
  }

  /** What an answer of the server says of a session, where no event has said it. */
  set(session: string, told: Partial<SessionNow>): void {
    this.known.set(session, { ...this.get(session), ...told });
    this.changes.fire(session);
  }

  /** Asks the server how its sessions stand: what an earlier window or a restart has left. */
  async refresh(): Promise<void> {
    const status = await this.server.execute("steersman.status", {});
    for (const { session, title, model, run, state, queue } of status.sessions) {
      this.set(session, { title, model, run: run ?? null, state, queue });
    }
  }

  dispose(): void {
    for (const listener of this.listening) listener.dispose();
    this.changes.dispose();
  }

  private apply(session: string, event: Event): void {
    const before = this.get(session);
    const now = after(before, event);
    if (now === before) return;
    this.known.set(session, now);
    this.changes.fire(session);
  }

  /** A server that is gone has no live run: what it did is closed in the log when the session is opened again. */
  private stopped(): void {
    for (const [session, now] of this.known) {
      if (now.run === null) continue;
      this.known.set(session, { ...now, run: null, state: "interrupted", queue: [] });
      this.changes.fire(session);
    }
  }
}

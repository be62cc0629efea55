/** The session that the chat shows: its events to the page, what its user says to the server. */

import * as vscode from "vscode";
import type { ContextParams, Event } from "../protocol";
import { Refused } from "../server/refused";
import type { Server } from "../server/server";
import { fresh } from "../sessions/current";
import { SessionFeed } from "../sessions/feed";
import type { Sessions } from "../sessions/registry";
import type { Handlers } from "./bridge";
import { before, NO_DRAFT, type Drafts } from "./drafts";
import type { Draft, PendingApproval, PendingInput, Push, ServerView, SessionView, ViewCalls } from "./messages";
import type { PageOwner } from "./page";

/** What the chat needs of the rooms beside it. */
export interface ChatRooms {
  /** Questions that wait for an answer, of any session. */
  readonly approvals: { pending(): readonly PendingApproval[]; readonly onDidChange: vscode.Event<void> };
  readonly inputs: { pending(): readonly PendingInput[]; readonly onDidChange: vscode.Event<void> };
  /** Texts and diagnostics of the editor that go with a message. */
  context(attach: readonly ("selection" | "diagnostics")[]): ContextParams;
}

const SHOWN = "steersman.shownSession";

export class Chat implements PageOwner, vscode.Disposable {
  private session: string | null;
  private feed: SessionFeed | undefined;
  private readonly listening: vscode.Disposable[];
  private readonly shown = new vscode.EventEmitter<string | null>();
  private unsent: Event[] = [];
  private flushing: NodeJS.Timeout | undefined;
  private locked = false;
  private push: (message: Push) => void = () => undefined;
  /** Another session is shown. */
  readonly onDidShow = this.shown.event;

  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly drafts: Drafts,
    private readonly memento: vscode.Memento,
    private readonly rooms: ChatRooms,
  ) {
    this.session = memento.get<string>(SHOWN) ?? null;
    this.listening = [
      server.onEvent((event) => event.session === this.session && this.feed?.accept(event)),
      server.onDidChangeState((state) => {
        this.pushServer();
        if (state.kind === "running") void this.show(this.session);
        else this.pushSession();
      }),
      sessions.onDidChange((session) => session === this.session && this.pushSession()),
      rooms.approvals.onDidChange(() => this.pushQuestions()),
      rooms.inputs.onDidChange(() => this.pushQuestions()),
    ];
  }

  /** Where pushes go: the page, which is made after this. */
  connect(push: (message: Push) => void): void {
    this.push = push;
  }

  get current(): string | null {
    return this.session;
  }

  readonly handlers: Handlers = {
    submit: (params) => this.submit(params),
    stop: () => this.stop(),
    continueRun: () => this.continueRun(),
    newSession: () => this.show(null),
    openSession: ({ session }) => this.show(session),
    queue: (params) => this.server.execute("steersman.queue", { ...params, run: this.run }),
    configure: (params) => this.configure(params),
    rename: ({ title }) => this.server.execute("steersman.rename", { session: this.needSession(), title }),
    fork: (params) => this.fork(params),
  };

  ready(): void {
    this.pushServer();
    this.pushQuestions();
    this.push({ type: "draft", draft: this.drafts.draft, how: "replace" });
    void this.show(this.session);
  }

  draft(draft: Draft): void {
    this.drafts.keep(draft);
  }

  /** Shows a session from its first event on, or an empty page for one that is to be made. */
  async show(session: string | null): Promise<object> {
    const other = session !== this.session;
    this.session = session;
    this.locked = false;
    this.unsent = [];
    this.feed = undefined;
    if (other) {
      void this.memento.update(SHOWN, session ?? undefined);
      this.shown.fire(session);
    }
    this.push({ type: "events", events: [], reset: true });
    this.pushSession();
    if (session === null) return {};
    await this.open(session);
    return {};
  }

  async stop(): Promise<object> {
    return this.server.execute("steersman.abort", { run: this.run });
  }

  dispose(): void {
    clearTimeout(this.flushing);
    for (const listener of this.listening) listener.dispose();
    this.shown.dispose();
  }

  private get run(): string | undefined {
    return this.session === null ? undefined : (this.sessions.get(this.session).run ?? undefined);
  }

  private needSession(): string {
    if (this.session === null) throw new Refused("There is no session yet: send a message first.", "unknownSession");
    return this.session;
  }

  /** Takes the session's lock and asks for all of its events; one that is locked is read all the same. */
  private async open(session: string): Promise<void> {
    const feed = new SessionFeed((after) => this.server.execute("steersman.events", { session, after }), {
      events: (events) => feed === this.feed && this.send(events),
      streaming: (message) => {
        if (feed !== this.feed) return;
        this.flush();
        this.push({ type: "streaming", message });
      },
      failed: (error) => void vscode.window.showErrorMessage(`The session can't be read: ${String(error)}`),
    });
    this.feed = feed;
    try {
      const { title, model, run, state, queue } = await this.server.execute("steersman.resume", { session });
      this.sessions.set(session, { title, model, run: run ?? null, state, queue });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code === "unknownSession") {
        if (this.session === session) await this.show(null);
        return;
      }
      if (error.code === "noServer") return;
      this.locked = error.code === "locked";
    }
    if (feed !== this.feed) return;
    this.pushSession();
    await feed.catchUp();
  }

  private async submit({ draft, when, attach }: ViewCalls["submit"]["params"]): Promise<ViewCalls["submit"]["answer"]> {
    const context: ContextParams = {
      ...this.rooms.context(attach),
      ...(draft.images.length > 0 ? { images: draft.images.map((image) => ({ ...image })) } : {}),
    };
    const run = this.run;
    if (run !== undefined) {
      const command = when === "now" ? "steersman.steer" : "steersman.followUp";
      const answer = await this.server.execute(command, { text: draft.text, run, context });
      this.drafts.keep(NO_DRAFT);
      return { disposition: answer.disposition };
    }
    const session = this.session ?? undefined;
    const answer = await this.server.execute("steersman.start", { prompt: draft.text, session, context });
    this.drafts.keep(NO_DRAFT);
    this.sessions.set(answer.session, { run: answer.run });
    if (this.session !== answer.session) await this.show(answer.session);
    return { disposition: "started" };
  }

  private async continueRun(): Promise<object> {
    const answer = await this.server.execute("steersman.continue", { session: this.needSession() });
    this.sessions.set(answer.session, { run: answer.run });
    return {};
  }

  private async configure(params: ViewCalls["configure"]["params"]): Promise<object> {
    const session = this.session;
    const answer = await this.server.execute("steersman.configure", { ...params, session });
    if (session !== null) this.sessions.set(session, { model: answer.model, mode: answer.mode });
    return {};
  }

  private async fork({ message, place }: ViewCalls["fork"]["params"]): Promise<object> {
    const answer = await this.server.execute("steersman.fork", { session: this.needSession(), message, place });
    if (place === "new") await this.show(answer.session);
    if (answer.text) this.bring([answer.text]);
    return {};
  }

  /** Puts texts into the composer, before what is there. */
  bring(texts: readonly string[]): void {
    const draft = before(texts, this.drafts.draft);
    this.drafts.keep(draft);
    this.push({ type: "draft", draft, how: "replace" });
  }

  /** Events go to the page in batches of a frame: a message for each delta would keep both sides busy with nothing else. */
  private send(events: readonly Event[]): void {
    this.unsent.push(...events);
    for (const event of events) {
      // What never reached the model goes back where it can be sent again; only live, not when a log is read.
      if (event.type === "agent_end" && event.run !== undefined && event.run === this.run) {
        const texts = event.data.undelivered.map((input) => input.text);
        if (texts.length > 0) this.bring(texts);
      }
    }
    this.flushing ??= setTimeout(() => this.flush(), 16);
  }

  private flush(): void {
    clearTimeout(this.flushing);
    this.flushing = undefined;
    const events = this.unsent;
    this.unsent = [];
    if (events.length > 0) this.push({ type: "events", events });
  }

  private pushServer(): void {
    const { state } = this.server;
    const server: ServerView = state.kind === "running" ? { kind: "running", version: state.version } : state;
    this.push({ type: "server", server });
  }

  private pushSession(): void {
    const now = this.session === null ? fresh() : this.sessions.get(this.session);
    const session: SessionView = { id: this.session, ...now, locked: this.locked, contextWindow: null };
    this.push({ type: "session", session });
  }

  private pushQuestions(): void {
    this.push({ type: "approvals", pending: this.rooms.approvals.pending() });
    this.push({ type: "inputs", pending: this.rooms.inputs.pending() });
  }
}

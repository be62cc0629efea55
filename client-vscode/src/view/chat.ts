/** The session in the chat: its events go to the page, and what the user says goes to the server. */

import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import { appended } from "../context/mention";
import type { ContextParams, Event, ResumeAnswer } from "../protocol";
import { asRefused, Refused } from "../server/refused";
import type { Server } from "../server/server";
import { fresh, type SessionNow } from "../sessions/current";
import type { Sessions } from "../sessions/registry";
import type { Handlers } from "./bridge";
import { before, type Drafts } from "./drafts";
import type { Draft, PendingApproval, PendingInput, Push, ServerView, SessionView, ViewCalls } from "./messages";
import { textOnly } from "./notice";
import type { PageOwner } from "./pageLink";
import { Reading } from "./reading";
import { SessionSettings } from "./sessionSettings";
import { Speaking } from "./speaking";
import { ofOpen, type Typed, withText } from "./typed";
import { type Keep, Undelivered } from "./undelivered";

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
  private readonly listening: vscode.Disposable[];
  private readonly shown = new vscode.EventEmitter<string | null>();
  private readonly undelivered: Undelivered;
  private readonly settings: SessionSettings;
  private readonly speaking: Speaking;
  private readonly reading: Reading;
  private running = false;
  /** Lasts as long as the questions, which no reload of the window outlives. */
  private answers: Typed = {};
  private push: (message: Push) => void = () => undefined;
  /** Another session is shown. */
  readonly onDidShow = this.shown.event;
  private readonly models = new vscode.EventEmitter<string | null>();
  /** The model of the session that is shown, or of a new one, may be another. */
  readonly onDidChangeModel = this.models.event;

  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly drafts: Drafts,
    private readonly memento: Keep,
    private readonly rooms: ChatRooms,
  ) {
    this.session = (memento.get(SHOWN) as string | undefined) ?? null;
    this.undelivered = new Undelivered(memento);
    this.settings = new SessionSettings(server, sessions, memento);
    this.speaking = new Speaking(server, sessions, drafts, this.undelivered, (attach) => rooms.context(attach));
    const owner = {
      push: (message: Push) => this.push(message),
      isUp: () => server.state.kind === "running",
      get: (session: string) => sessions.get(session),
      set: (session: string, told: Partial<SessionNow>) => sessions.set(session, told),
      told: (event: Event) => this.undelivered.ended(event),
      opened: (session: string, answer?: ResumeAnswer) => this.opened(session, answer),
      gone: () => this.show(null),
      read: (session: string) => this.bring(this.undelivered.take(session)),
      unreadable: (error: unknown) => this.unreadable(error),
    };
    this.reading = new Reading(server, owner, pause);
    this.listening = [
      server.onEvent((event) => this.heard(event)),
      server.onDidChangeState((state) => {
        this.pushServer();
        if (state.kind === "running") void this.serverRuns();
        else this.pushSession();
      }),
      sessions.onDidChange((session) => session === this.session && this.pushSession()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.pushTrust()),
      rooms.approvals.onDidChange(() => this.pushQuestions()),
      rooms.inputs.onDidChange(() => this.pushQuestions()),
    ];
  }

  /** Where pushes go: the page, which is created later. */
  connect(push: (message: Push) => void): void {
    this.push = push;
  }

  get current(): string | null {
    return this.session;
  }

  readonly handlers: Handlers = {
    submit: (params) => this.submit(params),
    stop: () => this.stop(),
    continueRun: async () => {
      await this.speaking.continueRun(this.needSession());
      return {};
    },
    newSession: () => this.show(null),
    openSession: ({ session }) => this.show(session),
    queue: (params) => this.server.execute("steersman.queue", { ...params, run: this.needRun() }),
    configure: async (params) => {
      await this.settings.configure(this.session, params);
      this.pushSession();
      return {};
    },
    models: async () => ({ choices: await this.settings.models() }),
    pickModel: () => this.pickModel(),
    rename: async ({ title }) => {
      const session = this.needSession();
      const answer = await this.server.execute("steersman.rename", { session, title });
      this.sessions.set(session, { title: answer.title });
      return {};
    },
    fork: (params) => this.fork(params),
    compact: ({ instructions }) =>
      this.server.execute("steersman.compact", { session: this.needSession(), instructions }),
  };

  ready(): void {
    this.pushServer();
    this.pushTrust();
    this.pushQuestions();
    this.push({ type: "typed", typed: this.answers });
    this.push({ type: "draft", draft: this.drafts.draft, how: "replace" });
    void this.show(this.session);
  }

  draft(draft: Draft): void {
    this.drafts.keep(draft);
  }

  draftText(text: string): void {
    this.drafts.keepText(text);
  }

  typed(question: string, text: string): void {
    this.answers = withText(this.answers, question, text);
  }

  /** Shows a session from its first event on, or an empty page for one that is to be made. Never throws. */
  async show(session: string | null): Promise<object> {
    const other = session !== this.session;
    this.session = session;
    this.reading.close();
    if (other) {
      this.reading.forget();
      this.settings.forget();
      void this.memento.update(SHOWN, session ?? undefined);
      this.shown.fire(session);
    }
    this.push({ type: "events", events: [], reset: true });
    this.pushSession();
    if (session === null) return {};
    // Once it runs, it opens the session that is shown by then.
    if (this.server.state.kind !== "running") void this.server.start();
    else await this.reading.open(session);
    return {};
  }

  async stop(): Promise<object> {
    const run = this.run;
    // An abort without a run ends whatever else goes on here, but would also stop another session's run if it is the only one.
    if (run === undefined && this.sessions.live.length > 0) throw new Refused(vscode.l10n.t("Nothing runs here."), "notRunning");
    return this.server.execute("steersman.abort", { run });
  }

  /** Never throws: the user is in the picker, not in the page, so the editor tells of a failure. */
  private async pickModel(): Promise<object> {
    const session = this.session;
    const now = session === null ? fresh() : this.sessions.get(session);
    const model = await this.settings.pick(this.settings.of(session, now).model);
    if (model === undefined) return {};
    try {
      await this.settings.configure(session, { model });
    } catch (error) {
      told(error);
    }
    this.pushSession();
    return {};
  }

  /** Puts texts into the composer, before what is there. */
  bring(texts: readonly string[]): void {
    if (texts.length === 0) return;
    this.drafts.keep(before(texts, this.drafts.draft));
    this.push({ type: "draft", draft: { text: texts.join("\n\n"), images: [] }, how: "prepend" });
  }

  /** Puts a text into the composer, after what is there. */
  append(text: string): void {
    this.drafts.keepText(appended(this.drafts.draft.text, text));
    this.push({ type: "draft", draft: { text, images: [] }, how: "append" });
  }

  dispose(): void {
    this.reading.close();
    for (const listener of this.listening) listener.dispose();
    this.shown.dispose();
    this.models.dispose();
  }

  private get run(): string | undefined {
    return this.session === null ? undefined : (this.sessions.get(this.session).run ?? undefined);
  }

  private needRun(): string {
    const { run } = this;
    if (run === undefined) throw new Refused(vscode.l10n.t("The run has ended."), "notRunning");
    return run;
  }

  private needSession(): string {
    if (this.session !== null) return this.session;
    throw new Refused(vscode.l10n.t("There is no session yet: send a message first."), "unknownSession");
  }

  private async serverRuns(): Promise<void> {
    await this.show(this.session);
    await this.settings.refresh();
    this.pushSession();
  }

  /** An event of any session. */
  private heard(event: Event): void {
    if (event.type === "agent_start" && event.run !== undefined) this.undelivered.began(event.run);
    this.undelivered.ended(event);
    if (event.session !== this.session) return;
    this.reading.accept(event);
    if (event.type === "agent_end") this.bring(this.undelivered.take(event.session));
  }

  /** The session is open: to work in, or without an answer only to read. */
  private async opened(session: string, answer: ResumeAnswer | undefined): Promise<void> {
    if (answer) {
      const { title, model, run, state, queue } = answer;
      // The server may not have stored yet the title that an event gave the session.
      this.sessions.set(session, { model, run: run ?? null, state, queue, ...(title === null ? {} : { title }) });
      await this.settings.restore(session);
    }
    this.pushSession();
  }

  private async submit(params: ViewCalls["submit"]["params"]): Promise<ViewCalls["submit"]["answer"]> {
    let asked: string | null = null;
    let chosen = this.settings.chosen;
    const where = () => {
      asked = this.session;
      chosen = this.settings.chosen;
      return { session: asked, ...chosen };
    };
    const { disposition } = await this.speaking.submit(params, where, (outcome) => {
      if (asked !== null) return;
      this.settings.made(outcome.session, chosen).catch(told);
      // Unless another session has been chosen meanwhile.
      if (this.session === null) void this.show(outcome.session);
    });
    return { disposition };
  }

  private async fork({ message, place }: ViewCalls["fork"]["params"]): Promise<object> {
    const answer = await this.server.execute("steersman.fork", { session: this.needSession(), message, place });
    if (place === "new") void this.show(answer.session);
    if (answer.text) this.bring([answer.text]);
    return {};
  }

  private unreadable(error: unknown): void {
    // The server has gone: the next one reads the session again.
    if (this.server.state.kind !== "running") return;
    void vscode.window.showErrorMessage(vscode.l10n.t("The session can't be read: {0}", textOnly(asRefused(error).message)));
  }

  private pushServer(): void {
    const { state } = this.server;
    const server: ServerView = state.kind === "running" ? { kind: "running", version: state.version } : state;
    this.push({ type: "server", server });
  }

  private pushTrust(): void {
    this.push({ type: "trust", trusted: vscode.workspace.isTrusted });
  }

  private pushSession(): void {
    const now = this.session === null ? fresh() : this.sessions.get(this.session);
    const session: SessionView = {
      ...now,
      ...this.settings.of(this.session, now),
      id: this.session,
      locked: this.reading.locked,
      refusal: this.reading.refusal,
    };
    this.push({ type: "clock", now: Date.now() });
    this.push({ type: "session", session });
    this.models.fire(session.model);
    const running = now.run !== null;
    if (running === this.running) return;
    this.running = running;
    void vscode.commands.executeCommand("setContext", "steersman.running", running);
  }

  private pushQuestions(): void {
    const [approvals, inputs] = [this.rooms.approvals.pending(), this.rooms.inputs.pending()];
    this.answers = ofOpen(this.answers, [...approvals, ...inputs]);
    this.push({ type: "approvals", pending: approvals });
    this.push({ type: "inputs", pending: inputs });
  }
}

/** For what fails while the user is elsewhere than in the page. */
function told(error: unknown): void {
  void vscode.window.showErrorMessage(textOnly(asRefused(error).message));
}

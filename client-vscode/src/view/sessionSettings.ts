/** The sessions' model and mode: what is configured, what the user has chosen, what the pickers offer. */

import * as vscode from "vscode";
import type { SessionNow } from "../sessions/current";
import type { Sessions } from "../sessions/registry";
import type { Commander } from "./commander";
import { pickModel } from "./modelPick";
import type { Keep } from "./undelivered";
import { type Chosen, ForNew } from "./forNew";
import type { Choice, ViewCalls } from "./messages";
import { modelChoices, withRecent } from "./models";
import { Modes } from "./modes";

const RECENT = "steersman.recentModels";

export class SessionSettings {
  private readonly modes: Modes;
  private configured: Chosen = {};
  private readonly forNew = new ForNew();

  constructor(
    private readonly server: Commander,
    private readonly sessions: Sessions,
    private readonly memento: Keep,
  ) {
    this.modes = new Modes(memento);
  }

  /** What was chosen for the session that the next message creates. */
  get chosen(): Chosen {
    return this.forNew.chosen;
  }

  /** Model and mode for the next run in a session, or in a new one. */
  of(session: string | null, now: SessionNow): Pick<SessionNow, "model" | "mode"> {
    const model = this.configured.model ?? null;
    const mode = this.configured.mode ?? null;
    if (session === null) return { model: this.chosen.model ?? model, mode: this.chosen.mode ?? mode };
    return { model: now.model ?? model, mode: this.modes.of(session) ?? now.mode ?? mode };
  }

  /** @throws Refused the model can't be used. */
  async configure(session: string | null, { model, mode }: ViewCalls["configure"]["params"]): Promise<void> {
    if (session === null) {
      this.forNew.choose({ model, mode });
    } else {
      const answer = await this.server.execute("steersman.configure", { session, model, mode });
      if (mode) this.modes.choose(session, mode);
      this.sessions.set(session, { model: answer.model, mode: answer.mode });
    }
    if (model) void this.memento.update(RECENT, withRecent(this.recent, model));
  }

  /**
   * The session that was made with `sent` exists, and is told what has been chosen for it since.
   *
   * @throws Refused the model can't be used.
   */
  async made(session: string, sent: Chosen): Promise<void> {
    if (sent.mode) this.modes.choose(session, sent.mode);
    const later = this.forNew.made(sent);
    if (later.model !== undefined || later.mode !== undefined) await this.configure(session, later);
  }

  /** Another session is shown: what was chosen for a new one no longer counts. */
  forget(): void {
    this.forNew.forget();
  }

  /** Tells a restarted server the mode that was chosen for a session. */
  async restore(session: string): Promise<void> {
    const mode = this.modes.of(session);
    if (mode === undefined) return;
    try {
      await this.server.execute("steersman.configure", { session, mode });
    } catch {
      // A session that can't be written can't be worked in anyway.
    }
  }

  /** Asks the server for the model and mode of new sessions. */
  async refresh(): Promise<void> {
    try {
      const { model, mode } = await this.server.execute("steersman.status", {});
      this.configured = { mode, ...(model === null ? {} : { model }) };
    } catch {
      // The server has gone again; its next start asks again.
    }
  }

  async models(): Promise<readonly Choice[]> {
    return modelChoices(await this.server.execute("steersman.status", {}), this.recent, {
      configured: vscode.l10n.t("Configured for new sessions"),
      open: vscode.l10n.t("Used by an open session"),
      recent: vscode.l10n.t("Used before"),
    });
  }

  /** Lets the user choose from all models, or name one; undefined if none was chosen. */
  async pick(current: string | null): Promise<string | undefined> {
    const known = (await this.models().catch(() => [])).map(({ value }) => value);
    return pickModel(() => this.server.execute("steersman.models", {}), known, current);
  }

  private get recent(): readonly string[] {
    return (this.memento.get(RECENT) as readonly string[] | undefined) ?? [];
  }
}

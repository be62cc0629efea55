/** What the user can do with a listed session: open, fork, rename, delete, export. Shows failures. */

import * as vscode from "vscode";
import { t } from "../l10n";
import { Refused } from "../server/refused";
import type { Server } from "../server/server";
import { textOnly } from "../view/notice";
import { exportSession } from "./exporting";
import type { Sessions } from "./registry";

/** What is needed of the chat: which session it shows, and a way to show another. */
export interface Shown {
  readonly current: string | null;
  show(session: string | null): Promise<object>;
  reveal(): Promise<void>;
}

/** A session by its id, with the title that the user has seen. */
export interface Named {
  readonly id: string;
  readonly title: string | null;
}

export class SessionActions {
  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly chat: Shown,
    private readonly changed: () => void,
  ) {}

  async open(session: string): Promise<void> {
    await this.chat.show(session);
    await this.chat.reveal();
  }

  async fork({ id }: Named): Promise<void> {
    const { session } = await this.server.execute("steersman.fork", { session: id });
    this.changed();
    await this.open(session);
  }

  async rename({ id, title }: Named): Promise<void> {
    const wanted = await vscode.window.showInputBox({
      title: t("Rename Session"),
      prompt: t("Title of the session"),
      value: title ?? "",
      validateInput: problemOfTitle,
    });
    if (wanted === undefined || wanted.trim() === title) return;
    await this.server.execute("steersman.rename", { session: id, title: wanted });
    this.changed();
  }

  /** Asks first. Stops at the first session that can't be deleted. */
  async delete(wanted: readonly Named[]): Promise<void> {
    const [first] = wanted;
    if (!first) return;
    const live = wanted.find(({ id }) => this.sessions.get(id).run !== null);
    if (live) throw new Error(t("“{0}” is running: stop its run first.", name(live)));
    const question =
      wanted.length === 1 ? t("Delete “{0}”?", name(first)) : t("Delete {0} sessions?", wanted.length);
    const detail = t("The conversation is deleted for good. Its changes to files stay, and can no longer be reverted.");
    const yes = t("Delete");
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) !== yes) return;
    try {
      for (const { id } of wanted) {
        await this.server.execute("steersman.delete", { session: id });
        if (this.chat.current === id) await this.chat.show(null);
      }
    } finally {
      this.changed();
    }
  }

  async export({ id, title }: Named): Promise<void> {
    await exportSession(this.server, id, title);
  }

  async copyId({ id }: Named): Promise<void> {
    await vscode.env.clipboard.writeText(id);
    vscode.window.setStatusBarMessage(t("The session's id was copied."), 3000);
  }

  /** Does one of the above and shows why it failed. */
  async told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const gone = error instanceof Refused && error.code === "unknownSession";
      if (gone) this.changed();
      await vscode.window.showErrorMessage(gone ? t("This session is no longer there.") : textOnly(message));
    }
  }
}

function name({ id, title }: Named): string {
  return title ?? id;
}

/** The server accepts the same titles. */
function problemOfTitle(title: string): string | undefined {
  const length = title.split(/\s+/).filter(Boolean).join(" ").length;
  return length > 0 && length <= 200 ? undefined : t("A title has 1 to 200 characters.");
}

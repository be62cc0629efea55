/**
 * Server commands that are run from the light bulb, the palette or a key: shows their session in the chat, and if one is
 * refused says why and what to do. The chat's own commands don't come through here.
 */

import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";
import type { ClientFeature } from "../server/server";
import { asRefused } from "../server/refused";
import { textOnly } from "../view/notice";
import { adviceOn, type Offer } from "./advice";

/** What is needed of the chat. */
export interface SessionChat {
  /** Brings the chat to the front and shows a session in it; null: the current one. */
  showSession(session: string | null): Promise<void>;
  /** Puts texts into the composer, where they can be sent again. */
  bring(texts: readonly string[]): void;
}

export class CodeActionCommands implements ClientFeature {
  readonly options = {};
  private client: LanguageClient | undefined;
  private chat: SessionChat | undefined;

  /** Does not call `next`, which would show an error of its own that names a method of the protocol. */
  readonly middleware: Middleware = {
    executeCommand: (command: string, args: unknown[]) => this.run(command, args),
  };

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** The chat, which is created later. */
  connect(chat: SessionChat): void {
    this.chat = chat;
  }

  attach(client: LanguageClient): vscode.Disposable[] {
    this.client = client;
    return [];
  }

  private async run(command: string, args: unknown[]): Promise<unknown> {
    try {
      const answer: unknown = await this.client?.sendRequest("workspace/executeCommand", { command, arguments: args });
      const session = begun(answer);
      if (session !== undefined) await this.chat?.showSession(session);
      return answer;
    } catch (error) {
      this.log.warn(`${command}: ${String(error)}`);
      await this.tell(error);
      return undefined;
    }
  }

  private async tell(error: unknown): Promise<void> {
    const { message, offers, session, text } = adviceOn(asRefused(error));
    if (text !== undefined) this.chat?.bring([text]);
    const labels = new Map(offers.map((offer) => [label(offer), offer]));
    const chosen = await vscode.window.showErrorMessage(textOnly(message), ...labels.keys());
    switch (chosen === undefined ? undefined : labels.get(chosen)) {
      case "showChat":
        return this.chat?.showSession(session ?? null);
      case "openSettings":
        return vscode.commands.executeCommand("workbench.action.openSettings", "steersman.model");
      case "showLog":
        return this.log.show(true);
    }
  }
}

/** The session of the run that a command has started, if any. */
function begun(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("session" in answer) || !("run" in answer)) return undefined;
  return typeof answer.session === "string" ? answer.session : undefined;
}

function label(offer: Offer): string {
  switch (offer) {
    case "showChat":
      return vscode.l10n.t("Show chat");
    case "openSettings":
      return vscode.l10n.t("Open settings");
    case "showLog":
      return vscode.l10n.t("Show log");
  }
}

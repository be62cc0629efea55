/** The language status item: the server's state, and a command to start or restart it. */

import * as vscode from "vscode";
import type { ServerState } from "./lifecycle";
import type { Server } from "./server";

export class Status implements vscode.Disposable {
  private readonly item: vscode.LanguageStatusItem;
  private readonly listening: vscode.Disposable;
  private model: string | null = null;

  /** The event gives the model (`PROVIDER:NAME`) of the session in view; null: none is configured. */
  constructor(
    private readonly server: Server,
    onDidChangeModel: vscode.Event<string | null>,
  ) {
    this.item = vscode.languages.createLanguageStatusItem("steersman.server", { scheme: "file" });
    this.item.name = "Steersman";
    this.listening = vscode.Disposable.from(
      server.onDidChangeState(() => this.show()),
      onDidChangeModel((model) => {
        if (model === this.model) return;
        this.model = model;
        this.show();
      }),
    );
    this.show();
  }

  dispose(): void {
    this.listening.dispose();
    this.item.dispose();
  }

  private show(): void {
    const { state } = this.server;
    this.item.text = textOf(state);
    this.item.detail = state.kind === "running" ? (this.model ?? vscode.l10n.t("No model is configured")) : undefined;
    this.item.busy = state.kind === "starting";
    this.item.severity =
      state.kind === "failed" ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
    this.item.command =
      state.kind === "stopped"
        ? { command: "steersman.ui.restart", title: vscode.l10n.t("Start") }
        : { command: "steersman.ui.restart", title: vscode.l10n.t("Restart") };
  }
}

function textOf(state: ServerState): string {
  switch (state.kind) {
    case "stopped":
      return vscode.l10n.t("Steersman: not started");
    case "starting":
      return vscode.l10n.t("Steersman: {0}", state.step);
    case "running":
      return vscode.l10n.t("Steersman {0}", state.version);
    case "failed":
      return vscode.l10n.t("Steersman: {0}", state.problem.message);
  }
}

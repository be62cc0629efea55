/** Assembles this room: the server and everything about it in the window. */

import * as vscode from "vscode";
import type { Sessions } from "../sessions/registry";
import type { Handlers } from "../view/bridge";
import { followEnvironment } from "./environmentChanges";
import { PATH_SETTING } from "./find";
import { USE_OWN_SERVER } from "./handshake";
import { Keys } from "./keys";
import { Launching } from "./launch";
import { remedyHandlers } from "./remedies";
import { reportIssue } from "./report";
import { readSettings } from "./settings";
import { Server, type ClientFeature } from "./server";
import { Status } from "./status";
import { TraceChannel } from "./traceChannel";
import { Trust, trustHandlers } from "./trust";

export class ServerRoom implements vscode.Disposable {
  readonly server: Server;
  readonly handlers: Handlers;
  private readonly keys: Keys;
  private readonly version: string;
  private readonly launching: Launching;
  private readonly parts: { dispose(): unknown }[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    features: readonly ClientFeature[],
  ) {
    const { version } = context.extension.packageJSON as { version: string };
    this.version = version;
    this.keys = new Keys(context.secrets);
    const trace = new TraceChannel();
    this.launching = new Launching(context, version, this.keys, log);
    this.server = new Server(this.launching.launch, [new Trust(), ...features], log, trace, version);
    this.handlers = { ...remedyHandlers(this.server, log), ...trustHandlers };
    this.parts = [this.server, this.launching, trace, this.keys];
  }

  /** Adds what needs the sessions, which need the server. The event gives the model of the session in view. */
  connect(sessions: Sessions, onDidChangeModel: vscode.Event<string | null>): void {
    this.parts.unshift(
      followEnvironment(this.server, sessions, this.keys),
      new Status(this.server, onDidChangeModel),
      ...this.commands(),
    );
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private commands(): vscode.Disposable[] {
    const { server, keys, log } = this;
    const { id } = this.context.extension;
    const { bugs } = this.context.extension.packageJSON as { bugs: { url: string } };
    const table: Record<string, () => unknown> = {
      "steersman.ui.restart": () => server.restart(),
      "steersman.ui.showLog": () => log.show(),
      "steersman.ui.setApiKey": () => keys.ask(),
      "steersman.ui.removeApiKey": () => keys.remove(),
      "steersman.ui.openSettings": () =>
        vscode.commands.executeCommand("workbench.action.openSettings", `@ext:${id}`),
      "steersman.ui.showExtension": () => vscode.commands.executeCommand("extension.open", id),
      "steersman.ui.openWalkthrough": () =>
        vscode.commands.executeCommand("workbench.action.openWalkthrough", `${id}#steersman.start`, false),
      "steersman.ui.reportIssue": () =>
        reportIssue({ server, keys, version: this.version, logFolder: this.context.logUri, url: bugs.url }),
      [USE_OWN_SERVER]: () => this.useOwnServer(),
    };
    return Object.entries(table).map(([command, run]) => vscode.commands.registerCommand(command, run));
  }

  private async useOwnServer(): Promise<void> {
    this.launching.useOwn();
    if (readSettings().path === "") return this.server.restart();
    // The change of the setting restarts the server.
    const set = (value: string | undefined): Thenable<void> =>
      vscode.workspace.getConfiguration().update(PATH_SETTING, value, vscode.ConfigurationTarget.Global);
    await set(undefined);
    // In a remote window this removes it from that machine's settings, and the user's own may still have it.
    if (readSettings().path !== "") await set("");
  }
}

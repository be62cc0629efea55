/** Restarts the server when the window's settings, key or trust change, as soon as no run is live. */

import * as vscode from "vscode";
import type { Sessions } from "../sessions/registry";
import type { Keys } from "./keys";
import { PendingRestart } from "./restarts";
import type { Server } from "./server";
import { RESTARTING_SETTINGS } from "./settings";

export function followEnvironment(server: Server, sessions: Sessions, keys: Keys): vscode.Disposable {
  const pending = new PendingRestart({
    isLive: () => sessions.live.length > 0,
    isUp: () => server.state.kind !== "stopped",
    restart: () => void server.restart(),
    wait: () => void tellThatItWaits(server),
  });
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (RESTARTING_SETTINGS.some((name) => change.affectsConfiguration(name))) pending.changed();
    }),
    keys.onDidChange(() => pending.changed()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => pending.changed()),
    sessions.onDidChange(() => pending.settled()),
    server.onDidChangeState((state) => state.kind === "running" && pending.started()),
  );
}

async function tellThatItWaits(server: Server): Promise<void> {
  const now = vscode.l10n.t("Restart now");
  const message = vscode.l10n.t("Your change takes effect when Steersman restarts, once its run has ended.");
  if ((await vscode.window.showInformationMessage(message, now)) === now) await server.restart();
}

/** Does what a problem's buttons say. */

import * as vscode from "vscode";
import type { Handlers } from "../view/bridge";
import type { Remedy } from "./problem";
import type { Server } from "./server";

export function remedyHandlers(server: Server, log: vscode.OutputChannel): Handlers {
  return {
    remedy: async (remedy) => {
      await apply(remedy, server, log);
      return {};
    },
  };
}

async function apply(remedy: Remedy, server: Server, log: vscode.OutputChannel): Promise<void> {
  switch (remedy.kind) {
    case "retry":
      // The view shows how it ends.
      void server.restart();
      return;
    case "showLog":
      log.show();
      return;
    case "openSetting":
      await vscode.commands.executeCommand("workbench.action.openSettings", `@id:${remedy.setting}`);
      return;
    case "command":
      // Only our own: a page must not be able to run any command of the editor.
      if (!remedy.command.startsWith("steersman.ui.")) throw new Error(`No command of Steersman's: ${remedy.command}`);
      await vscode.commands.executeCommand(remedy.command);
      return;
    case "openUrl":
      if (!remedy.url.startsWith("https://")) throw new Error(`Not opened: ${remedy.url}`);
      await vscode.env.openExternal(vscode.Uri.parse(remedy.url));
  }
}

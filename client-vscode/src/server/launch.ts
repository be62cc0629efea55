/** Which program is the server: the one that the settings name. */

import * as vscode from "vscode";
import type { Launcher } from "./server";
import { ServerProblem } from "./problem";

export function launcher(): Launcher {
  return () => {
    const settings = vscode.workspace.getConfiguration("steersman");
    const path = settings.get<string>("server.path", "");
    if (path === "") {
      throw new ServerProblem({
        message: "No Steersman server was found.",
        buttons: [{ label: "Name one", remedy: { kind: "openSetting", setting: "steersman.server.path" } }],
      });
    }
    const env = { ...process.env, ...fromSettings(settings) };
    return Promise.resolve({ executable: { command: path, args: ["serve"], options: { env } } });
  };
}

/** Settings of scope machine reach the server by its environment: no repository can set them. */
function fromSettings(settings: vscode.WorkspaceConfiguration): Record<string, string> {
  const names = { model: "STEERSMAN_MODEL", baseUrl: "STEERSMAN_BASE_URL", mode: "STEERSMAN_MODE" };
  const set = Object.entries(names).map(([name, variable]) => [variable, settings.get<string>(name, "")] as const);
  return Object.fromEntries(set.filter(([, value]) => value !== ""));
}

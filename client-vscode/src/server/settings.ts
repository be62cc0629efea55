/** The settings for the server, as they are in the editor. */

import * as vscode from "vscode";
import type { ServerSettings } from "./environment";

/** Those that take effect when the server restarts. */
export const RESTARTING_SETTINGS = [
  "steersman.server.path",
  "steersman.server.python",
  "steersman.server.env",
  "steersman.model",
  "steersman.baseUrl",
  "steersman.mode",
] as const;

export interface AllSettings extends ServerSettings {
  readonly path: string;
  readonly python: string;
}

export function readSettings(): AllSettings {
  const settings = vscode.workspace.getConfiguration("steersman");
  const text = (name: string): string => {
    const value = settings.get<unknown>(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const env = settings.get<unknown>("server.env");
  const pairs = typeof env === "object" && env !== null ? Object.entries(env) : [];
  return {
    path: text("server.path"),
    python: text("server.python"),
    model: text("model"),
    baseUrl: text("baseUrl"),
    mode: text("mode"),
    env: Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string")),
  };
}

/** `Steersman: Report Issue`: collects what helps to find a fault, in a document for the user to read first. */

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { Keys } from "./keys";
import type { Problem } from "./problem";
import { runProgram } from "./programs";
import { lastLines, redact } from "./redact";
import type { Server } from "./server";
import { readSettings } from "./settings";

const LOG_LINES = 150;

export interface ReportParts {
  readonly server: Server;
  readonly keys: Keys;
  readonly version: string;
  /** The folder of the output channel's file. */
  readonly logFolder: vscode.Uri;
  /** The page on which issues are reported. */
  readonly url: string;
}

export async function reportIssue(parts: ReportParts): Promise<void> {
  const key = await parts.keys.get();
  const text = redact(await reportText(parts), key === undefined ? [] : [key], homedir());
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content: text });
  await vscode.window.showTextDocument(document);
  const open = vscode.l10n.t("Open the issue page");
  const message = vscode.l10n.t("Read what is in the report, then paste it into a new issue.");
  if ((await vscode.window.showInformationMessage(message, open)) === open) {
    await vscode.env.openExternal(vscode.Uri.parse(parts.url));
  }
}

async function reportText(parts: ReportParts): Promise<string> {
  const { state, lastLaunch } = parts.server;
  const settings = readSettings();
  const set = (value: string): string => (value === "" ? "not set" : "set");
  const lines = [
    "## What happened",
    "",
    "What you did, what you expected, what came instead.",
    "",
    "## Versions",
    "",
    `- Extension ${parts.version}, server ${state.kind === "running" ? state.version : state.kind}`,
    `- ${vscode.env.appName} ${vscode.version}, ${process.platform} ${process.arch}, Node ${process.versions.node}`,
    `- Remote: ${vscode.env.remoteName ?? "none"}, workspace trusted: ${String(vscode.workspace.isTrusted)}`,
    ...(state.kind === "failed" ? problemLines(state.problem) : []),
    "",
    "## Settings",
    "",
    `- server: ${lastLaunch ? `${lastLaunch.program.command} (${lastLaunch.program.origin})` : "none was found"}`,
    `- server.path: ${set(settings.path)}, server.python: ${set(settings.python)}`,
    `- server.env: ${Object.keys(settings.env).join(", ") || "empty"} (names only)`,
    `- model: ${settings.model || "not set"}, mode: ${settings.mode || "not set"}, baseUrl: ${set(settings.baseUrl)}`,
    `- API key: ${(await parts.keys.get()) === undefined ? "not set" : "set"}`,
    "",
    "## steersman doctor",
    "",
    fenced(await doctor(parts)),
    "",
    "## Log",
    "",
    fenced(lastLines(await logOf(parts.logFolder), LOG_LINES)),
    "",
  ];
  return lines.join("\n");
}

function problemLines({ message, detail }: Problem): string[] {
  return [`- Problem: ${message}`, ...(detail === undefined ? [] : ["", fenced(detail)])];
}

async function doctor({ server }: ReportParts): Promise<string> {
  const { lastLaunch } = server;
  if (!lastLaunch) return "No server was found.";
  const { command, args } = lastLaunch.program;
  try {
    const options = { cwd: homedir(), env: lastLaunch.env, timeout: 20_000 };
    const ran = await runProgram(command, [...args, "doctor"], options);
    return `${ran.stdout}${ran.stderr}`;
  } catch (error) {
    return String(error);
  }
}

async function logOf(folder: vscode.Uri): Promise<string> {
  try {
    return await readFile(vscode.Uri.joinPath(folder, "Steersman.log").fsPath, "utf8");
  } catch {
    return "There is no log.";
  }
}

function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.trimEnd()}\n${fence}`;
}

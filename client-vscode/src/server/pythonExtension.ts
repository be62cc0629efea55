/** The interpreter selected in the Python extension, if that is installed. Its answers are checked before they are used. */

import * as vscode from "vscode";

const ID = "ms-python.python";
/** Milliseconds that it has to activate and to answer: the server waits for it. */
const PATIENCE = 3000;

/** The interpreter for the first workspace folder; undefined if none is known in time. */
export async function selectedInterpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<unknown>(ID);
  if (!extension) return undefined;
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE).unref());
  return Promise.race([ask(extension).catch(() => undefined), late]);
}

async function ask(extension: vscode.Extension<unknown>): Promise<string | undefined> {
  const environments = member(await extension.activate(), "environments");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const active = call(environments, "getActiveEnvironmentPath", folder);
  const resolved = await call(environments, "resolveEnvironment", active);
  const executable = member(member(resolved, "executable"), "uri");
  if (executable instanceof vscode.Uri && executable.scheme === "file") return executable.fsPath;
  const path = member(active, "path");
  return typeof path === "string" && path !== "" ? path : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function call(value: unknown, name: string, argument: unknown): unknown {
  const method = member(value, name);
  return typeof method === "function" ? (method as (argument: unknown) => unknown).call(value, argument) : undefined;
}

/** Exports a session's transcript to a file of the user's choice, and offers to open it. */

import * as vscode from "vscode";
import { t } from "../l10n";
import type { ExportEndData } from "../protocol";
import type { Server } from "../server/server";
import { eventAfter } from "./awaited";
import { exportName } from "./exportName";

type Format = "html" | "markdown";

/** Asks for a format and a file. Writes nothing unless both are chosen. */
export async function exportSession(server: Server, session: string, title: string | null): Promise<void> {
  const format = await chosenFormat();
  const target = format && (await chosenFile(format, title ?? session));
  if (!format || !target) return;
  const progress = { location: vscode.ProgressLocation.Window, title: t("Exporting the session…") };
  const end = await vscode.window.withProgress(progress, () => written(server, session, format, target));
  if (end.failed !== undefined) throw new Error(t("The session was not exported: {0}", end.failed));
  const open = t("Open");
  const answer = await vscode.window.showInformationMessage(t("The session was exported to {0}.", target.fsPath), open);
  if (answer === open) await show(vscode.Uri.file(end.path), format);
}

async function chosenFormat(): Promise<Format | undefined> {
  const formats: (vscode.QuickPickItem & { format: Format })[] = [
    { label: t("Web page"), description: ".html", detail: t("One page that needs nothing else"), format: "html" },
    { label: "Markdown", description: ".md", format: "markdown" },
  ];
  return (await vscode.window.showQuickPick(formats, { title: t("Export Session") }))?.format;
}

function chosenFile(format: Format, title: string): Thenable<vscode.Uri | undefined> {
  const suffix = format === "html" ? "html" : "md";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return vscode.window.showSaveDialog({
    title: t("Export Session"),
    defaultUri: folder && vscode.Uri.joinPath(folder, exportName(title, suffix)),
    filters: format === "html" ? { HTML: ["html"] } : { Markdown: ["md"] },
  });
}

function written(server: Server, session: string, format: Format, file: vscode.Uri): Promise<ExportEndData> {
  return eventAfter(
    server,
    // The dialog has asked whether to replace an existing file.
    () => server.execute("steersman.export", { session, format, path: file.toString(), overwrite: true }),
    (event, { operation }) =>
      event.type === "export_end" && event.data.operation === operation ? event.data : undefined,
  );
}

/** Opens a page in the browser, unless this window is remote; Markdown in the editor. */
async function show(file: vscode.Uri, format: Format): Promise<void> {
  const local = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (format === "html" && local) await vscode.env.openExternal(file);
  else await vscode.commands.executeCommand("vscode.open", file);
}

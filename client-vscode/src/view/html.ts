/** The page around the chat: its policy, its style sheets, its one script. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { bundleAttribute } from "./bundle";
import { contentPolicy } from "./contentPolicy";

export function pageHtml(webview: vscode.Webview, root: vscode.Uri): string {
  const nonce = randomBytes(18).toString("base64");
  const at = (file: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(root, "dist", "webview", file)).toString();
  const policy = contentPolicy(webview.cspSource, nonce);
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${at("codicon.css")}">
<link rel="stylesheet" href="${at("style.css")}">
<title>Steersman</title>
</head>
<body>
<div id="app" data-l10n="${bundleAttribute(vscode.l10n.bundle)}"></div>
<script nonce="${nonce}" src="${at("main.js")}"></script>
</body>
</html>`;
}

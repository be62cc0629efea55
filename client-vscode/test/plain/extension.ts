/**
 * What anybody would write to have the server in VS Code without our extension: a language client, with no options of its
 * initialisation, no feature of ours and no middleware. What is started, and for which documents, the settings say.
 */

import { workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(): Promise<void> {
  const settings = workspace.getConfiguration();
  const text = (name: string): string => settings.get<string>(name) ?? "";
  client = new LanguageClient(
    "plain",
    "Plain",
    {
      command: text("steersman.server.path"),
      args: ["serve"],
      options: {
        env: {
          ...process.env,
          STEERSMAN_MODEL: text("steersman.model"),
          STEERSMAN_BASE_URL: text("steersman.baseUrl"),
        },
      },
    },
    { documentSelector: (settings.get<string[]>("plain.schemes") ?? ["file"]).map((scheme) => ({ scheme })) },
  );
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** The API key of the model's provider. It is in VS Code's secret storage and passed only to the server's environment. */

import * as vscode from "vscode";

const SECRET = "steersman.apiKey";

export class Keys implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly listening: vscode.Disposable;
  /** The key was changed or removed, in any window. */
  readonly onDidChange = this.changes.event;

  constructor(private readonly secrets: vscode.SecretStorage) {
    this.listening = secrets.onDidChange(({ key }) => key === SECRET && this.changes.fire());
  }

  /** Undefined: none is stored, or the storage can't be read. */
  async get(): Promise<string | undefined> {
    return this.secrets.get(SECRET).then(
      (key) => key,
      () => undefined,
    );
  }

  /** Asks for a key and stores it. */
  async ask(): Promise<void> {
    const key = await vscode.window.showInputBox({
      title: vscode.l10n.t("API key for the model"),
      prompt: vscode.l10n.t("It is kept in VS Code's secret storage and given to the server only."),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) =>
        text.trim() === "" || /\s/.test(text.trim()) ? vscode.l10n.t("A key is one word.") : undefined,
    });
    if (key !== undefined) await this.secrets.store(SECRET, key.trim());
  }

  async remove(): Promise<void> {
    const had = (await this.get()) !== undefined;
    await this.secrets.delete(SECRET);
    void vscode.window.showInformationMessage(
      had ? vscode.l10n.t("The API key is removed.") : vscode.l10n.t("There was no API key."),
    );
  }

  dispose(): void {
    this.listening.dispose();
    this.changes.dispose();
  }
}

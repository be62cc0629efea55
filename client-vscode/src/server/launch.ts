/** How a server is started in this window: from settings, key and trust; found, or installed with progress. */

import { mkdir } from "node:fs/promises";
import * as vscode from "vscode";
import { serverEnvironment } from "./environment";
import { findServer, type SteersmanProgram } from "./find";
import type { Keys } from "./keys";
import { MakingProgress, type Notify } from "./makingProgress";
import { PrivateEnvironments } from "./privateEnvironment";
import { runProgram } from "./programs";
import { selectedInterpreter } from "./pythonExtension";
import type { Launcher } from "./server";
import { readSettings, type AllSettings } from "./settings";

/** Milliseconds between two marks that the private environment is in use. */
const IN_USE = 3600_000;

export class Launching implements vscode.Disposable {
  private readonly environments: PrivateEnvironments;
  private readonly folder: string;
  private inUse: NodeJS.Timeout | undefined;
  private ownOnly = false;

  constructor(
    context: vscode.ExtensionContext,
    private readonly version: string,
    private readonly keys: Keys,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.folder = vscode.Uri.joinPath(context.globalStorageUri, "server").fsPath;
    const bundled = vscode.Uri.joinPath(context.extensionUri, "bundled").fsPath;
    this.environments = new PrivateEnvironments(this.folder, bundled, version);
  }

  readonly launch: Launcher = async (step, signal) => {
    const settings = readSettings();
    const key = await this.keys.get();
    const env = serverEnvironment(process.env, settings, key, vscode.workspace.isTrusted);
    const program = await this.find(settings, step, signal);
    this.log.info(`Server: ${program.command} (${program.origin})`);
    this.keepInUse(program);
    const discard = (): Promise<void> => this.environments.discard(program.command);
    return program.origin === "private" ? { program, env, discard } : { program, env };
  };

  /** From now on, while this window lives, the server of a selected Python environment is not used. */
  useOwn(): void {
    this.ownOnly = true;
  }

  dispose(): void {
    clearInterval(this.inUse);
  }

  private async find(
    settings: AllSettings,
    step: (text: string) => void,
    signal: AbortSignal,
  ): Promise<SteersmanProgram> {
    const progress = new MakingProgress(signal, step, notify);
    // The server's proxy or package index is needed to install it, too.
    const env = { ...process.env, ...settings.env };
    const looking = { run: runProgram, env, cwd: this.folder, signal: progress.signal };
    const making = { ...looking, step: progress.step, log: (line: string) => this.log.info(line) };
    const isAsked = vscode.workspace.isTrusted && !this.ownOnly;
    const selected = isAsked ? selectedInterpreter : () => Promise.resolve(undefined);
    try {
      if (settings.path === "") await mkdir(this.folder, { recursive: true });
      return await findServer({ ...settings, selected }, this.environments, this.version, making, looking);
    } finally {
      progress.end();
    }
  }

  private keepInUse({ origin, command }: SteersmanProgram): void {
    clearInterval(this.inUse);
    if (origin === "private") this.inUse = setInterval(() => void this.environments.touch(command), IN_USE);
  }
}

/** A notification that can cancel what it tells of. */
const notify: Notify = (task) => {
  const options = { location: vscode.ProgressLocation.Notification, title: "Steersman", cancellable: true };
  void vscode.window.withProgress(options, (progress, token) =>
    task((message) => progress.report({ message }), (cancel) => void token.onCancellationRequested(cancel)),
  );
};

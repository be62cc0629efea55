/** The output channel for the messages between editor and server; it is created with the first message. */

import * as vscode from "vscode";

const SETTING = "steersman.trace.server";

/** The language client takes its trace level from this channel, which takes it from the setting: there is one switch only. */
export class TraceChannel implements vscode.LogOutputChannel {
  readonly name = "Steersman Trace";
  private channel: vscode.OutputChannel | undefined;
  private readonly levels = new vscode.EventEmitter<vscode.LogLevel>();
  private readonly listening: vscode.Disposable;
  readonly onDidChangeLogLevel = this.levels.event;

  constructor() {
    this.listening = vscode.workspace.onDidChangeConfiguration(
      (change) => change.affectsConfiguration(SETTING) && this.levels.fire(this.logLevel),
    );
  }

  get logLevel(): vscode.LogLevel {
    const setting = vscode.workspace.getConfiguration().get<string>(SETTING, "off");
    return setting === "off" ? vscode.LogLevel.Off : vscode.LogLevel.Trace;
  }

  trace(message: string): void {
    this.appendLine(message);
  }
  debug(message: string): void {
    this.appendLine(message);
  }
  info(message: string): void {
    this.appendLine(message);
  }
  warn(message: string): void {
    this.appendLine(message);
  }
  error(error: string | Error): void {
    this.appendLine(String(error));
  }
  append(value: string): void {
    this.made.append(value);
  }
  appendLine(value: string): void {
    this.made.appendLine(`${new Date().toISOString()} ${value}`);
  }
  replace(value: string): void {
    this.made.replace(value);
  }
  clear(): void {
    this.channel?.clear();
  }
  show(columnOrPreserveFocus?: vscode.ViewColumn | boolean, preserveFocus?: boolean): void {
    this.made.show(typeof columnOrPreserveFocus === "boolean" ? columnOrPreserveFocus : preserveFocus);
  }
  hide(): void {
    this.channel?.hide();
  }
  dispose(): void {
    this.listening.dispose();
    this.levels.dispose();
    this.channel?.dispose();
  }

  private get made(): vscode.OutputChannel {
    return (this.channel ??= vscode.window.createOutputChannel(this.name));
  }
}

/** What the composer completes: files, folders, symbols, selection and diagnostics after `@`, commands and templates after `/`. */

import * as vscode from "vscode";
import type { TemplateInfo } from "../protocol";
import type { Handlers } from "../view/bridge";
import type { Commander } from "../view/commander";
import { foldersOf } from "../view/completion/folders";
import { best } from "../view/completion/fuzzy";
import { ignored } from "../view/completion/ignored";
import { slashItems, type ChatCommand } from "../view/completion/slash";
import { symbolItem } from "../view/completion/symbols";
import type { Completion } from "../view/messages";
import { mention, pathFrom } from "./mention";

const MOST_FILES = 20_000;
const MOST_SHOWN = 40;
const MOST_SYMBOLS = 10;
/** Milliseconds to wait for symbols: language servers may be slow, and the files are ready at once. */
const SYMBOLS_MS = 300;
/** Milliseconds after which what is known of the workspace is fetched again. */
const FRESH_MS = 5000;
const MOST_GITIGNORE = 100_000;

interface Places {
  /** Relative to the workspace, with `/`. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Caches an answer for a while if it is `worth` it, and asks only once at a time. */
class Fresh<T> {
  private at = -FRESH_MS;
  private value: Promise<T> | undefined;

  constructor(
    private readonly ask: () => Promise<T>,
    private readonly worth: (value: T) => boolean,
  ) {}

  get(): Promise<T> {
    const now = performance.now();
    if (this.value && now - this.at < FRESH_MS) return this.value;
    this.at = now;
    const value = this.ask();
    const forget = (): void => {
      if (this.value === value) this.value = undefined;
    };
    value.then((answer) => this.worth(answer) || forget(), forget);
    this.value = value;
    return value;
  }
}

export class Completions implements vscode.Disposable {
  private asking: vscode.CancellationTokenSource | undefined;
  // VS Code may not know its folders yet when it has just started.
  private readonly places = new Fresh<Places>(findPlaces, ({ files }) => files.length > 0);
  private readonly templates: Fresh<readonly TemplateInfo[]>;

  constructor(server: Commander) {
    const ask = async (): Promise<readonly TemplateInfo[]> =>
      (await server.execute("steersman.templates", {})).templates;
    this.templates = new Fresh(ask, () => true);
  }

  readonly handlers: Handlers = {
    complete: async ({ trigger, query }) => {
      // Nobody waits for the answer to the previous query any more.
      this.asking?.cancel();
      this.asking?.dispose();
      const asking = new vscode.CancellationTokenSource();
      this.asking = asking;
      const items = trigger === "/" ? await this.slash(query) : await this.at(query, asking.token);
      return { items };
    },
  };

  dispose(): void {
    this.asking?.cancel();
    this.asking?.dispose();
  }

  private async slash(query: string): Promise<readonly Completion[]> {
    const templates = await this.templates.get().catch(() => []);
    return slashItems(query, chatCommands(), templates);
  }

  private async at(query: string, token: vscode.CancellationToken): Promise<readonly Completion[]> {
    const symbols = query.length >= 2 ? findSymbols(query, token) : Promise.resolve([]);
    const { files, folders } = await this.places.get();
    if (token.isCancellationRequested) return [];
    const recent = openFiles();
    const ordered = [...recent, ...files.filter((file) => !recent.includes(file)), ...folders];
    const paths = best(query, ordered, (path) => path, MOST_SHOWN).map(ofPath);
    const special = best(query, editorItems(), ({ label }) => label.slice(1), 2);
    return [...special, ...paths, ...(await symbols)];
  }
}

function chatCommands(): readonly ChatCommand[] {
  return [
    { name: "new", detail: vscode.l10n.t("Begin a new session"), icon: "add" },
    { name: "compact", detail: vscode.l10n.t("Summarise old messages to make room"), icon: "fold" },
    { name: "export", detail: vscode.l10n.t("Save the transcript as a file"), icon: "export" },
    { name: "continue", detail: vscode.l10n.t("Go on where the last run ended"), icon: "debug-continue" },
  ];
}

function editorItems(): Completion[] {
  return [
    {
      label: "@selection",
      detail: vscode.l10n.t("What is selected in the editor"),
      icon: "list-selection",
      insert: "@selection",
      attach: "selection",
    },
    {
      label: "@diagnostics",
      detail: vscode.l10n.t("Problems of the open files"),
      icon: "warning",
      insert: "@diagnostics",
      attach: "diagnostics",
    },
  ];
}

function ofPath(path: string): Completion {
  const folder = path.endsWith("/");
  const slash = path.lastIndexOf("/", path.length - 2);
  const detail = path.slice(0, Math.max(slash, 0));
  return {
    label: path.slice(slash + 1),
    icon: folder ? "folder" : "file",
    insert: mention(path),
    ...(detail === "" ? {} : { detail }),
  };
}

/** Files in tabs, which are most likely meant. */
function openFiles(): string[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const uris = tabs.map((tab) => (tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined));
  const paths = uris.map((uri) => (uri?.scheme === "file" ? relative(uri) : undefined));
  return [...new Set(paths.filter((path) => path !== undefined))];
}

/** The path as the server reads it in a mention. Undefined: outside all workspace folders. */
function relative(uri: vscode.Uri): string | undefined {
  if (!vscode.workspace.getWorkspaceFolder(uri)) return undefined;
  const folders = (vscode.workspace.workspaceFolders ?? []).map((each) => ({ path: each.uri.path, name: each.name }));
  return pathFrom(uri.path, folders);
}

async function findPlaces(): Promise<Places> {
  const found = await Promise.all((vscode.workspace.workspaceFolders ?? []).map(findIn));
  const files = found.flat().slice(0, MOST_FILES);
  return { files, folders: foldersOf(files) };
}

async function findIn(folder: vscode.WorkspaceFolder): Promise<string[]> {
  const settings = ["files", "search"].map((section) =>
    vscode.workspace.getConfiguration(section, folder).get<Record<string, unknown>>("exclude", {}),
  );
  const exclude = new vscode.RelativePattern(folder, ignored(settings, await gitignore(folder)));
  const uris = await vscode.workspace.findFiles(new vscode.RelativePattern(folder, "**/*"), exclude, MOST_FILES);
  return uris.map(relative).filter((path) => path !== undefined).sort();
}

async function gitignore(folder: vscode.WorkspaceFolder): Promise<string> {
  try {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder.uri, ".gitignore"));
    return new TextDecoder().decode(bytes.subarray(0, MOST_GITIGNORE));
  } catch {
    return "";
  }
}

async function findSymbols(query: string, token: vscode.CancellationToken): Promise<readonly Completion[]> {
  const late = new Promise<undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), SYMBOLS_MS);
    token.onCancellationRequested(() => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
  const asked = vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    "vscode.executeWorkspaceSymbolProvider",
    query,
  );
  const found = await Promise.race([Promise.resolve(asked).catch(() => undefined), late]);
  return best(query, found ?? [], ({ name }) => name, MOST_SYMBOLS).flatMap(ofSymbol);
}

function ofSymbol(symbol: vscode.SymbolInformation): Completion[] {
  const path = relative(symbol.location.uri);
  if (path === undefined) return [];
  return [symbolItem(symbol, path)];
}

/** The two sides of a proposal as documents in a small in-memory file system. It knows no question. */

import * as vscode from "vscode";

export const SCHEME = "steersman-proposal";

/** Identifies a document: one side of one file of a question. */
export interface Place {
  readonly id: string;
  readonly index: number;
  readonly side: "before" | "proposed";
}

/** Has the file's path in the workspace (with the folder's name if there are several), which gives it its language and label. */
export function uriOf({ id, index, side }: Place, file: vscode.Uri): vscode.Uri {
  const path = vscode.workspace.asRelativePath(file).replaceAll("\\", "/");
  return vscode.Uri.from({ scheme: SCHEME, authority: `${id}.${index}.${side}`, path: `/${path.replace(/^\/+/, "")}` });
}

export function placeOf(uri: vscode.Uri): Place | undefined {
  const match = uri.scheme === SCHEME ? /^(.+)\.(\d+)\.(before|proposed)$/.exec(uri.authority) : null;
  const [, id, index, side] = match ?? [];
  if (id === undefined || index === undefined) return undefined;
  return { id, index: Number(index), side: side === "before" ? "before" : "proposed" };
}

interface Entry {
  text: string;
  mtime: number;
  readonly ctime: number;
  readonly: boolean;
}

// With a byte order mark VS Code reads UTF-8 whatever `files.encoding` says; it removes the mark.
const MARK = "\ufeff";

export class ProposalFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly writes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChangeFile = this.changes.event;
  /** The user has saved a document. */
  readonly onDidWrite = this.writes.event;

  /** Creates a document or replaces its text. The editor shows the text unless the document has unsaved changes. */
  put(uri: vscode.Uri, text: string, readonly: boolean): void {
    const before = this.entries.get(uri.toString());
    if (before?.text === text && before.readonly === readonly) return;
    // VS Code reads a file again only if its modification time has increased.
    const mtime = Math.max(Date.now(), (before?.mtime ?? 0) + 1);
    this.entries.set(uri.toString(), { text, mtime, ctime: before?.ctime ?? mtime, readonly });
    const type = before ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created;
    this.changes.fire([{ type, uri }]);
  }

  text(uri: vscode.Uri): string | undefined {
    return this.entries.get(uri.toString())?.text;
  }

  /** Makes a question's documents read-only. */
  freeze(id: string): void {
    for (const [key, entry] of this.entries) {
      const uri = vscode.Uri.parse(key, true);
      if (placeOf(uri)?.id === id) this.put(uri, entry.text, true);
    }
  }

  forget(id: string): void {
    for (const key of [...this.entries.keys()]) {
      if (placeOf(vscode.Uri.parse(key, true))?.id === id) this.entries.delete(key);
    }
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { text, ctime, mtime, readonly } = this.entry(uri);
    const size = Buffer.byteLength(MARK + text);
    const permissions = readonly ? { permissions: vscode.FilePermission.Readonly } : {};
    return { type: vscode.FileType.File, ctime, mtime, size, ...permissions };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return Buffer.from(MARK + this.entry(uri).text);
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const before = this.entries.get(uri.toString());
    if (before?.readonly) throw vscode.FileSystemError.NoPermissions(uri);
    // An unknown document was left unsaved by an earlier window: accepted, so that its tab can be closed.
    const text = Buffer.from(content).toString("utf8").replace(MARK, "");
    const mtime = Math.max(Date.now(), (before?.mtime ?? 0) + 1);
    this.entries.set(uri.toString(), { text, mtime, ctime: before?.ctime ?? mtime, readonly: false });
    this.writes.fire(uri);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.changes.dispose();
    this.writes.dispose();
  }

  private entry(uri: vscode.Uri): Entry {
    const entry = this.entries.get(uri.toString());
    if (!entry) throw vscode.FileSystemError.FileNotFound(uri);
    return entry;
  }
}

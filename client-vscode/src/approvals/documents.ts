/** Both sides of a proposal as documents: a small file system in memory. It knows no question. */

import * as vscode from "vscode";

export const SCHEME = "steersman-proposal";

/** Which document: a side of a file of a question. */
export interface Place {
  readonly id: string;
  readonly index: number;
  readonly side: "before" | "proposed";
}

/** Its path is the file's own in the workspace, of several folders with the folder's name: so are language and labels. */
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

// A mark at the beginning has the editor read UTF-8 whatever `files.encoding` says; it takes the mark off again.
const MARK = "\ufeff";

export class ProposalFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly writes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChangeFile = this.changes.event;
  /** A document was saved by its user. */
  readonly onDidWrite = this.writes.event;

  /** Makes a document, or gives it another text, which the editor shows unless it holds unsaved changes. */
  put(uri: vscode.Uri, text: string, readonly: boolean): void {
    const before = this.entries.get(uri.toString());
    if (before?.text === text && before.readonly === readonly) return;
    // The editor reads a file again only where its time has moved on.
    const mtime = Math.max(Date.now(), (before?.mtime ?? 0) + 1);
    this.entries.set(uri.toString(), { text, mtime, ctime: before?.ctime ?? mtime, readonly });
    const type = before ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created;
    this.changes.fire([{ type, uri }]);
  }

  text(uri: vscode.Uri): string | undefined {
    return this.entries.get(uri.toString())?.text;
  }

  /** What is left of a question can be read and no more. */
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
    // One that is not known is what an earlier window left unsaved: it is taken so that its tab can be closed.
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

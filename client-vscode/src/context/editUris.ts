/** Which files a workspace edit concerns. Pure. */

/** Enough of a `WorkspaceEdit` of LSP. */
export interface WorkspaceEditLike {
  readonly changes?: Readonly<Record<string, unknown>>;
  readonly documentChanges?: readonly object[];
}

/** URIs of the files whose text it changes, each once. */
export function editedIn(edit: WorkspaceEditLike): string[] {
  return urisIn(edit, ({ textDocument }) => [textDocument?.uri]);
}

/** URIs of the files that it changes, deletes, moves or replaces, each once. */
export function touchedIn(edit: WorkspaceEditLike): string[] {
  return urisIn(edit, ({ textDocument, uri, oldUri, newUri }) => [textDocument?.uri, uri, oldUri, newUri]);
}

/** Any of `TextDocumentEdit`, `CreateFile`, `RenameFile`, `DeleteFile`. */
interface ChangeLike {
  readonly textDocument?: { readonly uri: string };
  readonly uri?: string;
  readonly oldUri?: string;
  readonly newUri?: string;
}

function urisIn({ changes, documentChanges }: WorkspaceEditLike, of: (change: ChangeLike) => (string | undefined)[]): string[] {
  const named = documentChanges?.flatMap((change) => of(change)) ?? Object.keys(changes ?? {});
  return [...new Set(named.filter((uri) => uri !== undefined))];
}

/**
 * Knows which documents hold nothing unsaved but the agent's edits, and may therefore be saved for it. Pure.
 *
 * The server asks to save only such documents, but only the editor knows what is typed while the request is on its way.
 */

/** A document's state at a moment. */
export interface Standing {
  readonly version: number;
  readonly dirty: boolean;
}

/** An edit by the agent that is under way. */
export interface Bracket {
  readonly uri: string;
  /** Before it, the user had nothing unsaved. */
  readonly clean: boolean;
  changes: number;
}

export class OwnEdits {
  /** By URI, the version after the agent's last edit. */
  private readonly versions = new Map<string, number>();
  private readonly open = new Set<Bracket>();

  /** `before` is the document's state now; undefined if it isn't open. */
  begin(uri: string, before: Standing | undefined): Bracket {
    const clean = before !== undefined && (!before.dirty || this.versions.get(uri) === before.version);
    const bracket = { uri, clean, changes: 0 };
    this.open.add(bracket);
    return bracket;
  }

  /** The document's text was changed, by anyone. */
  changed(uri: string): void {
    for (const bracket of this.open) if (bracket.uri === uri) bracket.changes += 1;
  }

  /** The edit was made or failed. One change is the edit's own; a second one means that the user typed meanwhile. */
  end(bracket: Bracket, after: Standing | undefined): void {
    this.open.delete(bracket);
    if (bracket.clean && bracket.changes === 1 && after !== undefined) this.versions.set(bracket.uri, after.version);
  }

  /** It was saved or closed: what is unsaved from now on may be the user's. */
  forget(uri: string): void {
    this.versions.delete(uri);
  }

  /** Whether saving it writes only the agent's edits. */
  mayBeSaved(uri: string, now: Standing): boolean {
    return now.dirty && this.versions.get(uri) === now.version;
  }
}

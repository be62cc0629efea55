/**
 * Which documents hold nothing unsaved but the agent's edits: those that may be saved for it. Pure.
 *
 * The server asks only for such; what is typed while its request is under way is known only here.
 */

/** A document at a moment. */
export interface Standing {
  readonly version: number;
  readonly dirty: boolean;
}

/** An edit of the agent's that is being made. */
export interface Bracket {
  readonly uri: string;
  /** Nothing of the user's was unsaved before it. */
  readonly clean: boolean;
  changes: number;
}

export class OwnEdits {
  /** By URI the version after the agent's last edit. */
  private readonly versions = new Map<string, number>();
  private readonly open = new Set<Bracket>();

  /** `before` is the document as it stands, or undefined if it isn't open. */
  begin(uri: string, before: Standing | undefined): Bracket {
    const clean = before !== undefined && (!before.dirty || this.versions.get(uri) === before.version);
    const bracket = { uri, clean, changes: 0 };
    this.open.add(bracket);
    return bracket;
  }

  /** The document's text has changed, whoever did it. */
  changed(uri: string): void {
    for (const bracket of this.open) if (bracket.uri === uri) bracket.changes += 1;
  }

  /** The edit was made, or was not. One change is the edit's; a second is somebody's who typed meanwhile. */
  end(bracket: Bracket, after: Standing | undefined): void {
    this.open.delete(bracket);
    if (bracket.clean && bracket.changes === 1 && after !== undefined) this.versions.set(bracket.uri, after.version);
  }

  /** Saved or closed: what is typed from now on is the user's. */
  forget(uri: string): void {
    this.versions.delete(uri);
  }

  /** Whether saving it writes nothing but what the agent has done. */
  mayBeSaved(uri: string, now: Standing): boolean {
    return now.dirty && this.versions.get(uri) === now.version;
  }
}

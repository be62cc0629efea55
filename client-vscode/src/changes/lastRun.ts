/** What the live runs, and the one that ended last, have changed, according to the event stream. Pure. */

import type { Event } from "../protocol";

export interface ChangedFile {
  readonly uri: string;
  readonly added: number;
  readonly removed: number;
}

export interface RunChanges {
  readonly session: string;
  /** Id of the run that began with the user's message, which names the checkpoint. Null: it was not seen. */
  readonly checkpoint: string | null;
  readonly live: boolean;
  /** By URI as the server spells it, in the order of their first change, without deleted files. */
  readonly files: ReadonlyMap<string, ChangedFile>;
}

export class LastRuns {
  private runs: readonly RunChanges[] = [];

  /** The runs with at least one changed file. */
  get changed(): readonly RunChanges[] {
    return this.runs.filter(({ files }) => files.size > 0);
  }

  /** The latest run that changed a file, and how; `isWanted` recognises the file's URI. */
  of(isWanted: (uri: string) => boolean): { readonly run: RunChanges; readonly file: ChangedFile } | undefined {
    for (const run of [...this.runs].reverse()) {
      for (const file of run.files.values()) if (isWanted(file.uri)) return { run, file };
    }
    return undefined;
  }

  /** Takes in an event of any session. False: nothing has changed. */
  apply(event: Event): boolean {
    const before = this.runs;
    switch (event.type) {
      case "agent_start":
        this.began(event.session, event.data.inputs.length > 0 ? (event.run ?? null) : undefined);
        break;
      case "edit_applied":
        // An edit outside a run is a revert's, or a tool's that would not stop.
        if (event.run !== undefined) this.edit(event.session, event.data);
        break;
      case "agent_end":
        this.change(event.session, (run) => ({ ...run, live: false }));
        break;
      case "revert_end": {
        const back = event.data.files.filter(({ outcome }) => ["restored", "deleted", "done", "kept"].includes(outcome));
        this.change(event.session, (run) => ({ ...run, files: without(run.files, back.map(({ uri }) => uri)) }));
        break;
      }
      default:
        break;
    }
    return this.runs !== before;
  }

  /** The user has seen it. */
  dismiss(): void {
    this.runs = this.runs.filter(({ live }) => live).map((run) => ({ ...run, files: new Map() }));
  }

  /** The server has gone, and its runs with it. */
  stopped(): void {
    this.runs = this.runs.map((run) => ({ ...run, live: false }));
  }

  /** `checkpoint` undefined: the session continues its previous run, without a message of the user. */
  private began(session: string, checkpoint: string | null | undefined): void {
    const earlier = this.runs.find((run) => run.session === session);
    const others = this.runs.filter((run) => run.session !== session && run.live);
    const fresh: RunChanges =
      checkpoint === undefined && earlier
        ? { ...earlier, live: true }
        : { session, checkpoint: checkpoint ?? null, live: true, files: new Map() };
    this.runs = [...others, fresh];
  }

  private edit(session: string, { uri, target, kind, added, removed }: EditApplied): void {
    this.change(session, (run) => {
      const files = new Map(run.files);
      const name = target ?? uri;
      const known = files.get(name) ?? files.get(uri);
      if (target !== undefined || kind === "delete") files.delete(uri);
      if (kind !== "delete") {
        const sums = { added: (known?.added ?? 0) + added, removed: (known?.removed ?? 0) + removed };
        files.set(name, { uri: name, ...sums });
      }
      return { ...run, files };
    });
  }

  private change(session: string, how: (run: RunChanges) => RunChanges): void {
    if (this.runs.some((run) => run.session === session)) {
      this.runs = this.runs.map((run) => (run.session === session ? how(run) : run));
    }
  }
}

type EditApplied = Extract<Event, { type: "edit_applied" }>["data"];

function without(files: ReadonlyMap<string, ChangedFile>, uris: readonly string[]): ReadonlyMap<string, ChangedFile> {
  return new Map([...files].filter(([uri]) => !uris.includes(uri)));
}

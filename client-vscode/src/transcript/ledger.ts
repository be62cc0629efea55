/**
 * All entries of a session and the tree to which they belong; the branch at the tip is shown. A `Ledger` is created for each
 * batch of events from the state after the previous batch, and copies a part of that only if it changes it. Pure.
 */

import type { Entry, ToolEntry } from "./entries";

interface Node {
  readonly parent: string | null;
  /** Tokens of the conversation up to here; null: not known yet. */
  readonly tokens: number | null;
}

/** Null: before the first node. `FILES`: shown on every branch, because it is about files. */
type Anchor = string | null;
const FILES = "files";

export interface LedgerState {
  /** In the order in which they came. */
  readonly all: readonly Entry[];
  /** The node of each entry. */
  readonly anchors: readonly Anchor[];
  /** Index in `all` by the ids of entries and tool calls. */
  readonly places: ReadonlyMap<string, number>;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly tip: Anchor;
  /** Indices in `all` of what is shown; null: all. */
  readonly shown: readonly number[] | null;
}

export const EMPTY: LedgerState = {
  all: [],
  anchors: [],
  places: new Map(),
  nodes: new Map(),
  tip: null,
  shown: null,
};

export class Ledger {
  private readonly all: Copied<readonly Entry[], Entry[]>;
  private readonly anchors: Copied<readonly Anchor[], Anchor[]>;
  private readonly places: Copied<ReadonlyMap<string, number>, Map<string, number>>;
  private readonly nodes: Copied<ReadonlyMap<string, Node>, Map<string, Node>>;
  private tip: Anchor;
  private shown: readonly number[] | null;

  constructor(private readonly before: LedgerState) {
    this.all = new Copied(before.all, (all) => [...all]);
    this.anchors = new Copied(before.anchors, (anchors) => [...anchors]);
    this.places = new Copied(before.places, (places) => new Map(places));
    this.nodes = new Copied(before.nodes, (nodes) => new Map(nodes));
    this.tip = before.tip;
    this.shown = before.shown;
  }

  /** The same object as before if nothing has changed. */
  get state(): LedgerState {
    const { before, tip, shown } = this;
    const [all, anchors, places, nodes] = [this.all.now, this.anchors.now, this.places.now, this.nodes.now];
    if (all === before.all && nodes === before.nodes && tip === before.tip && shown === before.shown) return before;
    return { all, anchors, places, nodes, tip, shown };
  }

  knows(node: string): boolean {
    return this.nodes.now.has(node);
  }

  /** Adds a node, which becomes the tip. `tokens`: of the conversation up to here, if known. */
  node(id: string, parent: Anchor, tokens?: number): void {
    const inherited = parent === null ? null : (this.nodes.now.get(parent)?.tokens ?? null);
    this.nodes.mine().set(id, { parent, tokens: tokens ?? inherited });
    const follows = parent === this.tip;
    this.tip = id;
    if (!follows) this.choose();
  }

  /** Moves to another node, which the next one will follow. */
  moveTo(tip: Anchor): void {
    if (tip === this.tip) return;
    this.tip = tip;
    this.choose();
  }

  /** Adds an entry to the current branch. */
  add(entry: Entry): void {
    this.put(entry, this.tip);
  }

  /** Adds an entry that is shown on every branch. */
  addOfFiles(entry: Entry): void {
    this.put(entry, FILES);
  }

  has(id: string): boolean {
    return this.places.now.has(id);
  }

  /** Changes a call by its id in events; an unknown id changes nothing. */
  changeCall(callId: string, change: (call: ToolEntry) => ToolEntry): void {
    this.change(callId, (entry) => (entry.kind === "tool" ? change(entry) : entry));
  }

  change(id: string, change: (entry: Entry) => Entry): void {
    const place = this.places.now.get(id);
    const entry = place === undefined ? undefined : this.all.now[place];
    if (place === undefined || entry === undefined) return;
    const after = change(entry);
    if (after !== entry) this.all.mine()[place] = after;
  }

  private put(entry: Entry, anchor: Anchor): void {
    const place = this.all.now.length;
    this.all.mine().push(entry);
    this.anchors.mine().push(anchor);
    this.places.mine().set(entry.id, place);
    if (entry.kind === "tool" && entry.callId) this.places.mine().set(entry.callId, place);
    if (this.shown) this.shown = [...this.shown, place];
  }

  /** Selects the entries on the path from the first node to the tip. */
  private choose(): void {
    const path = new Set<Anchor>([null, FILES]);
    for (let at = this.tip; at !== null && !path.has(at); at = this.nodes.now.get(at)?.parent ?? null) path.add(at);
    const anchors = this.anchors.now;
    const shown = [...anchors.keys()].filter((place) => path.has(anchors[place] ?? null));
    this.shown = shown.length === anchors.length ? null : shown;
  }
}

/** The entries that are shown. The same array as long as these are all entries and nothing has changed. */
export function shownOf({ all, shown }: LedgerState): readonly Entry[] {
  return shown ? shown.flatMap((place) => all[place] ?? []) : all;
}

/** A value that is copied before it is first changed. */
class Copied<R extends object, T extends R> {
  private copied: T | undefined;

  constructor(
    private readonly original: R,
    private readonly copy: (value: R) => T,
  ) {}

  get now(): R {
    return this.copied ?? this.original;
  }

  mine(): T {
    return (this.copied ??= this.copy(this.original));
  }
}

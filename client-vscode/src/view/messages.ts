/**
 * What the chat page and the extension host say to each other. Both import only this.
 *
 * The page calls (`ViewCalls`, each has one answer or one failure); the host pushes (`Push`), and a page that says
 * `ready` gets everything anew, so that a reloaded page needs no memory of its own.
 */

import type {
  ApprovalAnswer,
  ApprovalRequest,
  Event,
  FileToRevert,
  QueueAnswer,
  QueuedItem,
  SessionTotals,
  StreamedMessage,
} from "../protocol";
import type { Problem, Remedy } from "../server/problem";

export type ServerView =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting"; readonly step: string }
  | { readonly kind: "running"; readonly version: string }
  | { readonly kind: "failed"; readonly problem: Problem };

export type Mode = SessionTotals["mode"];

/** The session that the page shows; null `id`: one that will be made by the next message. */
export interface SessionView {
  readonly id: string | null;
  readonly title: string | null;
  /** `PROVIDER:NAME`, or null: none is configured. */
  readonly model: string | null;
  readonly mode: Mode;
  /** The live run. */
  readonly run: string | null;
  /** What it is doing, as the event `state` says; `idle` and `interrupted` without a run. */
  readonly state: string;
  readonly queue: readonly QueuedItem[];
  /** Another process works in it: it can be read only. */
  readonly locked: boolean;
  /** Milliseconds since 1970 when the live run began, where it is known. */
  readonly startedAt?: number;
  /** Why it can't be worked in, though nobody else does: a sentence. */
  readonly refusal?: string;
}

/** A thing that the composer can insert: shown as `label`, written as `insert`. */
export interface Completion {
  readonly label: string;
  readonly detail?: string;
  /** A codicon's name. */
  readonly icon: string;
  readonly insert: string;
  /** For `@selection` and the like: what goes with the message when this is in it. */
  readonly attach?: "selection" | "diagnostics";
}

/** An image that was pasted: base64 of its bytes. */
export interface PastedImage {
  readonly mimeType: string;
  readonly data: string;
}

/** What a person wrote: kept by the host while it is typed, so that no reload loses it. */
export interface Draft {
  readonly text: string;
  readonly images: readonly PastedImage[];
}

/** A question as the page shows it. */
export interface PendingApproval {
  readonly request: ApprovalRequest;
  /** Of its session, where it has one. */
  readonly sessionTitle: string | null;
  /** URIs of the window's folders, from which its files are named. */
  readonly roots: readonly string[];
  /** Hunks that the user has chosen in the editor, by CodeLens; null: all. */
  readonly chosenHunks: readonly string[] | null;
  /** The user has changed the proposed side in the editor. */
  readonly edited: boolean;
  /** Milliseconds since 1970 when it was first shown: buttons are inert for the first half second. */
  readonly shownAt: number;
}

/** A question of the model's, waiting for a line of text. */
export interface PendingInput {
  readonly toolCallId: string;
  readonly session: string;
  readonly prompt: string;
  readonly options: readonly string[];
}

/** What a choice of the pickers offers. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
}

export interface RevertPreview {
  readonly checkpoint: string;
  readonly files: readonly FileToRevert[];
  readonly commands: readonly string[];
  readonly notRevertible: readonly string[];
  /** By URI how a file is called in this workspace. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Name → what it takes and what it answers. */
export interface ViewCalls {
  /** `now`: starts a run, or steers the live one. `later`: a follow-up. */
  submit: {
    params: { draft: Draft; when: "now" | "later"; attach: readonly ("selection" | "diagnostics")[] };
    answer: { disposition: "started" | "steered" | "queued" };
  };
  stop: { params: object; answer: object };
  continueRun: { params: object; answer: object };
  newSession: { params: object; answer: object };
  openSession: { params: { session: string }; answer: object };
  rename: { params: { title: string }; answer: object };
  queue: {
    params: { op: "edit" | "remove" | "move"; id: string; text?: string; to?: number; kind?: QueuedItem["kind"] };
    answer: QueueAnswer;
  };
  configure: { params: { model?: string; mode?: NonNullable<Mode> }; answer: object };
  models: { params: object; answer: { choices: readonly Choice[] } };
  /** Opens the picker of all models, and sets what is chosen there. */
  pickModel: { params: object; answer: object };
  complete: {
    params: { trigger: "@" | "/"; query: string };
    answer: { items: readonly Completion[] };
  };
  approve: { params: { id: string; answer: ApprovalAnswer }; answer: object };
  answerInput: { params: { toolCallId: string; text: string | null }; answer: object };
  /** `uri`: of one of the files; without, all are shown. */
  showDiff: { params: { id: string; uri?: string }; answer: object };
  /** The page has the keyboard's focus, or no longer: a diff that opens must not take it from an editor. */
  pageFocus: { params: { focused: boolean }; answer: object };
  /** Opens a file of the workspace; `line` counts from 1. */
  showFile: { params: { uri: string; line?: number }; answer: object };
  openLink: { params: { href: string }; answer: object };
  copy: { params: { text: string }; answer: object };
  insertAtCursor: { params: { text: string }; answer: object };
  /**
   * `here`: this session goes on from before `message`, whose text comes back into the composer. `new` without a
   * message: a copy of all of it.
   */
  fork: { params: { message?: string; place: "here" | "new" }; answer: object };
  revertPreview: { params: { checkpoint: string }; answer: RevertPreview };
  revert: {
    params: {
      checkpoint: string;
      onConflict: Readonly<Record<string, "restore" | "keep" | "skip">>;
    };
    answer: object;
  };
  /** Does what a button of a problem says. */
  remedy: { params: Remedy; answer: object };
  /** Shows where trust in the workspace is given. */
  manageTrust: { params: object; answer: object };
  exportSession: { params: object; answer: object };
  /** Has old messages summarised; `instructions`: what the summary should see to. */
  compact: { params: { instructions?: string }; answer: object };
}

export type CallName = keyof ViewCalls;

export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "draft"; readonly draft: Draft }
  /** The draft's text has changed, its images have not: these are large. */
  | { readonly type: "draftText"; readonly text: string }
  /** Is there still a host? It answers by `pong`. */
  | { readonly type: "ping" }
  | {
      [K in CallName]: {
        readonly type: "call";
        readonly id: number;
        readonly name: K;
        readonly params: ViewCalls[K]["params"];
      };
    }[CallName];

export type Push =
  | { readonly type: "server"; readonly server: ServerView }
  /** Whether the workspace is trusted: without it nothing of its own is followed, and no mode is looser than `ask`. */
  | { readonly type: "trust"; readonly trusted: boolean }
  | { readonly type: "session"; readonly session: SessionView }
  /** `reset`: what was shown goes; these are the first events of the session in `session`. */
  | { readonly type: "events"; readonly events: readonly Event[]; readonly reset?: boolean }
  | { readonly type: "streaming"; readonly message: StreamedMessage }
  | { readonly type: "approvals"; readonly pending: readonly PendingApproval[] }
  | { readonly type: "inputs"; readonly pending: readonly PendingInput[] }
  /** Replaces what is in the composer, or is put before or after what is there. */
  | { readonly type: "draft"; readonly draft: Draft; readonly how: "replace" | "prepend" | "append" }
  | { readonly type: "focus" }
  | { readonly type: "pong" }
  | { readonly type: "answer"; readonly id: number; readonly answer: object }
  | { readonly type: "failure"; readonly id: number; readonly code: string; readonly message: string };

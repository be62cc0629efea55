/**
 * The messages between the chat page and the extension host.
 *
 * The page calls (`ViewCalls`, each with one answer or one failure); the host pushes (`Push`). A page that says `ready` gets
 * everything from the start, so that a reloaded page needs no memory of its own.
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

/** The session that the page shows; `id` null: the next message creates it. */
export interface SessionView {
  readonly id: string | null;
  readonly title: string | null;
  /** `PROVIDER:NAME`, or null: none is configured. */
  readonly model: string | null;
  readonly mode: Mode;
  /** The live run. */
  readonly run: string | null;
  /** What it is doing, as in the event `state`; without a run, `idle` or `interrupted`. */
  readonly state: string;
  readonly queue: readonly QueuedItem[];
  /** Another process works in it, so it is read-only here. */
  readonly locked: boolean;
  /** Milliseconds since 1970 when the live run began, where it is known. */
  readonly startedAt?: number;
  /** Why it can't be worked in, although no other process does: a sentence. */
  readonly refusal?: string;
}

/** Something that the composer can insert: shown as `label`, written as `insert`. */
export interface Completion {
  readonly label: string;
  readonly detail?: string;
  /** A codicon's name. */
  readonly icon: string;
  readonly insert: string;
  /** For `@selection` and `@diagnostics`: what to send with a message that contains this. */
  readonly attach?: "selection" | "diagnostics";
}

/** A pasted image; `data` is base64. */
export interface PastedImage {
  readonly mimeType: string;
  readonly data: string;
}

/** What the user is writing. The host stores it as it is typed, so that no reload loses it. */
export interface Draft {
  readonly text: string;
  readonly images: readonly PastedImage[];
}

/** A question as the page shows it. */
export interface PendingApproval {
  readonly request: ApprovalRequest;
  /** The title of its session, if it has one. */
  readonly sessionTitle: string | null;
  /** URIs of the window's folders; file names are relative to them. */
  readonly roots: readonly string[];
  /** Ids of the hunks that the user has chosen with CodeLenses in the editor; null: all. */
  readonly chosenHunks: readonly string[] | null;
  /** The user has edited the proposed side in the editor. */
  readonly edited: boolean;
  /** Milliseconds since 1970 when it was first shown; its buttons are inert for the first half second. */
  readonly shownAt: number;
}

/** A question from the model that waits for a line of text. */
export interface PendingInput {
  readonly toolCallId: string;
  readonly session: string;
  readonly prompt: string;
  readonly options: readonly string[];
}

/** A choice in a picker. */
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
  /** By URI, a file's name in this workspace. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The page's calls by name, with what they take and answer. */
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
  /** Opens the picker of all models and sets the chosen one. */
  pickModel: { params: object; answer: object };
  complete: {
    params: { trigger: "@" | "/"; query: string };
    answer: { items: readonly Completion[] };
  };
  approve: { params: { id: string; answer: ApprovalAnswer }; answer: object };
  answerInput: { params: { session: string; toolCallId: string; text: string | null }; answer: object };
  /** `uri`: of the file to show; without it, all. */
  showDiff: { params: { id: string; uri?: string }; answer: object };
  /** The page gained or lost the keyboard focus: a diff that opens must not take it from an editor. */
  pageFocus: { params: { focused: boolean }; answer: object };
  /** Opens a file of the workspace; `line` counts from 1. */
  showFile: { params: { uri: string; line?: number }; answer: object };
  openLink: { params: { href: string }; answer: object };
  copy: { params: { text: string }; answer: object };
  insertAtCursor: { params: { text: string }; answer: object };
  /**
   * `here`: continues this session from before `message`, whose text returns to the composer. `new` without a message:
   * copies the whole session.
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
  /** Does what the button of a problem says. */
  remedy: { params: Remedy; answer: object };
  /** Opens VS Code's editor for Workspace Trust. */
  manageTrust: { params: object; answer: object };
  exportSession: { params: object; answer: object };
  /** Has old messages summarised; `instructions`: what the summary should pay attention to. */
  compact: { params: { instructions?: string }; answer: object };
}

export type CallName = keyof ViewCalls;

export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "draft"; readonly draft: Draft }
  /** Only the draft's text has changed: images are large and not sent again. */
  | { readonly type: "draftText"; readonly text: string }
  /** What is typed as the answer to an open question (see `questionOf`) is this now. */
  | { readonly type: "typed"; readonly question: string; readonly text: string }
  /** Is the host still there? It answers with `pong`. */
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
  /** Whether the workspace is trusted. If not, its instructions are ignored and no mode is looser than `ask`. */
  | { readonly type: "trust"; readonly trusted: boolean }
  | { readonly type: "session"; readonly session: SessionView }
  /** Milliseconds since 1970, now, by the clock that gives events their times: in a remote window it isn't the page's. */
  | { readonly type: "clock"; readonly now: number }
  /** `reset`: discard what was shown; these are the first events of the session in `session`. */
  | { readonly type: "events"; readonly events: readonly Event[]; readonly reset?: boolean }
  | { readonly type: "streaming"; readonly message: StreamedMessage }
  | { readonly type: "approvals"; readonly pending: readonly PendingApproval[] }
  | { readonly type: "inputs"; readonly pending: readonly PendingInput[] }
  /** What an earlier page had as answers to the open questions. */
  | { readonly type: "typed"; readonly typed: Readonly<Record<string, string>> }
  /** Replaces the composer's text, or goes before or after it. */
  | { readonly type: "draft"; readonly draft: Draft; readonly how: "replace" | "prepend" | "append" }
  | { readonly type: "focus" }
  | { readonly type: "pong" }
  | { readonly type: "answer"; readonly id: number; readonly answer: object }
  | { readonly type: "failure"; readonly id: number; readonly code: string; readonly message: string };

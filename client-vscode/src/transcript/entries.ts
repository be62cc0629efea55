/** What a transcript is made of. One entry is one thing that is shown, so that a long answer is several. */

import type {
  AgentEndData,
  CompactionStartData,
  DenialMark,
  FileChangeData,
  ImageBlock,
  MessageUpdateData,
  RevertedFile,
  RetryData,
  ToolEndData,
} from "../protocol";

/** Why a message is no part of the conversation; what had come of it is shown all the same. */
export type Discarded = "retried" | "failed" | "aborted" | "interrupted";

export interface UserEntry {
  readonly kind: "user";
  /** The message's: what `fork` and `revert` take. */
  readonly id: string;
  /** As it was typed. */
  readonly text: string;
  /** Names of what went with it. */
  readonly attached: readonly string[];
  readonly images: readonly ImageBlock[];
  /** The extension that said it in the user's place. */
  readonly source?: string;
}

/** One block of an answer. */
export interface TextEntry {
  readonly kind: "text" | "thinking" | "refusal";
  /** The same while it is streamed and afterwards. */
  readonly id: string;
  readonly messageId: string;
  readonly text: string;
  readonly streaming: boolean;
  readonly discarded?: Discarded;
  /** The provider hid the text. */
  readonly redacted?: boolean;
}

/** A message that an extension keeps in the session and shows. */
export interface CustomEntry {
  readonly kind: "custom";
  readonly id: string;
  /** What the extension calls this kind of message. */
  readonly label: string;
  readonly text: string;
}

/** What the user was asked about a call, and the answer. */
export interface Asked {
  readonly id: string;
  readonly title: string;
  readonly decision?: string;
  readonly feedback?: string;
  /** Accepted as the user has rewritten it. */
  readonly edited?: boolean;
  /** Some of the hunks only were accepted. */
  readonly partly?: boolean;
}

/** A file that a call changed. */
export interface AppliedEdit {
  readonly uri: string;
  readonly kind: "create" | "edit" | "delete" | "move";
  readonly added: number;
  readonly removed: number;
  /** It is in the editor only. */
  readonly unsaved: boolean;
  readonly target?: string;
}

export interface ToolEntry {
  readonly kind: "tool";
  /** The same while it is written and afterwards. */
  readonly id: string;
  /** What events and questions call it; empty while it is written. */
  readonly callId: string;
  /** Empty while it is written: only its arguments are streamed. */
  readonly name: string;
  /** Empty while they are being written. */
  readonly args: Readonly<Record<string, unknown>>;
  /** What the model writes, as far as it got. */
  readonly argsText: string;
  /** `waiting`: for its turn, or, with an `approval` that has no decision, for the user. */
  readonly state: "writing" | "waiting" | "running" | "ended";
  readonly outcome?: ToolEndData["outcome"];
  readonly isError?: boolean;
  readonly discarded?: Discarded;
  /** Live output, of which only the end is kept, then the result's text. */
  readonly output: string;
  /** Where `output` begins in the whole of the live output, in UTF-16 code units; 0 for a result. */
  readonly outputStart: number;
  /** Pictures in the result. */
  readonly images: readonly ImageBlock[];
  readonly durationMs?: number;
  readonly exitCode?: number;
  readonly denial?: DenialMark;
  /** What was proposed, then what was done: the diffs. */
  readonly changes: readonly FileChangeData[];
  readonly approval?: Asked;
  readonly edits: readonly AppliedEdit[];
  /** When its work began, in milliseconds since 1970. */
  readonly startedAt?: number;
}

export interface NoticeEntry {
  readonly kind: "notice";
  readonly id: string;
  readonly text: string;
}

/** Model or mode are others from here on. */
export interface ConfigEntry {
  readonly kind: "config";
  readonly id: string;
  readonly model: string | null;
  readonly mode: string | null;
}

export interface RetryEntry {
  readonly kind: "retry";
  readonly id: string;
  readonly data: RetryData;
  /** It has not been asked for again yet. */
  readonly busy: boolean;
}

export interface CompactionEntry {
  readonly kind: "compaction";
  readonly id: string;
  readonly reason: CompactionStartData["reason"];
  readonly busy: boolean;
  readonly summary?: string;
  readonly failed?: string;
  /** Messages. */
  readonly replaced?: number;
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

export interface RevertEntry {
  readonly kind: "revert";
  readonly id: string;
  readonly title: string;
  readonly files: readonly RevertedFile[];
  readonly busy: boolean;
  /** It was interrupted. */
  readonly cut: boolean;
}

/** A file was changed when no run was live any more: by a tool that had not stopped. */
export interface LateEditEntry {
  readonly kind: "lateEdit";
  readonly id: string;
  readonly edit: AppliedEdit;
}

export interface RunEndEntry {
  readonly kind: "runEnd";
  readonly id: string;
  /** How long the run took, in milliseconds, where its beginning was seen. */
  readonly tookMs?: number;
  readonly data: AgentEndData;
}

export type Entry =
  | UserEntry
  | TextEntry
  | CustomEntry
  | ToolEntry
  | NoticeEntry
  | ConfigEntry
  | RetryEntry
  | CompactionEntry
  | RevertEntry
  | LateEditEntry
  | RunEndEntry;

export type BlockKind = MessageUpdateData["kind"];

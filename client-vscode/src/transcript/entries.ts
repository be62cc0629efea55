/** The entries of a transcript. An entry is one thing that is shown: a long answer has several. */

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

/** Why a message does not belong to the conversation; what had been received of it is shown anyway. */
export type Discarded = "retried" | "failed" | "aborted" | "interrupted";

export interface UserEntry {
  readonly kind: "user";
  /** The message's id, which `fork` and `revert` take. */
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
  /** The same during streaming and afterwards. */
  readonly id: string;
  readonly messageId: string;
  readonly text: string;
  readonly streaming: boolean;
  readonly discarded?: Discarded;
  /** The provider hid the text. */
  readonly redacted?: boolean;
}

/** A message that an extension has put into the session. */
export interface CustomEntry {
  readonly kind: "custom";
  readonly id: string;
  /** What the extension calls this kind of message. */
  readonly label: string;
  readonly text: string;
}

/** The question about a call, and its answer. */
export interface Asked {
  readonly id: string;
  readonly title: string;
  readonly decision?: string;
  readonly feedback?: string;
  /** The user accepted a version of their own. */
  readonly edited?: boolean;
  /** Only some of the hunks were accepted. */
  readonly partly?: boolean;
}

/** A file that a call changed. */
export interface AppliedEdit {
  readonly uri: string;
  readonly kind: "create" | "edit" | "delete" | "move";
  readonly added: number;
  readonly removed: number;
  /** It is only in the editor, not on the disk. */
  readonly unsaved: boolean;
  readonly target?: string;
}

export interface ToolEntry {
  readonly kind: "tool";
  /** The same while the model writes the call and afterwards. */
  readonly id: string;
  /** Its id in events and questions; empty while the model writes the call. */
  readonly callId: string;
  /** Empty while the model writes the call: only its arguments are streamed. */
  readonly name: string;
  /** Empty while the model writes them. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The arguments as the model writes them, so far. */
  readonly argsText: string;
  /** `waiting`: for the user if `approval` has no decision, else for its turn. */
  readonly state: "writing" | "waiting" | "running" | "ended";
  readonly outcome?: ToolEndData["outcome"];
  readonly isError?: boolean;
  readonly discarded?: Discarded;
  /** The end of the live output, later the result's text. */
  readonly output: string;
  /** Offset of `output` in the whole live output, in UTF-16 code units; 0 for a result. */
  readonly outputStart: number;
  /** Pictures in the result. */
  readonly images: readonly ImageBlock[];
  readonly durationMs?: number;
  readonly exitCode?: number;
  readonly denial?: DenialMark;
  /** The diffs of what was proposed, later of what was done. */
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

/** Model or mode change here. */
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
  /** The response has not been requested again yet. */
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

/** A file was changed after its run had ended, by a tool that had not stopped. */
export interface LateEditEntry {
  readonly kind: "lateEdit";
  readonly id: string;
  readonly edit: AppliedEdit;
}

export interface RunEndEntry {
  readonly kind: "runEnd";
  readonly id: string;
  /** How long the run took, in milliseconds, if its beginning was seen. */
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

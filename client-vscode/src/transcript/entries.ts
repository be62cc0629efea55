/** What a transcript is made of. One entry is one thing that is shown, so that a long answer is several. */

import type { AgentEndData, DenialMark, FileChangeData, RevertedFile, UsageData } from "../protocol";

export interface UserEntry {
  readonly kind: "user";
  readonly id: string;
  readonly text: string;
  /** Names of what went with it. */
  readonly attached: readonly string[];
  readonly images: readonly { readonly mimeType: string; readonly data: string }[];
  /** The extension that said it in the user's place. */
  readonly source?: string;
}

/** One block of an answer. */
export interface TextEntry {
  readonly kind: "text" | "thinking" | "refusal";
  readonly id: string;
  readonly messageId: string;
  readonly text: string;
  readonly streaming: boolean;
  /** Why the message is no part of the conversation; what had come of it is shown all the same. */
  readonly discarded?: string;
  /** The provider hid the text. */
  readonly redacted?: boolean;
}

export interface ToolEntry {
  readonly kind: "tool";
  readonly id: string;
  readonly name: string;
  /** Empty while they are being written. */
  readonly args: Readonly<Record<string, unknown>>;
  /** What the model writes, as far as it got. */
  readonly argsText: string;
  readonly state: "writing" | "waiting" | "running" | "ended";
  readonly outcome?: string;
  readonly isError?: boolean;
  /** Live output, then the result's text. */
  readonly output: string;
  readonly durationMs?: number;
  readonly denial?: DenialMark;
  /** What was proposed or done: the diffs. */
  readonly changes: readonly FileChangeData[];
  /** Id of the question about it, and how it was answered. */
  readonly approval?: { readonly id: string; readonly decision?: string; readonly feedback?: string };
  /** Files that it changed. */
  readonly edits: readonly { readonly uri: string; readonly added: number; readonly removed: number }[];
  readonly startedAt?: number;
}

export interface NoticeEntry {
  readonly kind: "notice" | "retry" | "compaction";
  readonly id: string;
  readonly text: string;
  /** A compaction's summary. */
  readonly detail?: string;
  readonly busy?: boolean;
}

export interface RevertEntry {
  readonly kind: "revert";
  readonly id: string;
  readonly title: string;
  readonly files: readonly RevertedFile[];
  readonly busy: boolean;
}

export interface RunEndEntry {
  readonly kind: "runEnd";
  readonly id: string;
  readonly data: AgentEndData;
}

export type Entry = UserEntry | TextEntry | ToolEntry | NoticeEntry | RevertEntry | RunEndEntry;

export interface Transcript {
  /** Those of the branch that the session stands on, oldest first. An entry that changes is another object. */
  readonly entries: readonly Entry[];
  /** Of the whole session so far. */
  readonly usage: UsageData;
  /** Tokens of the conversation as the last answer's usage tells them: how full the context is. */
  readonly contextTokens: number;
}

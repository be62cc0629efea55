// Made by `steersman schema --typescript`; changes belong in the server's models.
// `Event` is told apart by its `type`; `Commands` says what each command takes and answers.

export interface AbortAnswer {
  /** False: there was nothing to abort, or it was already being aborted. */
  aborted: boolean;
}

export interface AbortParams {
  /** Default: the only live one; if none is live, the operations under way (compaction, revert, export). */
  run?: string | null;
  reason?: string | null;
}

/** The run has ended, exactly once. */
export interface AgentEndData {
  stopReason: "complete" | "max_turns" | "budget" | "aborted" | "interrupted" | "error";
  /** Of the last answer. */
  text: string;
  /** One sentence for a person. */
  message: string;
  usage: UsageData;
  /** US dollars; null where the price is not known. */
  cost: number | null;
  turns: number;
  /** Tokens that the model takes, where that is known by now. */
  contextWindow?: number;
  files: FileSummary[];
  commands: string[];
  denied: DeniedCall[];
  /** What was said and never reached the model. */
  undelivered: InputData[];
  lastAction?: string;
  limit?: "turns" | "seconds" | "tokens" | "cost";
  endedBy?: "terminate" | "hook" | "declines";
  /** The last answer was cut: `continue` asks for the rest. */
  truncated?: true;
  error?: ErrorData;
  session: SessionTotals;
}

export interface AgentEndEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "agent_end";
  data: AgentEndData;
}

/** A run begins. */
export interface AgentStartData {
  model: string;
  /** As it was asked for; the mode that holds is in the `config` that follows. */
  mode: "read-only" | "ask" | "auto-edit" | "full-auto";
  /** Empty when the run continues without a prompt. */
  inputs: InputData[];
  /** Tokens that the model takes, where that is known. */
  contextWindow?: number;
}

export interface AgentStartEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "agent_start";
  data: AgentStartData;
}

/** The answer to `steersman/requestApproval`. */
export interface ApprovalAnswer {
  decision: "accept" | "acceptForRun" | "acceptForSession" | "decline" | "cancel";
  /** For the model, with a decline. */
  feedback?: string | null;
  /** With an accept: what is written instead of the proposal. */
  edited?: EditedText[] | null;
  /** With an accept: ids of the hunks to apply; the others are left out. Not together with `edited`. */
  hunks?: string[] | null;
}

/** The params of `steersman/requestApproval`. */
export interface ApprovalRequest {
  id: string;
  /** Empty where it is about no call (`trust`). */
  toolCallId: string;
  kind:
    | "create"
    | "edit"
    | "delete"
    | "move"
    | "command"
    | "tool"
    | "outside"
    | "protected"
    | "conflict"
    | "trust";
  title: string;
  reason: string;
  changes: FileChangeData[];
  decisions: ("accept" | "acceptForRun" | "acceptForSession" | "decline" | "cancel")[];
  command?: string;
  cwd?: string;
  tool?: ToolCallData;
  /** Id of an accepted question that this one replaces: the file has changed since, and its hunks would be others. */
  supersedes?: string;
  session: string;
  run: string;
}

/** The user is asked. */
export interface ApprovalRequestedData {
  id: string;
  /** Empty where it is about no call (`trust`). */
  toolCallId: string;
  kind:
    | "create"
    | "edit"
    | "delete"
    | "move"
    | "command"
    | "tool"
    | "outside"
    | "protected"
    | "conflict"
    | "trust";
  title: string;
  reason: string;
  changes: FileChangeData[];
  decisions: ("accept" | "acceptForRun" | "acceptForSession" | "decline" | "cancel")[];
  command?: string;
  cwd?: string;
  tool?: ToolCallData;
  /** Id of an accepted question that this one replaces: the file has changed since, and its hunks would be others. */
  supersedes?: string;
}

export interface ApprovalRequestedEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "approval_requested";
  data: ApprovalRequestedData;
}

/** A question has its one answer. */
export interface ApprovalResolvedData {
  id: string;
  toolCallId: string;
  decision: "accept" | "acceptForRun" | "acceptForSession" | "decline" | "cancel" | "withdrawn";
  by: "user" | "nobody" | "withdrawn";
  feedback?: string;
  /** Accepted as the user has rewritten it. */
  edited?: true;
  /** Ids of the only hunks that were accepted. */
  hunks?: string[];
}

export interface ApprovalResolvedEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "approval_resolved";
  data: ApprovalResolvedData;
}

/** The answer to `steersman/approvalTexts`. */
export interface ApprovalTextsAnswer {
  changes: ChangeTexts[];
}

/** The params of `steersman/approvalTexts`. */
export interface ApprovalTextsParams {
  /** Of a pending question. */
  id: string;
}

export interface ApprovalsAnswer {
  /** Oldest first. */
  approvals: PendingQuestion[];
}

export interface ApproveAnswer {
  id: string;
  decision: "accept" | "acceptForRun" | "acceptForSession" | "decline" | "cancel";
}

export interface ApproveParams {
  decision: "accept" | "acceptForRun" | "acceptForSession" | "decline" | "cancel";
  /** For the model, with a decline. */
  feedback?: string | null;
  /** With an accept: what is written instead of the proposal. */
  edited?: EditedText[] | null;
  /** With an accept: ids of the hunks to apply; the others are left out. Not together with `edited`. */
  hunks?: string[] | null;
  id: string;
}

export interface AskParams {
  /** Shown to the user. */
  question: string;
  context?: ContextParams | null;
  /** For the run only. While another run is live, a `read-only` run begins beside it; any other is a follow-up. */
  mode?: "read-only" | "ask" | "auto-edit" | "full-auto" | null;
}

export interface BaseVersion {
  /** Null where there is no file yet. */
  sha256: string | null;
  /** In the editor. */
  version?: number;
}

/** Limits of one run. */
export interface BudgetParams {
  turns?: number | null;
  seconds?: number | null;
  tokens?: number | null;
  /** US dollars. */
  cost?: number | null;
}

/** The answer to `steersman/callTool`: `content`, or `data` from a known tool. Further fields are ignored. */
export interface CallToolAnswer {
  /** For the model. */
  content?: string | TextContent[] | null;
  /** From a known tool, instead of `content`: the unchanged result of the LSP request, which may be null. */
  data?: JsonValue;
  /** The call failed; `content` says why. */
  isError?: boolean;
}

/** The params of `steersman/callTool`. */
export interface CallToolRequest {
  session: string;
  run: string;
  toolCallId: string;
  /** The tool's name, as the client offered it. */
  name: string;
  /** For a known tool: the params of its LSP request. For the client's own tool: what the model gave. The server has checked only the names and types at the top level. */
  arguments: Record<string, JsonValue>;
}

/** A file of a question, with LF line ends. `oldText` is empty for a new file, `newText` for a deleted one. */
export interface ChangeTexts {
  uri: string;
  oldText: string;
  newText: string;
}

/** What was at a path before its first change after a user message; the bytes are kept by their SHA-256. */
export interface CheckpointData {
  /** Id of that message. */
  checkpoint: string | null;
  uri: string;
  kind: "absent" | "file" | "link";
  sha256: string | null;
  /** Permission bits. */
  mode: number | null;
  /** Of the editor's text, where it differed from the disk. */
  bufferSha256: string | null;
}

export interface CheckpointEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "checkpoint";
  data: CheckpointData;
}

export interface CheckpointsAnswer {
  session: string;
  /** Oldest first. */
  checkpoints: ListedCheckpoint[];
}

export interface CheckpointsParams {
  session: string;
}

/** A tool that the client offers to models. It is called by `steersman/callTool`. */
export interface ClientTool {
  name: string;
  /** For the model: what it does and when to use it. */
  description: string;
  /** JSON Schema of its arguments, which are an object. */
  parameters: Record<string, JsonValue>;
  /** It changes nothing, so the user is not asked before a call. */
  readOnly?: boolean;
}

/** The user closed the question without an answer, so nothing was done. */
export interface ClosedAnswer {
  disposition: "closed";
}

/** The commands of `workspace/executeCommand`. */
export interface Commands {
  /** Begins a run. */
  "steersman.start": {
    params: StartParams | string;
    answer: StartAnswer;
  };
  /** Continues after a limit, a truncated answer, an error or an interruption. */
  "steersman.continue": {
    params: ContinueParams | string;
    answer: StartAnswer;
  };
  /** Sends a message into a live run, before its next request. */
  "steersman.steer": {
    params: TextParams | string;
    answer: SteerAnswer;
  };
  /** Sends a message when the run would otherwise end; begins a run if none is live. */
  "steersman.followUp": {
    params: TextParams | string;
    answer: QueuedAnswer | StartedAnswer;
  };
  /** Does what a comment says, and removes the comment from its file. */
  "steersman.doComment": {
    params: DoCommentParams;
    answer: StartedAnswer | SteerAnswer | QueuedAnswer;
  };
  /** Asks the user for a prompt by `steersman/input`, and sends it. Answers when the user has. */
  "steersman.ask": {
    params: AskParams;
    answer: StartedAnswer | QueuedAnswer | ClosedAnswer;
  };
  /** Lists, edits, reorders or removes the messages that wait for a live run. */
  "steersman.queue": {
    params: QueueParams | string;
    answer: QueueAnswer;
  };
  /** Stops a run. A second abort does nothing. */
  "steersman.abort": {
    params: AbortParams | string;
    answer: AbortAnswer;
  };
  /** The pending questions. */
  "steersman.approvals": {
    params: NoParams;
    answer: ApprovalsAnswer;
  };
  /** Answers a question. */
  "steersman.approve": {
    params: ApproveParams;
    answer: ApproveAnswer;
  };
  /** Shows what a question is about, such as the diff or the command. */
  "steersman.showQuestion": {
    params: ShowQuestionParams | string;
    answer: ShowQuestionAnswer;
  };
  /** The open sessions, live runs and pending questions. */
  "steersman.status": {
    params: NoParams;
    answer: StatusAnswer;
  };
  /** The durable events after a given one, and the message that is being streamed. */
  "steersman.events": {
    params: EventsParams | string;
    answer: EventsAnswer;
  };
  /** Sets the model, mode and thinking level of a session, or of all new runs. */
  "steersman.configure": {
    params: ConfigureParams;
    answer: ConfigureAnswer;
  };
  /** The models that can be chosen, as the providers list them; for others, why they can't be used and what to do. */
  "steersman.models": {
    params: ModelsParams | string;
    answer: ModelsAnswer;
  };
  /** The prompt templates that `/name` calls. */
  "steersman.templates": {
    params: TemplatesParams | string;
    answer: TemplatesAnswer;
  };
  /** The kept sessions. */
  "steersman.sessions": {
    params: SessionsParams | string;
    answer: SessionsAnswer;
  };
  /** Opens a kept session, to continue it from its end or from one of its messages. */
  "steersman.resume": {
    params: ResumeParams | string;
    answer: ResumeAnswer;
  };
  /** Continues from before a message, in a copy or in place. Changes no file. */
  "steersman.fork": {
    params: ForkParams | string;
    answer: ForkAnswer | WentBackAnswer;
  };
  /** Replaces old messages by a summary for the model. The log keeps them. */
  "steersman.compact": {
    params: CompactParams | string;
    answer: CompactAnswer;
  };
  /** The messages of a session to which its file changes can be reverted. */
  "steersman.checkpoints": {
    params: CheckpointsParams | string;
    answer: CheckpointsAnswer;
  };
  /** Reverts the file changes since a checkpoint, or says what that would do. */
  "steersman.revert": {
    params: RevertParams;
    answer: RevertPreview | OperationAnswer;
  };
  /** Writes a session's transcript to a file: a self-contained HTML page, or Markdown. */
  "steersman.export": {
    params: ExportParams | string;
    answer: ExportAnswer;
  };
  /** Shows a session's transcript, which is kept up to date. */
  "steersman.transcript": {
    params: TranscriptParams | string;
    answer: TranscriptAnswer;
  };
  /** Gives a session a title. */
  "steersman.rename": {
    params: RenameParams;
    answer: RenameAnswer;
  };
  /** Deletes a session for good. Its file changes stay. */
  "steersman.delete": {
    params: DeleteParams;
    answer: DeleteAnswer;
  };
}

/** The compaction will be done. `compaction_start` and `compaction_end` report it. */
export interface CompactAnswer {
  session: string;
  /** While a run is live: the compaction comes before its next request. */
  run?: string;
  /** While none is: the compaction begins now. `steersman.abort` ends it. */
  operation?: string;
}

export interface CompactParams {
  /** Default: the live one, else the one that was used last. */
  session?: string | null;
  /** What the summary should pay attention to. */
  instructions?: string | null;
}

/** The summary, a node of the tree; or `failed`, and nothing has changed. The messages stay in the log. */
export interface CompactionEndData {
  id?: string;
  parent?: string;
  summary?: string;
  /** Id of the first message that is still told in its own words; null: none is. */
  keptFrom?: string;
  /** Messages. */
  replaced?: number;
  files?: FilesSeen;
  tokensBefore?: number;
  /** Estimates. */
  tokensAfter?: number;
  /** Why there is no summary, for a person. */
  failed?: string;
  /** Of its requests. */
  usage: UsageData;
}

export interface CompactionEndEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "compaction_end";
  data: CompactionEndData;
}

/** Old messages are about to be replaced, for the model, by a summary. */
export interface CompactionStartData {
  reason: "threshold" | "overflow" | "user";
  /** Of the conversation; an estimate. */
  tokens: number;
}

export interface CompactionStartEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "compaction_start";
  data: CompactionStartData;
}

/** Model, mode or thinking have changed. A node of the tree, like a message. */
export interface ConfigData {
  id: string;
  parent: string | null;
  model: string | null;
  mode: "read-only" | "ask" | "auto-edit" | "full-auto" | null;
  thinking?: "off" | "low" | "medium" | "high";
}

export interface ConfigEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "config";
  data: ConfigData;
}

/** The settings from now on. */
export interface ConfigureAnswer {
  model: string | null;
  mode: "read-only" | "ask" | "auto-edit" | "full-auto";
  thinking: "off" | "low" | "medium" | "high";
}

export interface ConfigureParams {
  /** Default: all new runs of this server. */
  session?: string | null;
  model?: string | null;
  mode?: "read-only" | "ask" | "auto-edit" | "full-auto" | null;
  thinking?: "off" | "low" | "medium" | "high" | null;
}

/** What the user points at. The model gets it with the prompt. */
export interface ContextParams {
  uris?: string[];
  selections?: SelectionParams[];
  diagnostics?: DiagnosticParams[];
  images?: ImageParams[];
}

export interface ContinueParams {
  /** Default: the one that was used last. */
  session?: string | null;
  budget?: BudgetParams | null;
}

export interface DeleteAnswer {
  session: string;
}

export interface DeleteParams {
  session: string;
}

/** Why a call was not done. */
export interface DenialMark {
  title: string;
  reason: string;
  by: "user" | "nobody" | "mode" | "rule" | "repeated" | "extension";
  /** What would have allowed it. */
  setting?: string;
}

export interface DeniedCall {
  title: string;
  reason: string;
  by: "user" | "nobody" | "mode" | "rule" | "repeated" | "extension";
  /** What would have allowed it. */
  setting?: string;
  toolCallId: string;
  name: string;
}

export interface DiagnosticParams {
  uri: string;
  range: Span;
  message: string;
  severity?: number | null;
  source?: string | null;
}

/** A message was not committed: it is never part of history, never sent to a model. */
export interface DiscardedData {
  messageId: string;
  discarded: "retried" | "failed" | "aborted" | "interrupted";
  partial: (TextBlock | ImageBlock | ThinkingBlock | ToolCallBlock)[];
  usage: UsageData;
  failure?: FailureData;
}

export interface DiscardedEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "message_end";
  data: DiscardedData;
}

export interface DoCommentParams {
  /** Of an open document. */
  uri: string;
  /** The comments in this range. Positions are in the encoding negotiated at initialize. */
  range: Span;
  /** Only the comment with this text, even if it has moved. Default: all comments in the range. */
  text?: string | null;
  /** While a run is live, `start` becomes a follow-up; while none is, the others become a start. */
  how?: "start" | "steer" | "followUp";
  /** The run to steer or to follow. Default: the only live one. */
  run?: string | null;
}

/** A file was changed. */
export interface EditAppliedData {
  /** Null where no call did it: after the run's end, by a tool that had not stopped; or an instruction's comment was taken out. */
  toolCallId: string | null;
  uri: string;
  kind: "create" | "edit" | "delete" | "move";
  added: number;
  removed: number;
  /** Of what is there now; null if nothing is. */
  sha256: string | null;
  via: "editor" | "disk";
  unsaved: boolean;
  /** The user has changed the file meanwhile as well. */
  others?: true;
  /** Where a moved file is. */
  target?: string;
}

export interface EditAppliedEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "edit_applied";
  data: EditAppliedData;
}

/** A file is about to be changed: after a crash this tells what was meant to be there. */
export interface EditStartData {
  toolCallId: string | null;
  uri: string;
  /** Of what will be there; null if nothing will be. */
  sha256: string | null;
  /** Of what the change is made on; a new file has none. */
  base?: string;
  /** Where a file is moved. */
  target?: string;
}

export interface EditStartEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "edit_start";
  data: EditStartData;
}

/** A file of a question, as the user has edited it. */
export interface EditedText {
  uri: string;
  /** The whole text. New line ends become the file's own. */
  newText: string;
}

export interface ErrorData {
  code:
    | "auth"
    | "permission"
    | "quota"
    | "rate_limit"
    | "overloaded"
    | "server"
    | "context_overflow"
    | "bad_request"
    | "not_found"
    | "tool_use_failed"
    | "refused"
    | "network"
    | "timeout"
    | "protocol"
    | "empty"
    | "logFailed"
    | "hookFailed"
    | "toolFailed"
    | "internal";
  message: string;
}

/** One event. `type` says which; a `message_end` that holds `discarded` is the second form. */
export type Event =
  | SessionEvent
  | ConfigEvent
  | HeadEvent
  | SessionRenamedEvent
  | AgentStartEvent
  | TurnStartEvent
  | MessageStartEvent
  | MessageUpdateEvent
  | MessageEndEvent
  | DiscardedEvent
  | ToolStartEvent
  | ToolRunningEvent
  | ToolUpdateEvent
  | ToolEndEvent
  | TurnEndEvent
  | AgentEndEvent
  | StateEvent
  | QueueUpdateEvent
  | ApprovalRequestedEvent
  | ApprovalResolvedEvent
  | EditStartEvent
  | EditAppliedEvent
  | CheckpointEvent
  | RevertStartEvent
  | RevertEndEvent
  | RetryEvent
  | CompactionStartEvent
  | CompactionEndEvent
  | ExtensionRequestEvent
  | ExportEndEvent
  | NoticeEvent;

export interface EventsAnswer {
  /** The durable ones, oldest first. */
  events: Event[];
  /** There are more events than fit: ask again, after the last of these. */
  more: boolean;
  streaming: StreamedMessage | null;
}

export interface EventsParams {
  session: string;
  run?: string | null;
  /** The number of the last event that the client has; 0 for all events. */
  after?: number;
  limit?: number | null;
}

/** `capabilities.experimental` of the server. */
export interface ExperimentalCapabilities {
  steersman: ServerFeatures;
}

/** The export has begun. `export_end` says when the file is there. `steersman.abort` ends it. */
export interface ExportAnswer {
  session: string;
  operation: string;
  /** Where the transcript will be. */
  path: string;
}

/** A transcript has been written, or has not. */
export interface ExportEndData {
  operation: string;
  path: string;
  /** Why there is no file, for a person. */
  failed?: string;
}

export interface ExportEndEvent {
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "export_end";
  data: ExportEndData;
}

export interface ExportParams {
  session: string;
  format?: "html" | "markdown";
  /** URI or absolute path of the file. Default: a new file in Steersman's own folder, which the editor then shows. */
  path?: string | null;
  /** Include the branches that were left by going back. */
  allBranches?: boolean;
  /** Replace the file if it exists. */
  overwrite?: boolean;
}

/** An extension has asked a model something itself. What that used is the session's, and the live run's. */
export interface ExtensionRequestData {
  extension: string;
  model: string;
  usage: UsageData;
}

export interface ExtensionRequestEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "extension_request";
  data: ExtensionRequestData;
}

export interface FailureData {
  kind:
    | "auth"
    | "permission"
    | "quota"
    | "rate_limit"
    | "overloaded"
    | "server"
    | "context_overflow"
    | "bad_request"
    | "not_found"
    | "tool_use_failed"
    | "refused"
    | "network"
    | "timeout"
    | "protocol"
    | "empty";
  message: string;
}

export interface FileChangeData {
  uri: string;
  kind: "create" | "edit" | "delete" | "move";
  base: BaseVersion;
  /** Unified. */
  diff: string;
  hunks: HunkData[];
  added: number;
  removed: number;
  /** The diff is not whole: cut short or, in `steersman/requestApproval`, left out. */
  truncated?: true;
}

export interface FileSummary {
  uri: string;
  added: number;
  removed: number;
}

export interface FileToRevert {
  uri: string;
  action: "restore" | "create" | "delete" | "none";
  /** `done`: the file already is as it was. `conflict`: somebody else has changed it since. `unavailable`: see `reason`. */
  state: "ready" | "done" | "conflict" | "unavailable";
  reason?: string;
  /** What the revert would do, as a unified diff. */
  diff?: string;
  added?: number;
  removed?: number;
}

/** Paths as the model wrote them. */
export interface FilesSeen {
  read: string[];
  changed: string[];
}

/** With `place: new`. */
export interface ForkAnswer {
  /** The new session. */
  session: string;
  forkedFrom: string;
  /** The message's text, to be changed and sent again. */
  text?: string;
}

export interface ForkOrigin {
  session: string;
  /** The last one that was copied. */
  node: string | null;
}

export interface ForkParams {
  session: string;
  /** Id of a message of the user: the fork has everything before it. Default: the whole branch, for a new session. */
  message?: string | null;
  /** `new`: a new session. `here`: a new branch of this session, from before the message. */
  place?: "new" | "here";
}

/** The tip of the session's tree was moved: the next message will not follow the last one. */
export interface HeadData {
  /** Id of a node: a message, a `config`, a compaction. Null: before the first. */
  tip: string | null;
}

export interface HeadEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "head";
  data: HeadData;
}

/** Line numbers from 1. */
export interface HunkData {
  id: string;
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
}

export interface ImageBlock {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}

/** A picture that the prompt is about: png, jpeg, gif or webp. */
export interface ImageParams {
  /** Base64 of the file, at most 5 MB. */
  data: string;
  /** What the client takes it for. The server looks at the bytes. */
  mimeType: string;
}

/** `initializationOptions` or `capabilities.experimental` of the client. */
export interface InitializationOptions {
  steersman?: SteersmanOptions | null;
}

/** The answer to `steersman/input`. It is null if the user closed the question. */
export interface InputAnswer {
  /** What the user typed. Empty text is no answer. */
  text: string;
}

export interface InputData {
  kind: "prompt" | "steer" | "followUp";
  text: string;
  /** The extension that said it in the user's place. */
  source?: string;
  /** What is attached to it, by name. */
  attached?: string[];
}

/** The params of `steersman/input`. */
export interface InputRequest {
  /** Empty, like `run` and `toolCallId`, if no run asks: `steersman.ask` wants a prompt. */
  session: string;
  run: string;
  toolCallId: string;
  /** The question. */
  prompt: string;
  /** Two to six suggestions. Any other text is an answer too. */
  options?: string[];
}

/** `data` of error -32602: the parameters of a command are not valid. */
export interface InvalidParamsData {
  /** The wrong field, as a path with dots. */
  field: string;
  /** JSON Schema of what the command takes. */
  schema?: Record<string, JsonValue>;
}

/** Any JSON value. */
export type JsonValue = unknown;

export interface ListedCheckpoint {
  /** The id of the user's message or of the revert. */
  checkpoint: string;
  title: string;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  /** URIs of the files that were changed between this checkpoint and the next. */
  files: string[];
}

/** A document that is open in the editor. */
export interface ListedDocument {
  uri: string;
  /** It has unsaved changes. */
  dirty: boolean;
  /** The user sees it. If any document has this field, models are told only of the listed ones as open. */
  visible?: boolean | null;
  /** The cursor is in it. */
  active?: boolean | null;
}

/** A session, as read from its log. */
export interface ListedSession {
  session: string;
  title: string | null;
  /** Milliseconds since 1970, UTC. */
  created: number;
  /** When its last record was written. */
  updated: number;
  /** URIs of its folders, its own first. */
  roots: string[];
  model: string | null;
  /** Null if no run of the session has ended yet. */
  usage: UsageData | null;
  state: "idle" | "interrupted" | "live" | "unknown";
  /** Another process has the session open. */
  locked: boolean;
  /** Bytes of its log. */
  size: number;
}

/** A message is committed. */
export interface MessageEndData {
  messageId: string;
  role: "user" | "assistant" | "custom";
  content: (TextBlock | ImageBlock | ThinkingBlock | ToolCallBlock)[];
  /** Id of the node before it; null for the first. */
  parent: string | null;
  model?: string;
  stopReason?: "stop" | "tool_calls" | "length" | "content_filter" | "refusal";
  usage?: UsageData;
  /** Of a custom message. */
  kind?: string;
  /** Of a user message: the extension that said it in the user's place. */
  source?: string;
}

export interface MessageEndEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "message_end";
  data: MessageEndData;
}

/** A message begins; its `message_end` says what became of it. */
export interface MessageStartData {
  messageId: string;
  role: "user" | "assistant" | "custom";
  model?: string;
}

export interface MessageStartEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "message_start";
  data: MessageStartData;
}

/** More of a block of the answer that is being streamed. */
export interface MessageUpdateData {
  messageId: string;
  index: number;
  kind: "text" | "thinking" | "refusal" | "toolCall";
  /** Where in the block's text this goes, in UTF-16 code units. */
  offset: number;
  text: string;
}

export interface MessageUpdateEvent {
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "message_update";
  data: MessageUpdateData;
}

/** US dollars for a million tokens. Unknown prices are left out. */
export interface ModelPrice {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

export interface ModelsAnswer {
  /** For new runs; null if none is configured. */
  model: string | null;
  /** Usable ones first. */
  providers: OfferingProvider[];
  /** Path of the user's configuration file. Keys and base URLs can also be set in its tables `[providers.NAME]`. */
  config: string;
}

export interface ModelsParams {
  /** Only the models of this one. Default: all. */
  provider?: string | null;
}

export type NoParams = Record<string, never>;

/** Something the user should know, that needs no answer. */
export interface NoticeData {
  message: string;
}

export interface NoticeEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "notice";
  data: NoticeData;
}

/** A model that can be chosen. What is not known of it is left out. */
export interface OfferedModel {
  /** As `steersman.configure` takes it: `PROVIDER:NAME`. */
  model: string;
  /** Its name at the provider. */
  name: string;
  /** Tokens of prompt and answer together, as the server is configured. */
  contextWindow?: number;
  /** Tokens of one answer. */
  maxOutput?: number;
  /** It accepts images. */
  images?: boolean;
  /** It accepts a thinking level. */
  thinking?: boolean;
  price?: ModelPrice;
  /** It is in memory, if the server loads models on demand. */
  loaded?: boolean;
}

/** A provider, or a model server on this machine. */
export interface OfferingProvider {
  /** The part of `PROVIDER:NAME` before the colon. */
  provider: string;
  /** Its name for people. */
  title: string;
  /** A run could begin with it. False: its models can't be chosen yet. */
  usable: boolean;
  /** A program that users run themselves. */
  local: boolean;
  /** The host and port that were asked, or are tried. */
  server?: string;
  /** In the provider's order. */
  models: OfferedModel[];
  /** How many more models there are. */
  leftOut: number;
  /** Why it can't be used, or why it listed no models although a run may work. */
  problem?: string;
  /** What to do about the problem. */
  mend?: string;
}

export interface OpenDocument {
  uri: string;
  /** It has unsaved changes. */
  dirty: boolean;
  /** The user sees it. If any document has this field, models are told only of the listed ones as open. */
  visible?: boolean | null;
  /** The cursor is in it. */
  active?: boolean | null;
  /** The version that an edit of it names; null if the client has none. */
  version?: number | null;
  /** The whole text, if the request named the document. */
  text?: string | null;
}

/** The answer to `steersman/openDocuments`. */
export interface OpenDocumentsAnswer {
  documents: OpenDocument[];
}

/** The params of the notification `steersman/openDocumentsChanged`. */
export interface OpenDocumentsChanged {
  /** Always all open documents. */
  documents: ListedDocument[];
}

/** The params of `steersman/openDocuments`. */
export interface OpenDocumentsRequest {
  /** The documents whose text is wanted. Default: all open documents, without their texts. */
  uris?: string[];
}

/** The operation has begun. `revert_end` says what became of each file. `steersman.abort` ends it. */
export interface OperationAnswer {
  session: string;
  operation: string;
}

/** A question without an answer yet: the data of its `approval_requested`, with its session and run. */
export interface PendingQuestion {
  id: string;
  /** Empty where it is about no call (`trust`). */
  toolCallId: string;
  kind:
    | "create"
    | "edit"
    | "delete"
    | "move"
    | "command"
    | "tool"
    | "outside"
    | "protected"
    | "conflict"
    | "trust";
  title: string;
  reason: string;
  changes: FileChangeData[];
  decisions: ("accept" | "acceptForRun" | "acceptForSession" | "decline" | "cancel")[];
  command?: string;
  cwd?: string;
  tool?: ToolCallData;
  /** Id of an accepted question that this one replaces: the file has changed since, and its hunks would be others. */
  supersedes?: string;
  session: string;
  run: string;
}

export interface Place {
  line: number;
  character: number;
}

/** The queue after the operation. */
export interface QueueAnswer {
  session: string;
  run: string;
  /** Steering messages first; each kind in the order of delivery. */
  items: QueuedItem[];
  /** The removed items, so that the user can have their texts back. */
  removed?: QueuedItem[];
}

export interface QueueParams {
  op?: "list" | "edit" | "remove" | "move" | "clear";
  /** Default: the only live one. */
  run?: string | null;
  /** Of the item to edit, remove or move. */
  id?: string | null;
  /** The new text of an edited item. */
  text?: string | null;
  /** Where to move the item: its position among those of its kind, from 0. Default: the end. */
  to?: number | null;
  /** The new kind of a moved item. Default: unchanged. */
  kind?: "steer" | "followUp" | null;
}

/** What waits to be said to the model, steering first. */
export interface QueueUpdateData {
  items: QueuedItem[];
  /** Ids that the user has taken out. What else is gone is on its way to the model. */
  removed?: string[];
}

export interface QueueUpdateEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "queue_update";
  data: QueueUpdateData;
}

/** The text waits until the run would otherwise end. */
export interface QueuedAnswer {
  disposition: "queued";
  session: string;
  run: string;
  /** The id of the text in the queue. */
  id: string;
}

/** Something that waits to be said to the model. */
export interface QueuedItem {
  /** `in_…`, for `steersman.queue`. */
  id: string;
  kind: "steer" | "followUp";
  text: string;
  /** The extension that said it in the user's place. */
  source?: string;
  /** What is attached to it, by name. */
  attached?: string[];
}

/** `data` of error -32803: the request can't be done now, or at all. */
export interface RefusedData {
  code:
    | "notRunning"
    | "busy"
    | "aborting"
    | "ambiguous"
    | "unknownSession"
    | "unknownRun"
    | "unknownApproval"
    | "unknownItem"
    | "unknownComment"
    | "unknownMessage"
    | "unknownCheckpoint"
    | "badTitle"
    | "exists"
    | "nothingToDo"
    | "unknownModel"
    | "unknownTemplate"
    | "badTemplate"
    | "noCredentials"
    | "outsideRoot"
    | "denied"
    | "alreadyAnswered"
    | "conflict"
    | "locked"
    | "untrusted"
    | "emptyPrompt"
    | "tooLarge"
    | "unsyncedDocument"
    | "unsupported"
    | "shuttingDown"
    | "readOnly"
    | "badAnswer"
    | "extensionFailed";
  /** The user's text, handed back: put it where the user can send it again. */
  text?: string;
  session?: string;
  run?: string;
  /** The runs to choose from. */
  runs?: string[];
  /** Of a question, or of an item of the queue. */
  id?: string;
  /** The decisions that the question allows. */
  decisions?: ("accept" | "acceptForRun" | "acceptForSession" | "decline" | "cancel")[];
  root?: string;
  uri?: string;
  /** In characters. */
  limit?: number;
  [more: string]: unknown;
}

export interface RenameAnswer {
  session: string;
  title: string;
}

export interface RenameParams {
  session: string;
  title: string;
}

/** A diagnostic of LSP. Further members are ignored. */
export interface ReportedDiagnostic {
  range: Span;
  message: string;
  /** 1 error, 2 warning, 3 information, 4 hint. Default: 1. */
  severity?: number | null;
  source?: string | null;
  code?: string | number | null;
}

/** The params of `$/steersman/diagnostics`: all diagnostics of one document. They replace earlier ones. */
export interface ReportedDiagnostics {
  uri: string;
  /** The version of the document that the diagnostics are about, if it is known for certain. */
  version?: number | null;
  /** Empty if there are none, or none any more. */
  diagnostics: ReportedDiagnostic[];
}

/** The session is open in this server. */
export interface ResumeAnswer {
  session: string;
  title: string | null;
  model: string | null;
  usage: UsageData;
  state:
    | "streaming"
    | "tool"
    | "waitingApproval"
    | "waitingInput"
    | "retrying"
    | "compacting"
    | "aborting"
    | "idle"
    | "interrupted";
  queue: QueuedItem[];
  /** The live one. */
  run?: string;
  /** Id of the node that the next message follows. */
  tip: string | null;
  /** The number of its last event. `steersman.events` gives all of them. */
  seq: number;
  roots: string[];
}

export interface ResumeParams {
  session: string;
  /** Id of the message to continue from. Default: the session's current end. */
  node?: string | null;
}

/** A response failed and is asked for again. */
export interface RetryData {
  /** The number of the request that failed, from 1. */
  attempt: number;
  afterMs: number;
  kind:
    | "auth"
    | "permission"
    | "quota"
    | "rate_limit"
    | "overloaded"
    | "server"
    | "context_overflow"
    | "bad_request"
    | "not_found"
    | "tool_use_failed"
    | "refused"
    | "network"
    | "timeout"
    | "protocol"
    | "empty";
  message: string;
}

export interface RetryEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "retry";
  data: RetryData;
}

/** What became of each file. */
export interface RevertEndData {
  id: string;
  files: RevertedFile[];
  /** It was interrupted: `edit_applied` tells what was done. */
  cut?: true;
}

export interface RevertEndEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "revert_end";
  data: RevertEndData;
}

export interface RevertParams {
  session: string;
  /** Id of a checkpoint, or of a run: then its first message. */
  checkpoint: string;
  /** URIs of the files to revert. Default: all. */
  files?: string[] | null;
  /** Only say what would be done. Send false when the user has seen it and agreed. */
  preview?: boolean;
  /** By URI, for files that somebody else has changed since: `restore` reverts the file anyway, `keep` accepts what is there now, `skip` leaves the file for later. */
  onConflict?: Record<string, "keep" | "restore" | "skip"> | null;
}

export interface RevertPreview {
  session: string;
  checkpoint: string;
  files: FileToRevert[];
  /** The commands that ran since. What they did is not reverted. */
  commands: string[];
  /** URIs of files whose last change happened while a command ran. */
  notRevertible: string[];
}

/** The user takes back what was changed since a checkpoint. It is a checkpoint itself. */
export interface RevertStartData {
  id: string;
  checkpoint: string;
  title: string;
}

export interface RevertStartEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "revert_start";
  data: RevertStartData;
}

export interface RevertedFile {
  uri: string;
  /** `done`: it was as it had been already. `conflict`: it was changed meanwhile, and left alone. */
  outcome: "restored" | "deleted" | "done" | "kept" | "skipped" | "conflict" | "failed";
  message?: string;
}

/** The answer to `steersman/save`. */
export interface SaveAnswer {
  /** URIs of the documents that were saved. */
  saved: string[];
}

/** The params of `steersman/save`. */
export interface SaveRequest {
  uris: string[];
}

/** A part of a document that the prompt is about. Positions are in the encoding negotiated at initialize. */
export interface SelectionParams {
  uri: string;
  range: Span;
  /** The selected text. Default: taken from the open document. */
  text?: string | null;
}

export interface ServerFeatures {
  /** The version of the protocol. */
  version: string;
  /** The features that the client asked for and the server uses. */
  uses: string[];
  /** The tools that the client offered and models have. */
  tools?: string[];
}

/** The first record of a log. */
export interface SessionData {
  format: 1;
  session: string;
  /** Of Steersman. */
  version: string;
  /** Milliseconds since 1970, UTC. */
  created: number;
  /** The session that this one is a copy of, up to a node. */
  forkedFrom?: ForkOrigin;
  /** URIs of the workspace folders; the first is the session's own. */
  roots: string[];
  platform: string;
}

export interface SessionEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "session";
  data: SessionData;
}

/** The user has named the session. */
export interface SessionRenamedData {
  title: string;
}

export interface SessionRenamedEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "session_renamed";
  data: SessionRenamedData;
}

/** A session that is open here. */
export interface SessionStatus {
  session: string;
  title: string | null;
  model: string | null;
  usage: UsageData;
  state:
    | "streaming"
    | "tool"
    | "waitingApproval"
    | "waitingInput"
    | "retrying"
    | "compacting"
    | "aborting"
    | "idle"
    | "interrupted";
  queue: QueuedItem[];
  /** The live one. */
  run?: string;
}

/** A session as it stands. */
export interface SessionTotals {
  title: string | null;
  model: string | null;
  mode: "read-only" | "ask" | "auto-edit" | "full-auto" | null;
  /** Of all its runs, those on other branches included. */
  usage: UsageData;
}

export interface SessionsAnswer {
  /** The most recently used first. */
  sessions: ListedSession[];
}

export interface SessionsParams {
  /** URI or path of a folder: only sessions that began there. Default: all. */
  root?: string | null;
  /** Words in the title. */
  query?: string;
  limit?: number;
}

/** The question will be shown by `window/showDocument`, or else in a message. */
export interface ShowQuestionAnswer {
  id: string;
  /** Of its document, which is deleted with the question. */
  uri: string;
}

export interface ShowQuestionParams {
  /** Of a pending question. Default: the one that has waited longest. */
  id?: string | null;
}

export interface Span {
  start: Place;
  end: Place;
}

/** A run will begin. This answer comes before anything of the run. */
export interface StartAnswer {
  session: string;
  run: string;
  /** The token of its work-done progress. */
  token: string;
}

export interface StartParams {
  prompt: string;
  /** The session to continue. Default: a new one. */
  session?: string | null;
  /** URI or path of the workspace folder to work in. Default: the first one. */
  root?: string | null;
  context?: ContextParams | null;
  /** `PROVIDER:NAME`. */
  model?: string | null;
  /** For this run only. */
  mode?: "read-only" | "ask" | "auto-edit" | "full-auto" | null;
  /** How much the model thinks before it answers, if it takes a level. It holds for the session. */
  thinking?: "off" | "low" | "medium" | "high" | null;
  budget?: BudgetParams | null;
}

/** No run was live, so one begins with the text. */
export interface StartedAnswer {
  session: string;
  run: string;
  /** The token of its work-done progress. */
  token: string;
  disposition: "started";
}

/** What a run is doing. */
export interface StateData {
  state:
    | "streaming"
    | "tool"
    | "waitingApproval"
    | "waitingInput"
    | "retrying"
    | "compacting"
    | "aborting"
    | "idle"
    | "interrupted";
}

export interface StateEvent {
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "state";
  data: StateData;
}

export interface StatusAnswer {
  /** The version of Steersman. */
  version: string;
  /** For new runs; null if none is configured. */
  model: string | null;
  /** For new runs. */
  mode: "read-only" | "ask" | "auto-edit" | "full-auto";
  /** For new runs. */
  thinking: "off" | "low" | "medium" | "high";
  sessions: SessionStatus[];
  approvals: PendingQuestion[];
}

/** The text goes into the run's next request to the model. */
export interface SteerAnswer {
  disposition: "steered";
  session: string;
  run: string;
  /** The id of the text in the queue, where it waits for that request. */
  id: string;
}

/** What the client can do beyond LSP. Unknown fields are ignored. */
export interface SteersmanOptions {
  /** The progress token that every session's events go to. */
  eventToken?: string | number | null;
  /** It takes questions by `steersman/requestApproval`. */
  approval?: boolean | null;
  /** It saves documents by `steersman/save`. */
  save?: boolean | null;
  /** It lists all its open documents, including those that this server is not attached to, by `steersman/openDocuments`. */
  openDocuments?: boolean | null;
  /** It passes on the diagnostics of all its language servers by `$/steersman/diagnostics`. */
  diagnostics?: boolean | null;
  /** It asks its user for a line of text by `steersman/input`. */
  input?: boolean | null;
  /** The tools that can be called by `steersman/callTool`: names of known tools, and tools of its own. */
  tools?: (string | ClientTool)[] | null;
  /** Its user has not trusted the workspace: no instructions or settings in it are followed, no mode is looser than `ask`, and nobody is asked about trust. */
  untrusted?: boolean | null;
  /** The version of the protocol that the client was written for. */
  version?: string | null;
}

export interface StreamedBlock {
  index: number;
  kind: "text" | "thinking" | "refusal" | "toolCall";
  text: string;
}

/** The part of a streaming message that has arrived. */
export interface StreamedMessage {
  messageId: string;
  blocks: StreamedBlock[];
}

/** A prompt template. A message that begins with `/name` calls it. */
export interface TemplateInfo {
  name: string;
  /** "" if it has none. */
  description: string;
  /** The arguments that it takes. */
  hint: string;
  source: "user" | "workspace";
  path: string;
  /** Why it can't be used. */
  problem?: string;
}

export interface TemplatesAnswer {
  /** By name. */
  templates: TemplateInfo[];
}

export interface TemplatesParams {
  /** URI or path of the workspace folder. Default: the first one. */
  root?: string | null;
}

export interface TextBlock {
  type: "text" | "refusal";
  text: string;
  /** What was attached to a message or a result, by name: `src/app.py#L3-L9`, `diagnostics`. It was not typed. */
  attached?: string;
}

/** A block of a tool's result. */
export interface TextContent {
  type: "text";
  text: string;
}

export interface TextParams {
  text: string;
  /** Default: the only live one. */
  run?: string | null;
  context?: ContextParams | null;
}

export interface ThinkingBlock {
  type: "thinking";
  text: string;
  /** The provider hid the text. */
  redacted?: true;
  signature?: string;
}

export interface ToolCallBlock {
  type: "toolCall";
  id: string;
  name: string;
  /** As the model wrote them. */
  arguments: string;
  providerId?: string;
  signature?: string;
}

/** A call of a tool of the client's own. */
export interface ToolCallData {
  name: string;
  arguments: Record<string, JsonValue>;
}

/** The one result of a call. */
export interface ToolEndData {
  toolCallId: string;
  name: string;
  outcome:
    | "ok"
    | "failed"
    | "unknownTool"
    | "badArguments"
    | "denied"
    | "truncated"
    | "aborted"
    | "notExecuted";
  isError: boolean;
  content: (TextBlock | ImageBlock | ThinkingBlock | ToolCallBlock)[];
  durationMs: number;
  /** For clients; no model sees it. */
  details?: Record<string, JsonValue>;
  denial?: DenialMark;
}

export interface ToolEndEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "tool_execution_end";
  data: ToolEndData;
}

/** The call was prepared and allowed; from here on it may have effects. */
export interface ToolRunningData {
  toolCallId: string;
}

export interface ToolRunningEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "tool_execution_running";
  data: ToolRunningData;
}

/** A committed call begins, even one that will not be executed. */
export interface ToolStartData {
  toolCallId: string;
  name: string;
  /** As they will be used. */
  args: Record<string, JsonValue>;
  /** As the model wrote them, where they are no JSON object. */
  argsText?: string;
}

export interface ToolStartEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "tool_execution_start";
  data: ToolStartData;
}

/** More live output. */
export interface ToolUpdateData {
  toolCallId: string;
  /** In UTF-16 code units. */
  offset: number;
  text: string;
}

export interface ToolUpdateEvent {
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "tool_execution_update";
  data: ToolUpdateData;
}

/** The transcript will be shown by `window/showDocument`, or else named in a message. */
export interface TranscriptAnswer {
  session: string;
  /** Of a read-only file, or of a document of the scheme `steersman`. */
  uri: string;
}

export interface TranscriptParams {
  /** Default: the live one, else the one that was used last. */
  session?: string | null;
}

/** The answer and the results of its calls are complete. */
export interface TurnEndData {
  turn: number;
  stopReason: "stop" | "tool_calls" | "length" | "content_filter" | "refusal" | "aborted" | "error";
  /** In declared order. */
  toolCallIds: string[];
}

export interface TurnEndEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "turn_end";
  data: TurnEndData;
}

/** A turn begins: the model is asked. */
export interface TurnStartData {
  turn: number;
}

export interface TurnStartEvent {
  /** Its number in the session's log, without a gap; none for what is not kept. */
  seq?: number;
  session: string;
  run?: string;
  turn?: number;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  type: "turn_start";
  data: TurnStartData;
}

/** Tokens of one request, or of all requests of a run. */
export interface UsageData {
  /** Includes what was read from or written to a cache. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Part of `output`. */
  reasoning: number;
  /** US dollars; null if any part of the price is not known. */
  cost: number | null;
}

/** With `place: here`: the session continues from before the message. No file was changed. */
export interface WentBackAnswer {
  session: string;
  title: string | null;
  model: string | null;
  usage: UsageData;
  state:
    | "streaming"
    | "tool"
    | "waitingApproval"
    | "waitingInput"
    | "retrying"
    | "compacting"
    | "aborting"
    | "idle"
    | "interrupted";
  queue: QueuedItem[];
  /** The live one. */
  run?: string;
  /** Id of the node that the next message follows. */
  tip: string | null;
  /** The number of its last event. `steersman.events` gives all of them. */
  seq: number;
  roots: string[];
  /** The message's text, to be changed and sent again. */
  text: string;
}

// Made by `steersman schema --typescript`; changes belong in the server's models.
// `Event` is told apart by its `type`; `Commands` says what each command takes and answers.

export interface AbortAnswer {
  /** False: there was nothing to abort, or it was aborting already. */
  aborted: boolean;
}

export interface AbortParams {
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
  /** As it was asked for; what it may have is in the `config` that follows. */
  mode: "read-only" | "ask" | "auto-edit" | "full-auto";
  /** Empty when it goes on from what there is. */
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
  /** With an accept: what is written in place of what was proposed. */
  edited?: EditedText[] | null;
  /** With an accept: ids of the only hunks to be made. Not beside `edited`. */
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
  /** An accepted question: its file has changed so that its hunks would be others. */
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
  /** An accepted question: its file has changed so that its hunks would be others. */
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

/** What `steersman/approvalTexts` asks for. */
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
  /** With an accept: what is written in place of what was proposed. */
  edited?: EditedText[] | null;
  /** With an accept: ids of the only hunks to be made. Not beside `edited`. */
  hunks?: string[] | null;
  id: string;
}

export interface AskParams {
  /** What the user is asked. */
  question: string;
  context?: ContextParams | null;
  /** For the run. With `read-only` it begins beside one that is live; otherwise it is a follow-up then. */
  mode?: "read-only" | "ask" | "auto-edit" | "full-auto" | null;
}

export interface BaseVersion {
  /** Null where there is no file yet. */
  sha256: string | null;
  /** In the editor. */
  version?: number;
}

/** Ceilings of one run. */
export interface BudgetParams {
  turns?: number | null;
  seconds?: number | null;
  tokens?: number | null;
  /** US dollars. */
  cost?: number | null;
}

/** The answer to `steersman/callTool`: `content`, or `data` from a known tool. More fields are ignored. */
export interface CallToolAnswer {
  /** For the model. */
  content?: string | TextContent[] | null;
  /** Of a known tool only, in place of `content`: the result of the LSP request, as it came; null for nothing. */
  data?: JsonValue;
  /** The call failed; `content` says why. */
  isError?: boolean;
}

/** The params of `steersman/callTool`. */
export interface CallToolRequest {
  session: string;
  run: string;
  toolCallId: string;
  /** As the client named the tool. */
  name: string;
  /** Of a known tool: the params of its LSP request. Of the client's own: what the model gave, of which only the names and types at the top have been looked at. */
  arguments: Record<string, JsonValue>;
}

/** A file of a question, LF line ends; `oldText` is empty for a new one, `newText` for one that is deleted. */
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

/** A tool that the client offers to models; it is called by `steersman/callTool`. */
export interface ClientTool {
  name: string;
  /** For the model: what it does and when to use it. */
  description: string;
  /** JSON Schema of its arguments, an object. */
  parameters: Record<string, JsonValue>;
  /** It changes nothing, so that the user is not asked before it is called. */
  readOnly?: boolean;
}

/** The user has closed the question: nothing was done. */
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
  /** Goes on after a limit, a cut answer, an error or an interruption. */
  "steersman.continue": {
    params: ContinueParams | string;
    answer: StartAnswer;
  };
  /** Says something to a live run, now. */
  "steersman.steer": {
    params: TextParams | string;
    answer: SteerAnswer;
  };
  /** Says something when the run would end; begins a run when none is live. */
  "steersman.followUp": {
    params: TextParams | string;
    answer: QueuedAnswer | StartedAnswer;
  };
  /** Does what a comment says, and takes the comment out of its file. */
  "steersman.doComment": {
    params: DoCommentParams;
    answer: StartedAnswer | SteerAnswer | QueuedAnswer;
  };
  /** Asks the user for a prompt, by `steersman/input`, and says it. Answers when they have. */
  "steersman.ask": {
    params: AskParams;
    answer: StartedAnswer | QueuedAnswer | ClosedAnswer;
  };
  /** What waits to be said to a live run: shown, changed, put in another order, taken out. */
  "steersman.queue": {
    params: QueueParams | string;
    answer: QueueAnswer;
  };
  /** Stops a run. Harmless twice. */
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
  /** Shows what a question is about: the diff, or the command. */
  "steersman.showQuestion": {
    params: ShowQuestionParams | string;
    answer: ShowQuestionAnswer;
  };
  /** What is open, runs and waits for an answer. */
  "steersman.status": {
    params: NoParams;
    answer: StatusAnswer;
  };
  /** The durable events after a number, and what is being streamed. */
  "steersman.events": {
    params: EventsParams | string;
    answer: EventsAnswer;
  };
  /** Sets model, mode and thinking of a session, or of all new runs. */
  "steersman.configure": {
    params: ConfigureParams;
    answer: ConfigureAnswer;
  };
  /** The models that there are to name, asked from the providers; why others can't be used, and what to do. */
  "steersman.models": {
    params: ModelsParams | string;
    answer: ModelsAnswer;
  };
  /** The prompt templates, called by `/name`. */
  "steersman.templates": {
    params: TemplatesParams | string;
    answer: TemplatesAnswer;
  };
  /** The kept sessions. */
  "steersman.sessions": {
    params: SessionsParams | string;
    answer: SessionsAnswer;
  };
  /** Opens a kept session, to go on where it stands or from one of its messages. */
  "steersman.resume": {
    params: ResumeParams | string;
    answer: ResumeAnswer;
  };
  /** Goes on from before a message, in a copy or in place. Changes no file. */
  "steersman.fork": {
    params: ForkParams | string;
    answer: ForkAnswer | WentBackAnswer;
  };
  /** Has old messages summarised for the model. Nothing is lost: the log keeps them. */
  "steersman.compact": {
    params: CompactParams | string;
    answer: CompactAnswer;
  };
  /** The messages of a session to which its changes of files can be taken back. */
  "steersman.checkpoints": {
    params: CheckpointsParams | string;
    answer: CheckpointsAnswer;
  };
  /** Takes back what was changed since a checkpoint, or tells what that would do. */
  "steersman.revert": {
    params: RevertParams;
    answer: RevertPreview | OperationAnswer;
  };
  /** Writes a session's transcript to a file: an HTML page that needs nothing else, or Markdown. */
  "steersman.export": {
    params: ExportParams | string;
    answer: ExportAnswer;
  };
  /** Shows a session's transcript, which goes on with it. */
  "steersman.transcript": {
    params: TranscriptParams | string;
    answer: TranscriptAnswer;
  };
  /** Gives a session a title. */
  "steersman.rename": {
    params: RenameParams;
    answer: RenameAnswer;
  };
  /** Deletes a session for good. What it did to files stays. */
  "steersman.delete": {
    params: DeleteParams;
    answer: DeleteAnswer;
  };
}

/** `compaction_start` and `compaction_end` tell what comes of it. */
export interface CompactAnswer {
  session: string;
  /** A run is live: before its next request. */
  run?: string;
  /** No run is live: now. `steersman.abort` ends it. */
  operation?: string;
}

export interface CompactParams {
  /** The live one, else the one that was used last, without. */
  session?: string | null;
  /** What the summary should see to. */
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

/** What holds from now on. */
export interface ConfigureAnswer {
  model: string | null;
  mode: "read-only" | "ask" | "auto-edit" | "full-auto";
  thinking: "off" | "low" | "medium" | "high";
}

export interface ConfigureParams {
  /** All new runs of this server, without. */
  session?: string | null;
  model?: string | null;
  mode?: "read-only" | "ask" | "auto-edit" | "full-auto" | null;
  thinking?: "off" | "low" | "medium" | "high" | null;
}

/** What the user points at, told to the model with the prompt. */
export interface ContextParams {
  uris?: string[];
  selections?: SelectionParams[];
  diagnostics?: DiagnosticParams[];
  images?: ImageParams[];
}

export interface ContinueParams {
  /** The one that was used last, without. */
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
  /** Whose comments are meant. Positions as negotiated at initialize. */
  range: Span;
  /** What the one comment says that is meant, wherever it is by now; all in the range without. */
  text?: string | null;
  /** `start` is a follow-up while a run is live, the others are a start when none is. */
  how?: "start" | "steer" | "followUp";
  /** To steer, or to follow: the only live one, without. */
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

/** A file is about to be changed: what a crash leaves there is known by it. */
export interface EditStartData {
  toolCallId: string | null;
  uri: string;
  /** Of what will be there; null if nothing will be. */
  sha256: string | null;
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

/** A file of a question as the user has rewritten it. */
export interface EditedText {
  uri: string;
  /** The whole text. Where a line end comes in, it becomes the file's own. */
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
  | ExportEndEvent
  | NoticeEvent;

export interface EventsAnswer {
  /** The durable ones, oldest first. */
  events: Event[];
  /** There are more than fit: ask again, after the last of these. */
  more: boolean;
  streaming: StreamedMessage | null;
}

export interface EventsParams {
  session: string;
  run?: string | null;
  /** The number of the last event that is known; 0 for all. */
  after?: number;
  limit?: number | null;
}

/** `capabilities.experimental` of the server. */
export interface ExperimentalCapabilities {
  steersman: ServerFeatures;
}

/** It is under way; `export_end` tells when the file is there. `steersman.abort` ends it. */
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
  /** URI or absolute path of the file; a new one in Steersman's own folder, which the editor then shows, without. */
  path?: string | null;
  /** Also what was left by going back. */
  allBranches?: boolean;
  /** A file with this path may be replaced. */
  overwrite?: boolean;
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
  /** `done`: it is already as it was. `conflict`: somebody else has changed it since. `unavailable`: see `reason`. */
  state: "ready" | "done" | "conflict" | "unavailable";
  reason?: string;
  /** Unified: what the revert would do. */
  diff?: string;
  added?: number;
  removed?: number;
}

/** Paths as the model wrote them. */
export interface FilesSeen {
  read: string[];
  changed: string[];
}

/** `place: new`. */
export interface ForkAnswer {
  /** The copy. */
  session: string;
  forkedFrom: string;
  /** Of the message, to be changed and sent again. */
  text?: string;
}

export interface ForkOrigin {
  session: string;
  /** The last that was copied. */
  node: string | null;
}

export interface ForkParams {
  session: string;
  /** Id of a message of the user: everything before it. Without: the whole branch, as a new session. */
  message?: string | null;
  /** `new`: a session of its own. `here`: a branch of this one, which goes on from before the message. */
  place?: "new" | "here";
}

/** The tip of the session's tree was moved: the next message follows another one than the last. */
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
  /** As the client knows it; what the bytes are counts. */
  mimeType: string;
}

/** `initializationOptions`, or `capabilities.experimental`, of the client. */
export interface InitializationOptions {
  steersman?: SteersmanOptions | null;
}

/** The answer to `steersman/input`; null if the user closed the question. */
export interface InputAnswer {
  /** As it was typed. An empty one is no answer. */
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
  /** Empty, as the two below, where no run asks: `steersman.ask` wants a prompt. */
  session: string;
  run: string;
  toolCallId: string;
  /** What is asked. */
  prompt: string;
  /** Suggestions, two to six. Any other text is an answer as well. */
  options?: string[];
}

/** `data` of error -32602: the parameters of a command don't fit. */
export interface InvalidParamsData {
  /** That is wrong, as a path with dots. */
  field: string;
  /** JSON Schema of what the command takes. */
  schema?: Record<string, JsonValue>;
}

/** Any JSON value. */
export type JsonValue = unknown;

export interface ListedCheckpoint {
  /** Id of the user's message, or of the revert. */
  checkpoint: string;
  title: string;
  /** Milliseconds since 1970, UTC. */
  ts: number;
  /** URIs of what was changed before the next one. */
  files: string[];
}

/** A document that is open in the editor. */
export interface ListedDocument {
  uri: string;
  /** It has text that is not saved. */
  dirty: boolean;
  /** The user sees it. If it is said of any document, what is not in the list is not told to models as open. */
  visible?: boolean | null;
  /** The user is in it. */
  active?: boolean | null;
}

/** A session as its log tells it. */
export interface ListedSession {
  session: string;
  title: string | null;
  /** Milliseconds since 1970, UTC. */
  created: number;
  /** When its last record was written. */
  updated: number;
  /** URIs of its folders; the first is its own. */
  roots: string[];
  model: string | null;
  /** Null where no run of it has ended. */
  usage: UsageData | null;
  state: "idle" | "interrupted" | "live" | "unknown";
  /** Another process has it open. */
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
  /** Of a message of the user's: the extension that said it in the user's place. */
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

/** US dollars for a million tokens; what is not known is left out. */
export interface ModelPrice {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

export interface ModelsAnswer {
  /** Of new runs; null where none is configured. */
  model: string | null;
  /** Those that are usable first. */
  providers: OfferingProvider[];
  /** Path of the user's file: keys and base URLs can stand in its tables `[providers.NAME]` too. */
  config: string;
}

export interface ModelsParams {
  /** Only of this one; all without. */
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

/** A model that can be named; what is not known of it is left out. */
export interface OfferedModel {
  /** As `steersman.configure` takes it: `PROVIDER:NAME`. */
  model: string;
  /** At its provider. */
  name: string;
  /** Tokens of prompt and answer together, as they are served. */
  contextWindow?: number;
  /** Tokens of one answer. */
  maxOutput?: number;
  /** It takes images. */
  images?: boolean;
  /** It takes a thinking level. */
  thinking?: boolean;
  price?: ModelPrice;
  /** It is ready, where the server loads its models when they are asked for. */
  loaded?: boolean;
}

/** A provider, or a server on this machine that is no provider's. */
export interface OfferingProvider {
  /** The part of `PROVIDER:NAME` before the colon. */
  provider: string;
  /** For people. */
  title: string;
  /** A run could begin with it. False: its models can't be named yet. */
  usable: boolean;
  /** A program that people run themselves. */
  local: boolean;
  /** Host and port, where it was asked or is looked for. */
  server?: string;
  /** In the server's order. */
  models: OfferedModel[];
  /** How many there are beside these. */
  leftOut: number;
  /** Why it can't be used; or why it told no models, though a run may work. */
  problem?: string;
  /** What to do about that. */
  mend?: string;
}

export interface OpenDocument {
  uri: string;
  /** It has text that is not saved. */
  dirty: boolean;
  /** The user sees it. If it is said of any document, what is not in the list is not told to models as open. */
  visible?: boolean | null;
  /** The user is in it. */
  active?: boolean | null;
  /** That an edit of it is bound to; null without versions. */
  version?: number | null;
  /** The whole text; of those that were asked for by name. */
  text?: string | null;
}

/** The answer to `steersman/openDocuments`. */
export interface OpenDocumentsAnswer {
  documents: OpenDocument[];
}

/** The params of the notification `steersman/openDocumentsChanged`. */
export interface OpenDocumentsChanged {
  /** All that are open, each time. */
  documents: ListedDocument[];
}

/** The params of `steersman/openDocuments`. */
export interface OpenDocumentsRequest {
  /** Of the documents whose text is wanted; without, all that are open, without their text. */
  uris?: string[];
}

/** It is under way; `revert_end` tells what became of each file. `steersman.abort` ends it. */
export interface OperationAnswer {
  session: string;
  operation: string;
}

/** A question that has no answer yet: the data of its `approval_requested`, and whose it is. */
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
  /** An accepted question: its file has changed so that its hunks would be others. */
  supersedes?: string;
  session: string;
  run: string;
}

export interface Place {
  line: number;
  character: number;
}

/** What waits, after what was done. */
export interface QueueAnswer {
  session: string;
  run: string;
  /** Steering first; in each kind in the order of delivery. */
  items: QueuedItem[];
  /** What was taken out, for who wants it back. */
  removed?: QueuedItem[];
}

export interface QueueParams {
  op?: "list" | "edit" | "remove" | "move" | "clear";
  /** The only live one, without. */
  run?: string | null;
  /** Of the item to edit, remove or move. */
  id?: string | null;
  /** What an edited item says from now on. */
  text?: string | null;
  /** Where an item is moved: its place among those of its kind, from 0; the end without. */
  to?: number | null;
  /** What a moved item becomes; what it is, without. */
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

/** The text waits until the run would end. */
export interface QueuedAnswer {
  disposition: "queued";
  session: string;
  run: string;
  /** Of the text in the queue. */
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

/** `data` of error -32803: it can't be done now, or at all. */
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
    | "staleBase"
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
  /** What was said and is handed back: put it where the user can send it again. */
  text?: string;
  session?: string;
  run?: string;
  /** To choose from. */
  runs?: string[];
  /** Of a question, or of an item of the queue. */
  id?: string;
  /** What the question takes. */
  decisions?: ("accept" | "acceptForRun" | "acceptForSession" | "decline" | "cancel")[];
  root?: string;
  uri?: string;
  /** Characters. */
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

/** A diagnostic of LSP. Its other members are ignored. */
export interface ReportedDiagnostic {
  range: Span;
  message: string;
  /** Error, warning, information, hint; an error without. */
  severity?: number | null;
  source?: string | null;
  code?: string | number | null;
}

/** The params of `$/steersman/diagnostics`: all that is known of one document, in place of what was told before. */
export interface ReportedDiagnostics {
  uri: string;
  /** Of the document that the diagnostics are about, if that is known for certain. */
  version?: number | null;
  /** Empty: there are none (any more). */
  diagnostics: ReportedDiagnostic[];
}

/** The session is open here. */
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
  /** The number of its last event: `steersman.events` tells them all. */
  seq: number;
  roots: string[];
}

export interface ResumeParams {
  session: string;
  /** Id of a message, to go on from it; where the session stands, without. */
  node?: string | null;
}

/** A response failed and is asked for again. */
export interface RetryData {
  /** That failed. */
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
  /** Id of a checkpoint, or of a run: its first message. */
  checkpoint: string;
  /** URIs of those to take back; all without. */
  files?: string[] | null;
  /** Only tell what would be done. False does it: the user has seen it and said yes. */
  preview?: boolean;
  /** By URI, for files that were changed since by somebody else: `restore` takes the file back all the same, `keep` settles for what is there, `skip` leaves it for now. */
  onConflict?: Record<string, "keep" | "restore" | "skip"> | null;
}

export interface RevertPreview {
  session: string;
  checkpoint: string;
  files: FileToRevert[];
  /** That ran since: what they did is not taken back. */
  commands: string[];
  /** URIs of files that were last written while a command ran. */
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
  /** URIs. */
  saved: string[];
}

/** The params of `steersman/save`. */
export interface SaveRequest {
  uris: string[];
}

/** A part of a document that the prompt is about. Positions as negotiated at initialize. */
export interface SelectionParams {
  uri: string;
  range: Span;
  /** What is selected; taken from the open document if it is left out. */
  text?: string | null;
}

export interface ServerFeatures {
  /** Of the protocol. */
  version: string;
  /** Names of the features that were asked for and are used. */
  uses: string[];
  /** Of the tools that the client has offered, those that models have. */
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
  /** The one that was used last comes first. */
  sessions: ListedSession[];
}

export interface SessionsParams {
  /** URI or path of a folder: only the sessions that were begun there; all without. */
  root?: string | null;
  /** Words that the title has. */
  query?: string;
  limit?: number;
}

/** It will be shown by `window/showDocument`, or named in a message. */
export interface ShowQuestionAnswer {
  id: string;
  /** Of its document, which goes with the question. */
  uri: string;
}

export interface ShowQuestionParams {
  /** Of a pending question; without, the one that has waited the longest. */
  id?: string | null;
}

export interface Span {
  start: Place;
  end: Place;
}

/** A run will begin; nothing of it is told before this answer. */
export interface StartAnswer {
  session: string;
  run: string;
  /** Of its work-done progress. */
  token: string;
}

export interface StartParams {
  prompt: string;
  /** A session to go on in; a new one is made without. */
  session?: string | null;
  /** URI or path of the workspace folder to work in; the first one without. */
  root?: string | null;
  context?: ContextParams | null;
  /** `PROVIDER:NAME`. */
  model?: string | null;
  /** For this run. */
  mode?: "read-only" | "ask" | "auto-edit" | "full-auto" | null;
  /** How much the model is to think before it answers, where it takes a level. It holds for the session. */
  thinking?: "off" | "low" | "medium" | "high" | null;
  budget?: BudgetParams | null;
}

/** No run was live: one begins with the text. */
export interface StartedAnswer {
  session: string;
  run: string;
  /** Of its work-done progress. */
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
  /** Of Steersman. */
  version: string;
  /** Of new runs; null where none is configured. */
  model: string | null;
  /** Of new runs. */
  mode: "read-only" | "ask" | "auto-edit" | "full-auto";
  /** Of new runs. */
  thinking: "off" | "low" | "medium" | "high";
  sessions: SessionStatus[];
  approvals: PendingQuestion[];
}

/** The text joins the run's next request. */
export interface SteerAnswer {
  disposition: "steered";
  session: string;
  run: string;
  /** Of the text in the queue, where it waits for that request. */
  id: string;
}

/** What the client can do more than LSP says. Unknown fields are ignored. */
export interface SteersmanOptions {
  /** Every session's events go to this progress token. */
  eventToken?: string | number | null;
  /** Questions come as `steersman/requestApproval`. */
  approval?: boolean | null;
  /** It saves documents by `steersman/save`. */
  save?: boolean | null;
  /** It says what it has open beyond the documents that this server is attached to, by `steersman/openDocuments`. */
  openDocuments?: boolean | null;
  /** It passes on the diagnostics of all its language servers, by `$/steersman/diagnostics`. */
  diagnostics?: boolean | null;
  /** It asks its user for a line of text, by `steersman/input`. */
  input?: boolean | null;
  /** What it can be asked to do by `steersman/callTool`: names of known tools, and tools of its own. */
  tools?: (string | ClientTool)[] | null;
  /** Its user has not trusted the workspace: nothing in it is followed, no mode is looser than `ask`, and nobody is asked about trust. */
  untrusted?: boolean | null;
  /** Of the protocol that the client was written for. */
  version?: string | null;
}

export interface StreamedBlock {
  index: number;
  kind: "text" | "thinking" | "refusal" | "toolCall";
  text: string;
}

/** A message that is being streamed, as far as it got. */
export interface StreamedMessage {
  messageId: string;
  blocks: StreamedBlock[];
}

/** A prompt template, called by `/name` at the start of a message. */
export interface TemplateInfo {
  name: string;
  /** "" if it has none. */
  description: string;
  /** What arguments it takes. */
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
  /** URI or path of the workspace folder; the first one without. */
  root?: string | null;
}

export interface TextBlock {
  type: "text" | "refusal";
  text: string;
  /** What was attached to a message or a result, by name: `src/app.py#L3-L9`, `diagnostics`. It was not typed. */
  attached?: string;
}

/** A block of what a tool says. */
export interface TextContent {
  type: "text";
  text: string;
}

export interface TextParams {
  text: string;
  /** The only live one, without. */
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

/** Prepare has passed; from here on there may be effects. */
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

/** A committed call is taken up, also one that will not run. */
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

/** It will be shown by `window/showDocument`, or named in a message. */
export interface TranscriptAnswer {
  session: string;
  /** Of the transcript: a file that is only to be read, or a document of the scheme `steersman`. */
  uri: string;
}

export interface TranscriptParams {
  /** The live one, else the one that was used last, without. */
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
  /** What was read from or written to a cache included. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Part of `output`. */
  reasoning: number;
  /** US dollars; null where the price is not known, of one part of it at least. */
  cost: number | null;
}

/** `place: here`: the session goes on from before the message. No file was changed. */
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
  /** The number of its last event: `steersman.events` tells them all. */
  seq: number;
  roots: string[];
  /** Of the message, to be changed and sent again. */
  text: string;
}

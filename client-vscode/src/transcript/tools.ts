/** A tool call from its first character to its result; each step returns a new entry. Pure. */

import type {
  ApprovalRequestedData,
  ApprovalResolvedData,
  EditAppliedData,
  ToolCallBlock,
  ToolEndData,
  ToolStartData,
  ToolUpdateData,
} from "../protocol";
import { changesDone } from "./changes";
import type { AppliedEdit, Discarded, ToolEntry } from "./entries";

/** UTF-16 code units of live output that are kept; nobody reads more. */
export const LIVE_OUTPUT = 20_000;

const BARE = {
  kind: "tool",
  callId: "",
  name: "",
  args: {},
  argsText: "",
  output: "",
  outputStart: 0,
  images: [],
  changes: [],
  edits: [],
} as const;

/** A call that the model is still writing; its name comes with the complete message. */
export function writtenCall(id: string, argsText: string): ToolEntry {
  return { ...BARE, id, argsText, state: "writing" };
}

export function committedCall(id: string, block: ToolCallBlock): ToolEntry {
  const { id: callId, name, arguments: argsText } = block;
  return { ...BARE, id, callId, name, args: parsed(argsText), argsText, state: "waiting" };
}

export function discardedCall(id: string, block: ToolCallBlock, discarded: Discarded): ToolEntry {
  return { ...committedCall(id, block), callId: "", state: "ended", discarded };
}

export function started(call: ToolEntry, { name, args, argsText }: ToolStartData): ToolEntry {
  return { ...call, name, args, argsText: argsText ?? call.argsText };
}

export function asked(call: ToolEntry, { id, title, changes }: ApprovalRequestedData): ToolEntry {
  return { ...call, state: "waiting", changes, approval: { id, title } };
}

/** The answer to a superseded question changes nothing. */
export function answered(call: ToolEntry, data: ApprovalResolvedData): ToolEntry {
  if (call.approval?.id !== data.id) return call;
  const { decision, feedback, edited, hunks } = data;
  return {
    ...call,
    approval: {
      ...call.approval,
      decision,
      ...(feedback === undefined ? {} : { feedback }),
      ...(edited ? { edited } : {}),
      ...(hunks ? { partly: true } : {}),
    },
  };
}

export function running(call: ToolEntry, ts: number): ToolEntry {
  return call.state === "ended" ? call : { ...call, state: "running", startedAt: ts };
}

/** Adds live output. A gap in it is not filled before the end, so the output begins again after the gap. */
export function outputMore(call: ToolEntry, { offset, text }: ToolUpdateData): ToolEntry {
  if (call.state === "ended") return call;
  const end = call.outputStart + call.output.length;
  if (offset + text.length <= end) return call;
  if (offset > end) return bounded(call, text, offset);
  return bounded(call, call.output + text.slice(end - offset), call.outputStart);
}

/** Cuts only when there is twice as much as is kept, so that not every piece copies the whole output. */
function bounded(call: ToolEntry, output: string, outputStart: number): ToolEntry {
  if (output.length <= 2 * LIVE_OUTPUT) return { ...call, output, outputStart };
  const cut = output.length - LIVE_OUTPUT;
  return { ...call, output: output.slice(cut), outputStart: outputStart + cut };
}

export function edited(call: ToolEntry, data: EditAppliedData): ToolEntry {
  return { ...call, edits: [...call.edits, appliedEdit(data)] };
}

export function appliedEdit({ uri, kind, added, removed, unsaved, target }: EditAppliedData): AppliedEdit {
  return { uri, kind, added, removed, unsaved, ...(target === undefined ? {} : { target }) };
}

/** Adds the result; a second one changes nothing. */
export function ended(call: ToolEntry, data: ToolEndData): ToolEntry {
  if (call.state === "ended") return call;
  const output = data.content.flatMap((block) => ("text" in block ? [block.text] : [])).join("\n");
  const images = data.content.filter((block) => block.type === "image");
  const exitCode = data.details?.exitCode;
  const { name, outcome, isError, durationMs, denial } = data;
  return {
    ...call,
    name,
    state: "ended",
    outcome,
    isError,
    output,
    outputStart: 0,
    images,
    durationMs,
    // A failed call may have changed some of its files.
    changes: outcome === "ok" || call.edits.length > 0 ? changesDone(call, data, output) : call.changes,
    ...(typeof exitCode === "number" ? { exitCode } : {}),
    ...(denial ? { denial } : {}),
  };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/**
 * A message that is being streamed, assembled from pieces with offsets. Text beyond a gap waits; text that is there already
 * changes nothing. Pure. The rules are in protocol.md, "Events".
 */

import type { MessageUpdateData, StreamedMessage } from "../protocol";
import type { BlockKind, Entry } from "./entries";
import { writtenCall } from "./tools";

interface Piece {
  readonly offset: number;
  readonly text: string;
}

export interface Block {
  readonly kind: BlockKind;
  readonly text: string;
  /** Pieces beyond a gap, by offset. */
  readonly waiting: readonly Piece[];
  readonly entry: Entry | undefined;
}

export interface OpenMessage {
  /** Its `message_start` has come; before that it has no place in the transcript. */
  readonly started: boolean;
  readonly blocks: ReadonlyMap<number, Block>;
}

export const UNSEEN: OpenMessage = { started: false, blocks: new Map() };

/** Adds a piece of a block. Returns the same object if nothing changes. */
export function updated(message: OpenMessage, update: MessageUpdateData): OpenMessage {
  const { messageId, index, kind, offset, text } = update;
  const before = message.blocks.get(index) ?? { kind, text: "", waiting: [], entry: undefined };
  const block = placed(before, { offset, text });
  if (block === before) return message;
  const entry = block.text === before.text ? before.entry : shown(messageId, index, block);
  return { ...message, blocks: new Map(message.blocks).set(index, { ...block, entry }) };
}

/** Adds the message as answered to a question: its blocks from offset 0. */
export function asOf(message: OpenMessage, told: StreamedMessage): OpenMessage {
  return told.blocks.reduce(
    (now, block) => updated(now, { messageId: told.messageId, offset: 0, ...block }),
    message,
  );
}

/** The entries to show, in the order of the blocks. */
export function openEntries(message: OpenMessage): Entry[] {
  if (!message.started) return [];
  const order = [...message.blocks].sort(([a], [b]) => a - b);
  return order.flatMap(([, { entry }]) => (entry ? [entry] : []));
}

function placed(block: Block, piece: Piece): Block {
  const known = block.text.length;
  if (piece.offset > known) {
    const waiting = [...block.waiting, piece].sort((a, b) => a.offset - b.offset);
    return { ...block, waiting };
  }
  if (piece.offset + piece.text.length <= known) return block;
  // The engine does not copy a growing string at each `+`, so that the cost of a long answer is linear.
  let text = block.text + (piece.offset === known ? piece.text : piece.text.slice(known - piece.offset));
  let used = 0;
  for (const next of block.waiting) {
    if (next.offset > text.length) break;
    text += next.text.slice(text.length - next.offset);
    used += 1;
  }
  return { ...block, text, waiting: used > 0 ? block.waiting.slice(used) : block.waiting };
}

function shown(messageId: string, index: number, { kind, text }: Block): Entry {
  const id = blockId(messageId, index);
  if (kind === "toolCall") return writtenCall(id, text);
  return { kind, id, messageId, text, streaming: true };
}

export function blockId(messageId: string, index: number): string {
  return `${messageId}/${index}`;
}

/**
 * A message that is being streamed, built up from pieces that know their place. Pure; protocol.md, "Events", says the
 * rules: text beyond a hole waits, what is there already changes nothing.
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
  /** Beyond a hole, by their offset. */
  readonly waiting: readonly Piece[];
  readonly entry: Entry | undefined;
}

export interface OpenMessage {
  /** Its `message_start` has come: before that it has no place in the transcript. */
  readonly started: boolean;
  readonly blocks: ReadonlyMap<number, Block>;
}

export const UNSEEN: OpenMessage = { started: false, blocks: new Map() };

/** More of a block. The same object where it changes nothing. */
export function updated(message: OpenMessage, update: MessageUpdateData): OpenMessage {
  const { messageId, index, kind, offset, text } = update;
  const before = message.blocks.get(index) ?? { kind, text: "", waiting: [], entry: undefined };
  const block = placed(before, { offset, text });
  if (block === before) return message;
  const entry = block.text === before.text ? before.entry : shown(messageId, index, block);
  return { ...message, blocks: new Map(message.blocks).set(index, { ...block, entry }) };
}

/** The message as of a question: its blocks from offset 0. */
export function asOf(message: OpenMessage, told: StreamedMessage): OpenMessage {
  return told.blocks.reduce(
    (now, block) => updated(now, { messageId: told.messageId, offset: 0, ...block }),
    message,
  );
}

/** What is shown of it, in the order of its blocks. */
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
  // A growing string is not copied at each `+` by the engine, so that a long answer costs what it is long.
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

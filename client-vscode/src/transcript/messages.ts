/** The entries of a complete message. Pure. */

import type { DiscardedData, ImageBlock, MessageEndData, TextBlock, ThinkingBlock, ToolCallBlock } from "../protocol";
import type { Discarded, Entry, TextEntry, UserEntry } from "./entries";
import { blockId } from "./streamed";
import { committedCall, discardedCall } from "./tools";

type Content = TextBlock | ImageBlock | ThinkingBlock | ToolCallBlock;

export function entriesOf(data: MessageEndData): Entry[] {
  if (data.role === "user") return [userEntry(data)];
  if (data.role === "custom") return [customEntry(data)];
  return data.content.flatMap((block, index) => answerEntry(data.messageId, index, block));
}

/** What had been received of a discarded answer. */
export function entriesOfDiscarded({ messageId, partial, discarded }: DiscardedData): Entry[] {
  return partial.flatMap((block, index) => answerEntry(messageId, index, block, discarded));
}

/** Not worth a label: the editor's state goes with nearly every message, and a pasted image can be seen. */
const TELLS_NOTHING = /^(editor|image \d+)$/;

/** Blocks without `attached` are the typed text. */
function userEntry({ messageId, content, source }: MessageEndData): UserEntry {
  const texts = content.filter((block): block is TextBlock => block.type === "text");
  return {
    kind: "user",
    id: messageId,
    text: texts
      .filter(({ attached }) => attached === undefined)
      .map(({ text }) => text)
      .join("\n"),
    attached: texts.flatMap(({ attached }) => (attached === undefined || TELLS_NOTHING.test(attached) ? [] : attached)),
    images: content.filter((block): block is ImageBlock => block.type === "image"),
    ...(source === undefined ? {} : { source }),
  };
}

function customEntry({ messageId, content, kind }: MessageEndData): Entry {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { kind: "custom", id: messageId, label: kind ?? "", text };
}

function answerEntry(messageId: string, index: number, block: Content, discarded?: Discarded): Entry[] {
  const id = blockId(messageId, index);
  switch (block.type) {
    case "image":
      return [];
    case "toolCall":
      return [discarded ? discardedCall(id, block, discarded) : committedCall(id, block)];
    case "text":
    case "refusal":
      return [textEntry(block.type, id, messageId, block.text, discarded)];
    case "thinking": {
      const entry = textEntry("thinking", id, messageId, block.text, discarded);
      return [block.redacted ? { ...entry, redacted: true } : entry];
    }
  }
}

function textEntry(
  kind: TextEntry["kind"],
  id: string,
  messageId: string,
  text: string,
  discarded: Discarded | undefined,
): TextEntry {
  return { kind, id, messageId, text, streaming: false, ...(discarded ? { discarded } : {}) };
}

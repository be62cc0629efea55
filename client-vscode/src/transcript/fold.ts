/** A session's events as a transcript. Pure: the page shows it, tests replay logs through it. */

import type { Event, StreamedMessage, UsageData } from "../protocol";
import type { Transcript } from "./entries";

export type { Transcript } from "./entries";

const NO_USAGE: UsageData = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };

export function emptyTranscript(): Transcript {
  return { entries: [], usage: NO_USAGE, contextTokens: 0 };
}

/** The transcript after more events, which come in order (see `SessionFeed`). */
export function fold(transcript: Transcript, events: readonly Event[]): Transcript {
  const entries = [...transcript.entries];
  for (const event of events) {
    if (event.type === "message_end" && "content" in event.data) {
      for (const [index, block] of event.data.content.entries()) {
        if (block.type !== "text") continue;
        const id = `${event.data.messageId}/${index}`;
        entries.push({ kind: "text", id, messageId: event.data.messageId, text: block.text, streaming: false });
      }
    }
  }
  return { ...transcript, entries };
}

/** The message that is being streamed, as of a question: its blocks from offset 0. */
export function streaming(transcript: Transcript, message: StreamedMessage): Transcript {
  return message.blocks.length > 0 ? { ...transcript } : transcript;
}

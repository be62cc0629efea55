import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event } from "../../../src/protocol";
import { emptyTranscript, fold, type Transcript } from "../../../src/transcript/fold";
import { anySession } from "./anySession";
import { durable, recorded, RECORDINGS, visible } from "./events";

function inBatches(events: readonly Event[], sizes: readonly number[]): Transcript {
  let transcript = emptyTranscript();
  let at = 0;
  for (const size of sizes) {
    transcript = fold(transcript, events.slice(at, at + size));
    at += size;
  }
  return fold(transcript, events.slice(at));
}

const batches = fc.array(fc.nat({ max: 9 }), { maxLength: 60 });

test("a session makes the same transcript in whatever batches it comes", () => {
  fc.assert(
    fc.property(anySession, batches, (events, sizes) => {
      expect(visible(inBatches(events, sizes))).toEqual(visible(fold(emptyTranscript(), events)));
    }),
  );
});

test("the log alone makes the transcript that a live stream has made", () => {
  fc.assert(
    fc.property(anySession, (events) => {
      expect(visible(fold(emptyTranscript(), durable(events)))).toEqual(visible(fold(emptyTranscript(), events)));
    }),
  );
});

test("a batch leaves the transcript that it is applied to as it was", () => {
  fc.assert(
    fc.property(anySession, fc.nat(), (events, cut) => {
      const at = events.length > 0 ? cut % events.length : 0;
      const before = fold(emptyTranscript(), events.slice(0, at));
      const shown = structuredClone(visible(before));
      const once = fold(before, events.slice(at));
      expect(visible(before)).toEqual(shown);
      expect(visible(fold(before, events.slice(at)))).toEqual(visible(once));
    }),
  );
});

test("no two entries that are shown have one id", () => {
  fc.assert(
    fc.property(anySession, (events) => {
      const ids = fold(emptyTranscript(), events).entries.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }),
  );
});

describe.each(RECORDINGS)("the recorded session %s", (name) => {
  const events = recorded(name);

  test("makes one transcript, whole, event by event and from its log alone", () => {
    const whole = visible(fold(emptyTranscript(), events));
    expect(visible(inBatches(events, Array<number>(events.length).fill(1)))).toEqual(whole);
    expect(visible(fold(emptyTranscript(), durable(events)))).toEqual(whole);
  });

  test("has an end to all that it began", () => {
    const { entries } = fold(emptyTranscript(), events);
    for (const entry of entries) {
      if (entry.kind === "tool") expect(entry.state).toBe("ended");
      if (entry.kind === "text" || entry.kind === "thinking") expect(entry.streaming).toBe(false);
      if (entry.kind === "compaction" || entry.kind === "retry") expect(entry.busy).toBe(false);
    }
    expect(entries.at(-1)?.kind).toBe("runEnd");
  });
});

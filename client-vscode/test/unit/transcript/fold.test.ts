import { describe, expect, test } from "vitest";
import type { Event } from "../../../src/protocol";
import type { ToolEntry } from "../../../src/transcript/entries";
import { emptyTranscript, fold, streaming, type Transcript } from "../../../src/transcript/fold";
import { LIVE_OUTPUT } from "../../../src/transcript/tools";
import { recorded, Session, texts, USAGE } from "./events";

function folded(...events: (Event | readonly Event[])[]): Transcript {
  return fold(emptyTranscript(), events.flat());
}

function call(transcript: Transcript): ToolEntry {
  const entry = transcript.entries.find(({ kind }) => kind === "tool");
  if (entry?.kind !== "tool") throw new Error("no call is shown");
  return entry;
}

const begun = (session: Session, messageId: string): Event =>
  session.event("message_start", { messageId, role: "assistant" });

describe("a message of the user", () => {
  test("is what was typed, with the names of what went with it, its pictures and who said it", () => {
    const session = new Session();
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
    const { entries } = folded(
      session.message({
        messageId: "m1",
        role: "user",
        parent: null,
        source: "nightly",
        content: [
          { type: "text", text: "look at @a.py" },
          { type: "text", text: "print(1)", attached: "a.py" },
          { type: "text", text: "The user is in a.py.", attached: "editor" },
          { type: "text", text: "Image 1 is 20 × 20 pixels.", attached: "image 1" },
          image,
        ],
      }),
    );
    expect(entries).toEqual([
      { kind: "user", id: "m1", text: "look at @a.py", attached: ["a.py"], images: [image], source: "nightly" },
    ]);
  });
});

describe("an answer that is streamed", () => {
  test("grows by its updates and is whole at its end, in one entry", () => {
    const session = new Session();
    let transcript = folded(begun(session, "m1"), session.update("m1", 0, 0, "Hel"), session.update("m1", 0, 3, "lo"));
    expect(transcript.entries).toEqual([
      { kind: "text", id: "m1/0", messageId: "m1", text: "Hello", streaming: true },
    ]);
    transcript = fold(transcript, [session.answer("m1", null, { type: "text", text: "Hello!" })[1]].flatMap((e) => e ?? []));
    expect(transcript.entries).toEqual([
      { kind: "text", id: "m1/0", messageId: "m1", text: "Hello!", streaming: false },
    ]);
  });

  test("shows no text beyond a hole until the hole is filled", () => {
    const session = new Session();
    const before = folded(
      begun(session, "m1"),
      session.update("m1", 0, 0, "one "),
      session.update("m1", 0, 8, "three "),
      session.update("m1", 0, 14, "four"),
    );
    expect(texts(before)).toEqual(["one "]);
    const after = streaming(before, { messageId: "m1", blocks: [{ index: 0, kind: "text", text: "one two three" }] });
    expect(texts(after)).toEqual(["one two three four"]);
  });

  test("counts offsets in UTF-16 code units", () => {
    const session = new Session();
    const transcript = folded(begun(session, "m1"), session.update("m1", 0, 0, "🙂"), session.update("m1", 0, 2, "!"));
    expect(texts(transcript)).toEqual(["🙂!"]);
  });

  test("takes nothing twice", () => {
    const session = new Session();
    const transcript = folded(
      begun(session, "m1"),
      session.update("m1", 0, 0, "abc"),
      session.update("m1", 0, 1, "bcd"),
      session.update("m1", 0, 0, "ab"),
    );
    expect(texts(transcript)).toEqual(["abcd"]);
  });

  test("has its place when its start has come, though its updates came first", () => {
    const session = new Session();
    const early = folded(session.update("m1", 0, 0, "early"));
    expect(early.entries).toEqual([]);
    expect(texts(fold(early, [begun(session, "m1")]))).toEqual(["early"]);
  });

  test("has ended once for all: later updates and snapshots are ignored", () => {
    const session = new Session();
    const ended = folded(session.answer("m1", null, { type: "text", text: "whole" }));
    const more = fold(ended, [session.update("m1", 0, 5, " and more")]);
    const told = streaming(more, { messageId: "m1", blocks: [{ index: 0, kind: "text", text: "whole and" }] });
    expect(told.entries).toBe(ended.entries);
  });

  test("stays last while something else is told", () => {
    const session = new Session();
    const transcript = folded(
      begun(session, "m1"),
      session.update("m1", 0, 0, "so far"),
      session.event("notice", { message: "by the way" }),
    );
    expect(texts(transcript)).toEqual(["by the way", "so far"]);
  });

  test("leaves the entries of what has not changed as they were", () => {
    const session = new Session();
    const before = folded(session.user("u1", null, "hi"), begun(session, "m1"), session.update("m1", 0, 0, "a"));
    const after = fold(before, [session.update("m1", 0, 1, "b")]);
    expect(after.entries[0]).toBe(before.entries[0]);
    expect(after.entries[1]).not.toBe(before.entries[1]);
  });
});

describe("an answer that was not committed", () => {
  test.each(["retried", "failed", "aborted", "interrupted"] as const)("and was %s stays, marked", (discarded) => {
    const session = new Session();
    const { entries, usage } = folded(
      begun(session, "m1"),
      session.update("m1", 0, 0, "half an ans"),
      session.event("message_end", {
        messageId: "m1",
        discarded,
        partial: [{ type: "text", text: "half an ans" }],
        usage: USAGE,
      }),
      session.update("m1", 0, 11, "wer"),
    );
    expect(entries).toEqual([
      { kind: "text", id: "m1/0", messageId: "m1", text: "half an ans", streaming: false, discarded },
    ]);
    expect(usage).toEqual(USAGE);
  });

  test("is followed by the line that says that it is asked for again", () => {
    const kinds = folded(recorded("retry")).entries.map((entry) => entry.kind);
    expect(kinds).toEqual(["user", "retry", "text", "runEnd"]);
  });
});

describe("a tool call", () => {
  const session = new Session();
  const block = { type: "toolCall", id: "call_1", name: "bash", arguments: `{"command":"ls"}` } as const;
  const written = session.event("message_update", {
    messageId: "m1",
    index: 0,
    kind: "toolCall",
    offset: 0,
    text: `{"comm`,
  });
  const asked = session.event("approval_requested", {
    id: "apr_1",
    toolCallId: "call_1",
    kind: "command",
    title: "Run ls",
    reason: "",
    changes: [],
    decisions: ["accept", "decline"],
  });
  const started = session.event("tool_execution_start", { toolCallId: "call_1", name: "bash", args: { command: "ls" } });
  const running = session.event("tool_execution_running", { toolCallId: "call_1" });
  const output = (offset: number, text: string): Event =>
    session.event("tool_execution_update", { toolCallId: "call_1", offset, text });
  const end = session.event("tool_execution_end", {
    toolCallId: "call_1",
    name: "bash",
    outcome: "failed",
    isError: true,
    content: [{ type: "text", text: "a.py\nCommand exited with code 2" }],
    durationMs: 1200,
    details: { exitCode: 2 },
  });

  test("is written, waits, is asked about, runs and ends, in one entry", () => {
    let transcript = folded(begun(session, "m1"), written);
    expect(call(transcript)).toMatchObject({ id: "m1/0", state: "writing", name: "", argsText: `{"comm` });
    const steps: [Event | readonly Event[], Partial<ToolEntry>][] = [
      [session.answer("m1", null, block).slice(1), { state: "waiting", callId: "call_1", args: { command: "ls" } }],
      [started, { state: "waiting", name: "bash" }],
      [asked, { state: "waiting", approval: { id: "apr_1", title: "Run ls" } }],
      [
        session.event("approval_resolved", { id: "apr_1", toolCallId: "call_1", decision: "accept", by: "user" }),
        { approval: { id: "apr_1", title: "Run ls", decision: "accept" } },
      ],
      [running, { state: "running" }],
      [output(0, "a.p"), { output: "a.p" }],
      [output(2, "py"), { output: "a.py" }],
      [end, { state: "ended", outcome: "failed", isError: true, durationMs: 1200, exitCode: 2 }],
    ];
    for (const [events, expected] of steps) {
      transcript = fold(transcript, [events].flat());
      expect(call(transcript)).toMatchObject({ id: "m1/0", ...expected });
    }
    expect(call(transcript).output).toBe("a.py\nCommand exited with code 2");
    expect(transcript.entries).toHaveLength(1);
  });

  test("keeps the end of a long output, and says where it begins", () => {
    const line = `${"x".repeat(99)}\n`;
    const many = Array.from({ length: 1000 }, (_, i) => output(i * 100, line));
    const { output: kept, outputStart } = call(folded(session.answer("m1", null, block), started, running, many));
    expect(kept.length).toBeGreaterThanOrEqual(LIVE_OUTPUT);
    expect(kept.length).toBeLessThanOrEqual(2 * LIVE_OUTPUT);
    expect(outputStart + kept.length).toBe(100_000);
  });

  test("goes on after a hole in its output, which nobody fills", () => {
    const { output: kept, outputStart } = call(
      folded(session.answer("m1", null, block), started, running, output(0, "lost "), output(50, "later")),
    );
    expect([kept, outputStart]).toEqual(["later", 50]);
  });

  test("has one result: nothing changes it afterwards", () => {
    const ended = folded(session.answer("m1", null, block), started, running, end);
    const after = fold(ended, [output(0, "late"), running, { ...end, data: { ...end.data, isError: false } } as Event]);
    expect(after.entries).toBe(ended.entries);
  });

  test("that was declined says by whom and with what word", () => {
    const declined = folded(recorded("declined")).entries.filter((entry) => entry.kind === "tool").at(-1);
    expect(declined).toMatchObject({ outcome: "denied", denial: { by: "nobody" } });
    expect(declined?.changes[0]?.diff).toContain("+  if (values.length === 0) return 0;");
  });
});

describe("what a call did to files", () => {
  const calls = folded(recorded("rich")).entries.filter((entry) => entry.kind === "tool");

  test("that needed no question is told by the result's diff", () => {
    const [edit] = calls.filter(({ name }) => name === "edit");
    expect(edit?.changes).toMatchObject([{ uri: "file:///home/ada/shop/shop/basket.py", added: 1, removed: 1 }]);
    expect(edit?.changes[0]?.diff).toContain("+        self._items[article] = self._items.get(article, 0) + quantity");
    expect(edit?.edits).toMatchObject([{ kind: "edit", added: 1, removed: 1 }]);
  });

  test("is told for each of several files, also where it did not come to all of them", () => {
    const session = new Session();
    const uris = ["file:///shop/my%20cart.py", "file:///shop/cart.py", "file:///shop/src/cart.py"] as const;
    const told = (uri: string) => ({ uri, kind: "edit", added: 1, removed: 1 }) as const;
    const diffs = ["my cart.py\t", "cart.py", "src/cart.py"].map((name, n) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-old ${n}\n+new ${n}`);
    const text = ["Only 3 of 4 files changed as approved (+3 −3). The others:\n- x", ...diffs.map((diff) => `Changed it:\n${diff}`)];
    const applied = uris.map((uri) =>
      session.event("edit_applied", { toolCallId: "c", ...told(uri), sha256: "0", via: "disk", unsaved: false }),
    );
    const block = { type: "toolCall", id: "c", name: "edit", arguments: "{}" } as const;
    const end = session.event("tool_execution_end", {
      toolCallId: "c",
      name: "edit",
      outcome: "failed",
      isError: true,
      content: [{ type: "text", text: text.join("\n\n") }],
      durationMs: 1,
      details: { changes: uris.map(told) },
    });
    const start = session.event("tool_execution_start", { toolCallId: "c", name: "edit", args: {} });
    const [call] = folded(session.answer("m1", null, block), start, ...applied, end).entries.filter((entry) => entry.kind === "tool");
    expect(call?.changes.map(({ uri }) => uri)).toEqual(uris);
    expect(call?.changes.map(({ diff }) => diff.split("\n").at(-1))).toEqual(["+new 0", "+new 1", "+new 2"]);
  });

  test("is all of the text of a new file", () => {
    const [write] = calls.filter(({ name }) => name === "write");
    expect(write?.changes[0]?.diff.split("\n").slice(0, 2)).toEqual(["@@ -0,0 +1,14 @@", "+# Notes"]);
  });
});

describe("a session is a tree", () => {
  test("of which the branch at the tip is shown", () => {
    const session = new Session();
    const both = folded(
      session.user("u1", null, "first"),
      session.answer("a1", "u1", { type: "text", text: "one" }),
      session.user("u2", "a1", "second"),
      session.answer("a2", "u2", { type: "text", text: "two" }),
    );
    const back = fold(both, [session.event("head", { tip: "a1" })]);
    expect(texts(back)).toEqual(["first", "one"]);
    const other = fold(back, [
      ...session.user("u3", "a1", "other"),
      ...session.answer("a3", "u3", { type: "text", text: "three" }),
    ]);
    expect(texts(other)).toEqual(["first", "one", "other", "three"]);
    expect(texts(fold(other, [session.event("head", { tip: "a2" })]))).toEqual(["first", "one", "second", "two"]);
    expect(texts(fold(other, [session.event("head", { tip: null })]))).toEqual([]);
  });

  test("keeps on a branch what was told there, and reverts on all of them", () => {
    const session = new Session();
    const transcript = folded(
      session.user("u1", null, "first"),
      session.event("notice", { message: "of the first" }),
      session.event("revert_start", { id: "rev_1", checkpoint: "u1", title: "first" }),
      session.event("revert_end", { id: "rev_1", files: [] }),
      session.event("head", { tip: null }),
    );
    expect(texts(transcript)).toEqual(["revert"]);
    expect(texts(fold(transcript, [session.event("head", { tip: "u1" })]))).toEqual(["first", "of the first", "revert"]);
  });

  test("whose context is as full as its branch is", () => {
    const session = new Session();
    const transcript = folded(
      session.user("u1", null, "first"),
      session.answer("a1", "u1", { type: "text", text: "one" }),
      session.message({ messageId: "a2", role: "assistant", parent: "a1", content: [], usage: { ...USAGE, input: 900 } }),
    );
    expect(transcript.contextTokens).toBe(910);
    expect(fold(transcript, [session.event("head", { tip: "a1" })]).contextTokens).toBe(110);
  });
});

describe("a summary", () => {
  test("is awaited in one line, which then holds it", () => {
    const events = recorded("compaction");
    const start = events.findIndex(({ type }) => type === "compaction_start");
    const busy = folded(events.slice(0, start + 1)).entries.at(-1);
    expect(busy).toMatchObject({ kind: "compaction", reason: "overflow", busy: true });
    const done = folded(events).entries.find(({ kind }) => kind === "compaction");
    expect(done).toMatchObject({ id: busy?.id, busy: false, summary: expect.stringContaining("1201") as string });
  });

  test("that could not be had says why", () => {
    const session = new Session();
    const { entries } = folded(
      session.event("compaction_start", { reason: "user", tokens: 9 }),
      session.event("compaction_end", { failed: "The model said nothing.", usage: USAGE }),
    );
    expect(entries).toEqual([
      { kind: "compaction", id: "compaction/1", reason: "user", busy: false, failed: "The model said nothing." },
    ]);
  });
});

describe("a run's end", () => {
  test("is told once, with the usage of the whole session", () => {
    const events = recorded("rich");
    const end = events.at(-1);
    const transcript = folded(events);
    if (end?.type !== "agent_end") throw new Error("the recording ends with its run");
    expect(transcript.entries.at(-1)).toMatchObject({ kind: "runEnd", data: { files: [{}, {}, {}] } });
    expect(transcript.usage).toEqual(end.data.session.usage);
    expect(fold(transcript, [{ ...end, ts: end.ts + 1 }]).entries).toBe(transcript.entries);
  });

  test("tells the window of the model, as far as it is known by then", () => {
    const session = new Session();
    const begins = (contextWindow?: number) =>
      session.event("agent_start", { model: "a:b", mode: "ask", inputs: [], ...(contextWindow && { contextWindow }) });
    const end = recorded("rich").at(-1);
    if (end?.type !== "agent_end") throw new Error("the recording ends with its run");
    const ends = session.event("agent_end", { ...end.data, contextWindow: 32_000 });
    const begun = folded([begins()]);
    expect(begun.window).toBeNull();
    expect(fold(begun, [ends]).window).toBe(32_000);
    expect(fold(fold(begun, [ends]), [begins(8000)]).window).toBe(8000);
    expect(folded([begins(8000), session.event("agent_end", end.data)]).window).toBe(8000);
  });

  test("names the error of a run that failed", () => {
    const end = folded(recorded("failed")).entries.at(-1);
    expect(end).toMatchObject({ kind: "runEnd", data: { stopReason: "error", error: { code: "auth" } } });
  });
});

test("only a change of model or mode is told, and only what has changed", () => {
  const session = new Session();
  const { entries } = folded(
    session.event("config", { id: "c1", parent: null, model: "a:b", mode: "ask" }),
    session.event("config", { id: "c2", parent: "c1", model: "a:b", mode: "ask" }),
    session.event("config", { id: "c3", parent: "c2", model: "a:b", mode: "auto-edit" }),
  );
  expect(entries).toEqual([{ kind: "config", id: "c3", model: null, mode: "auto-edit" }]);
});

test("a file that a tool changes after its run's end is told, one that a revert changes is not", () => {
  const session = new Session();
  const edit = { toolCallId: null, uri: "file:///a", kind: "edit", added: 1, removed: 0, sha256: "0" } as const;
  const applied = (): Event => session.event("edit_applied", { ...edit, via: "disk", unsaved: false });
  const { entries } = folded(
    applied(),
    session.event("revert_start", { id: "rev_1", checkpoint: "u1", title: "" }),
    applied(),
    session.event("revert_end", { id: "rev_1", files: [] }),
  );
  expect(entries.map(({ kind }) => kind)).toEqual(["lateEdit", "revert"]);
});

test("a long stream over a long transcript copies the list once for a batch and no text", () => {
  const session = new Session();
  const history = Array.from({ length: 1000 }, (_, i) => session.user(`u${i}`, i > 0 ? `u${i - 1}` : null, "text"));
  let transcript = fold(folded(history.flat()), [begun(session, "m1")]);
  const word = "word ";
  for (let i = 0; i < 20_000; i += 4) {
    const batch = [0, 1, 2, 3].map((j) => session.update("m1", 0, (i + j) * word.length, word));
    transcript = fold(transcript, batch);
  }
  expect(texts(transcript).at(-1)).toBe(word.repeat(20_000));
});

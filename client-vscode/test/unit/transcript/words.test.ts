import { afterEach, describe, expect, test } from "vitest";
import type { Entry, ToolEntry } from "../../../src/transcript/entries";
import { committedCall, writtenCall } from "../../../src/transcript/tools";
import { useLanguage } from "../../../webview/l10n";
import { thought } from "../../../webview/transcript/answer";
import { Announcements, type Heard } from "../../../webview/transcript/announce";
import { cost, duration, fileName, firstLine, tokens } from "../../../webview/transcript/format";
import { toolTitle } from "../../../webview/transcript/toolTitle";

const ROOTS = ["file:///home/ada/my%20shop"];

function call(name: string, args: object): ToolEntry {
  return committedCall("m/0", { type: "toolCall", id: "c", name, arguments: JSON.stringify(args) });
}

test.each([
  [call("edit", { path: "shop/cart.py" }), "Edit shop/cart.py"],
  [call("edit", { path: "/home/ada/my shop/cart.py" }), "Edit cart.py"],
  [call("edit", { path: "a.py", edits: [{ oldText: "a" }, { path: "./a.py" }, { path: "b.py" }] }), "Edit a.py and b.py"],
  [call("edit", { path: "a.py", edits: [{ path: "b.py" }, { path: "c.py" }, { path: "b.py" }] }), "Edit a.py and 2 more files"],
  [call("edit", { path: "a.py", edits: "nonsense" }), "Edit a.py"],
  [call("read", { path: "a.py", offset: 10, limit: 5 }), "Read a.py:10–14"],
  [call("bash", { command: "pytest -q\nls" }), "Run pytest -q…"],
  [call("grep", { pattern: "total", glob: "*.py" }), "Search for total in *.py"],
  [call("move", { from: "a", to: "b" }), "Move a to b"],
  [call("ls", {}), "List the workspace folder"],
  [call("restart_preview", { page: "cart.html" }), "restart_preview cart.html"],
  [call("toString", {}), "toString"],
  [call("bash", { command: "echo \u202etxt" }), "Run echo \\u{202e}txt"],
  [writtenCall("m/0", `{"path": "shop/ca`), "Prepare a call"],
  [writtenCall("m/0", `{"path": "shop/cart.py", "con`), "Prepare a call: shop/cart.py"],
])("a call is told in a few words (%#)", (entry, text) => {
  expect(toolTitle(entry, ROOTS).text).toBe(text);
});

test("a thought's line is its last heading, else its last line", () => {
  expect(thought("**First**\n\ntext\n\n**Then this**\n\nmore text")).toBe("Then this");
  expect(thought("one\ntwo three")).toBe("two three");
  expect(thought("")).toBe("");
});

describe("figures", () => {
  afterEach(() => useLanguage("en"));

  test.each([
    [12, "12 ms"],
    [3210, "3.2 s"],
    [59_960, "1 min 0 s"],
    [125_000, "2 min 5 s"],
    [3_840_000, "1 h 4 min"],
  ])("%d milliseconds are %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  test("are written as in the language of the window", () => {
    useLanguage("de");
    expect([duration(3000), tokens(12_400), cost(1.239)]).toEqual(["3,0 s", "12,4k", "1,24\u00a0$"]);
  });
});

test("a file is called by its place in the session's folder, else by its path", () => {
  expect(fileName("file:///home/ada/my%20shop/a%20b.py", ROOTS)).toBe("a b.py");
  expect(fileName("file:///etc/hosts", ROOTS)).toBe("/etc/hosts");
  expect(fileName("file:///home/ada/my%20shopping/a", ROOTS)).toBe("/home/ada/my shopping/a");
});

test("a file of another folder is called with that folder's name", () => {
  const roots = ["file:///home/ada/my%20shop", "file:///home/ada/the%20lib"];
  expect(fileName("file:///home/ada/the%20lib/a.py", roots)).toBe("the lib/a.py");
});

test("nothing in a file's name is invisible", () => {
  expect(fileName("file:///home/ada/my%20shop/a%E2%80%AEyp.exe", ROOTS)).toBe("a\\u{202e}yp.exe");
});

test("a long line is cut between characters", () => {
  expect(firstLine("🙂🙂🙂🙂", 3)).toBe("🙂🙂…");
  expect(firstLine("abc", 3)).toBe("abc");
});

describe("what a screen reader is told", () => {
  const text: Entry = { kind: "text", id: "m/0", messageId: "m", text: "All green.", streaming: false };
  const live = { session: "s", run: "r", state: "streaming", entries: [text] };
  const end = { kind: "runEnd", id: "end/r", data: { message: "1 file changed." } } as Entry;
  const over = { ...live, run: null, state: "idle" };

  function told(...heard: Heard[]): (string | undefined)[] {
    const announcements = new Announcements();
    return heard.map((now) => announcements.next(now)).slice(1);
  }

  test("is not each delta", () => {
    expect(told(live, { ...live, entries: [{ ...text, text: "All green. And" }] })).toEqual([undefined]);
  });

  test("is the finished answer with what the run did, once, whatever comes first", () => {
    const words = "All green.\n1 file changed.";
    const ended = { ...over, entries: [text, end] };
    expect(told(live, ended, { ...ended })).toEqual([words, undefined]);
    expect(told(live, over, ended)).toEqual([undefined, words]);
    expect(told(live, { ...live, entries: [text, end] }, ended)).toEqual([words, undefined]);
  });

  test("is that a run begins, and what else it does than speak", () => {
    expect(told(over, live, { ...live, state: "retrying" }, { ...live, state: "streaming" })).toEqual([
      "The run has begun.",
      "The model is asked again.",
      undefined,
    ]);
  });

  test("is nothing of a session that is only shown, or read from its log", () => {
    expect(told(live, { ...over, session: "other", entries: [text, end] })).toEqual([undefined]);
    expect(told({ ...over, entries: [] }, { ...over, entries: [text, end] })).toEqual([undefined]);
  });
});

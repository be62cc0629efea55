import { expect, test } from "vitest";
import type { Entry } from "../../../src/transcript/entries";
import { shownApart } from "../../../webview/approvals/apart";
import { bounded, visible } from "../../../webview/approvals/visible";
import { request } from "./fixtures";

const tool: Entry = {
  kind: "tool",
  id: "msg_1/0",
  callId: "call_1",
  name: "edit",
  args: {},
  argsText: "",
  state: "waiting",
  output: "",
  outputStart: 0,
  images: [],
  changes: [],
  edits: [],
};

const pending = (part: Parameters<typeof request>[0] = {}) => ({
  request: request(part),
  sessionTitle: null,
  chosenHunks: null,
  roots: [],
  edited: false,
  shownAt: 0,
});

test("a question whose call is in the transcript is shown there, every other one apart", () => {
  const here = pending();
  const trust = pending({ id: "apr_2", toolCallId: "" });
  const early = pending({ id: "apr_3", toolCallId: "call_9" });
  const elsewhere = pending({ id: "apr_4", session: "ses_2" });
  expect(shownApart([here, trust, early, elsewhere], "ses_1", [tool])).toEqual([trust, early, elsewhere]);
  expect(shownApart([here], null, [])).toEqual([here]);
});

test("what can't be seen is written out, line breaks and joined emoji are not", () => {
  expect(visible("a\tb\nc\r\u200b\u2066x")).toBe("a\tb\nc\\u{d}\\u{200b}\\u{2066}x");
  expect(visible("👩‍💻 é 漢")).toBe("👩‍💻 é 漢");
});

test("a long text is cut between characters, and how much is missing is known", () => {
  expect(bounded("abc", 3)).toEqual({ text: "abc", left: 0 });
  expect(bounded("ab😀cd", 3)).toEqual({ text: "ab", left: 4 });
});

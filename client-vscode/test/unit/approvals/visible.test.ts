import { expect, test } from "vitest";
import { visible } from "../../../webview/approvals/visible";

test("what has no ink, no width or another direction is written out", () => {
  for (const char of ["\u202e", "\u200b", "\u3164", "\u115f", "\u2800", "\uffa0", "\u034f", "\u00ad", "\r", "\u001b"]) {
    expect(visible(`a${char}b`)).toBe(`a\\u{${(char.codePointAt(0) ?? 0).toString(16)}}b`);
  }
});

test("what can be seen stays: tabs, line ends, letters of all scripts, emoji that are joined", () => {
  for (const text of ["\tif x:\n", "日本 приложение é", "👩\u200d👩"]) expect(visible(text)).toBe(text);
});

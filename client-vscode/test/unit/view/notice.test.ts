import { expect, test } from "vitest";
import { saysAll, textOnly } from "../../../src/view/notice";
import { request } from "../approvals/fixtures";

// As the editor finds links in the text of a notification (vs/base/common/linkedText.ts).
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)/i;

test("no name of a file and no text of a model is a link in a notification", () => {
  for (const text of ["Edit [x](command:workbench.action.terminal.new).md", "[a](FILE:///b) [c](https://d)"]) {
    expect(text).toMatch(LINK);
    expect(textOnly(text)).not.toMatch(LINK);
  }
});

test("a notification takes a yes to a command only where its title has all of it", () => {
  const asked = (title: string, command: string) => saysAll(request({ kind: "command", title, command, changes: [] }));
  expect(asked("Run pytest -q", "pytest -q")).toBe(true);
  expect(asked("Run echo one (+1 lines)", "echo one\nrm two")).toBe(false);
  expect(asked(`Run ${"a".repeat(80)}…`, `${"a".repeat(80)}; rm -rf ~`)).toBe(false);
  expect(asked("Run echo \\u202ex", "echo \u202ex")).toBe(false);
});

test("nor to a tool, whose arguments a title cuts", () => {
  const tool = { name: "deploy", arguments: { to: "production" } };
  expect(saysAll(request({ kind: "tool", title: "Call deploy in the editor: …", tool, changes: [] }))).toBe(false);
});

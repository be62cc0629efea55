import type { ApprovalRequest, FileChangeData } from "../../../src/protocol";

export function change(part: Partial<FileChangeData> = {}): FileChangeData {
  const base = { sha256: null };
  return { uri: "file:///shop/calc.py", kind: "edit", base, diff: "", hunks: [], added: 1, removed: 1, ...part };
}

export function request(part: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    id: "apr_1",
    toolCallId: "call_1",
    kind: "edit",
    title: "Edit calc.py (+1 −1)",
    reason: "Changes are asked about in this mode.",
    changes: [change()],
    decisions: ["accept", "acceptForRun", "acceptForSession", "decline", "cancel"],
    session: "ses_1",
    run: "run_1",
    ...part,
  };
}

/** Twenty numbered lines; the proposal changes the 2nd, takes out the 10th and adds one after the 19th. */
const numbers = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
export const OLD = numbers.join("");
export const NEW = [
  ...numbers.slice(0, 1),
  "second\n",
  ...numbers.slice(2, 9),
  ...numbers.slice(10, 19),
  "more\n",
  ...numbers.slice(19),
].join("");

/** As the server makes them: three lines of context, numbers from 1. */
export const HUNKS = [
  { id: "1-aa", oldStart: 1, oldLines: 5, newStart: 1, newLines: 5 },
  { id: "2-bb", oldStart: 7, oldLines: 7, newStart: 7, newLines: 6 },
  { id: "3-cc", oldStart: 17, oldLines: 4, newStart: 16, newLines: 5 },
];

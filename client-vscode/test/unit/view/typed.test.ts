import { expect, test } from "vitest";
import type { PendingApproval, PendingInput } from "../../../src/view/messages";
import { ofOpen, questionOf, withText } from "../../../src/view/typed";
import { request } from "../approvals/fixtures";

const approval: PendingApproval = {
  request: request(),
  sessionTitle: null,
  chosenHunks: null,
  roots: [],
  edited: false,
  shownAt: 0,
};
const input: PendingInput = { session: "ses_1", toolCallId: "call_1", prompt: "Which?", options: [] };

test("what is typed is kept by question, as long as the question is open", () => {
  let typed = withText({}, questionOf(approval), "keep the name");
  typed = withText(typed, questionOf(input), "the fir");
  typed = withText(typed, questionOf(input), "the first");
  expect(ofOpen(typed, [approval, input])).toEqual({ apr_1: "keep the name", "ses_1 call_1": "the first" });
  expect(ofOpen(typed, [input])).toEqual({ "ses_1 call_1": "the first" });
  expect(ofOpen(typed, [])).toEqual({});
});

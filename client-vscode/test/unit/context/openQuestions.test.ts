import { expect, test } from "vitest";
import { OpenQuestions } from "../../../src/context/openQuestions";
import type { InputRequest } from "../../../src/protocol";

function asked(toolCallId: string, session = "ses_1"): InputRequest {
  return { toolCallId, session, run: "run_1", prompt: `${toolCallId}?` };
}

function setUp(): { questions: OpenQuestions; changes: () => number } {
  let changes = 0;
  return { questions: new OpenQuestions(() => (changes += 1)), changes: () => changes };
}

test("a question is open until it is answered, once", async () => {
  const { questions, changes } = setUp();
  const answer = questions.ask(asked("c1"));
  expect(questions.pending).toEqual([{ toolCallId: "c1", session: "ses_1", prompt: "c1?", options: [] }]);
  expect(questions.answer("c1", { text: "yes" })).toBe(true);
  expect(await answer).toEqual({ text: "yes" });
  expect(questions.answer("c1", { text: "again" })).toBe(false);
  expect(questions.pending).toEqual([]);
  expect(changes()).toBe(2);
});

test("a server that is gone waits for no answer: its questions are not shown any more", async () => {
  const { questions } = setUp();
  const answers = [questions.ask(asked("c1")), questions.ask(asked("c2"))];
  questions.withdrawAll();
  expect(questions.pending).toEqual([]);
  expect(await Promise.all(answers)).toEqual([null, null]);
});

test("a question that is out of sight is notified of once", () => {
  const { questions } = setUp();
  void questions.ask(asked("c1", "ses_1"));
  void questions.ask(asked("c2", "ses_2"));
  expect(questions.takeUnseen("ses_1").map(({ toolCallId }) => toolCallId)).toEqual(["c2"]);
  expect(questions.takeUnseen("ses_1")).toEqual([]);
  expect(questions.takeUnseen(null).map(({ toolCallId }) => toolCallId)).toEqual(["c1"]);
  expect(questions.takeUnseen(null)).toEqual([]);
});

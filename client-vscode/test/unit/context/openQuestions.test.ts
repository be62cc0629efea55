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
  expect(questions.answer(asked("c1"), { text: "yes" })).toBe(true);
  expect(await answer).toEqual({ text: "yes" });
  expect(questions.answer(asked("c1"), { text: "again" })).toBe(false);
  expect(questions.pending).toEqual([]);
  expect(changes()).toBe(2);
});

test("calls of two sessions may have the same id: each question has its own answer", async () => {
  const { questions } = setUp();
  const [one, other] = [asked("call_1", "ses_1"), asked("call_1", "ses_2")];
  const answers = [questions.ask(one), questions.ask(other)];
  expect(questions.pending.map(({ session }) => session)).toEqual(["ses_1", "ses_2"]);
  questions.answer(other, { text: "to the other" });
  questions.answer(one, { text: "to the one" });
  expect(await Promise.all(answers)).toEqual([{ text: "to the one" }, { text: "to the other" }]);
});

test("a call that asks again has no more use for an answer to what it asked before", async () => {
  const { questions } = setUp();
  const [before, now] = [asked("c1"), asked("c1")];
  const first = questions.ask(before);
  const second = questions.ask(now);
  expect(await first).toBeNull();
  questions.withdraw(before);
  questions.answer(now, { text: "yes" });
  expect(await second).toEqual({ text: "yes" });
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

import { expect, test } from "vitest";
import { Questions, type Send } from "../../../src/approvals/questions";
import { Refused } from "../../../src/server/refused";
import { request } from "./fixtures";

function questions(send: Send = () => Promise.resolve()) {
  const sent: unknown[] = [];
  const ended: string[] = [];
  const made = new Questions(
    (params) => {
      sent.push(params);
      return send(params);
    },
    () => 1000,
    (ids) => ended.push(...ids),
  );
  return { made, sent, ended };
}

test("a question waits until it is answered, once", async () => {
  const { made, sent, ended } = questions();
  const result = made.ask(request());
  expect(made.pending.map(({ request: { id }, shownAt }) => [id, shownAt])).toEqual([["apr_1", 1000]]);
  await made.answer("apr_1", { decision: "accept" });
  expect(await result).toEqual({ decision: "accept" });
  expect(sent).toEqual([{ id: "apr_1", decision: "accept" }]);
  expect(made.pending).toEqual([]);
  expect(ended).toEqual(["apr_1"]);
  await expect(made.answer("apr_1", { decision: "decline" })).rejects.toMatchObject({ code: "alreadyAnswered" });
  expect(sent).toHaveLength(1);
});

test("a second answer while the first is on its way is refused", async () => {
  let arrive: () => void = () => undefined;
  const { made, sent } = questions(() => new Promise<void>((resolve) => (arrive = resolve)));
  const result = made.ask(request());
  const first = made.answer("apr_1", { decision: "accept" });
  await expect(made.answer("apr_1", { decision: "cancel" })).rejects.toMatchObject({ code: "alreadyAnswered" });
  arrive();
  await first;
  expect(await result).toEqual({ decision: "accept" });
  expect(sent).toHaveLength(1);
});

test("an answer that the server doesn't accept leaves the question open", async () => {
  let takes = false;
  const { made, ended } = questions(() =>
    takes ? Promise.resolve() : Promise.reject(new Refused("calc.py would stay as it is.", "badAnswer")),
  );
  const result = made.ask(request());
  await expect(made.answer("apr_1", { decision: "accept", edited: [] })).rejects.toThrow("would stay as it is");
  expect(made.get("apr_1")).toBeDefined();
  expect(ended).toEqual([]);
  takes = true;
  await made.answer("apr_1", { decision: "decline" });
  expect(await result).toEqual({ decision: "decline" });
});

test("a question that turns out to be answered elsewhere ends, and the answer fails", async () => {
  const { made } = questions(() => Promise.reject(new Refused("answered", "alreadyAnswered")));
  const result = made.ask(request());
  await expect(made.answer("apr_1", { decision: "accept" })).rejects.toMatchObject({ code: "alreadyAnswered" });
  expect(await result).toBeNull();
  expect(made.pending).toEqual([]);
});

test("a withdrawn question ends without an answer, even while one is on its way", async () => {
  let arrive: () => void = () => undefined;
  const { made, ended } = questions(() => new Promise<void>((resolve) => (arrive = resolve)));
  const result = made.ask(request());
  const answer = made.answer("apr_1", { decision: "accept" });
  made.close("apr_1");
  expect(await result).toBeNull();
  arrive();
  await answer;
  expect(ended).toEqual(["apr_1"]);
});

test("a decision that the question doesn't take is not sent", async () => {
  const { made, sent } = questions();
  void made.ask(request({ decisions: ["accept", "decline", "cancel"] }));
  await expect(made.answer("apr_1", { decision: "acceptForRun" })).rejects.toMatchObject({ code: "badAnswer" });
  expect(sent).toEqual([]);
  expect(made.pending).toHaveLength(1);
});

test("a question takes the place of the one that it supersedes", async () => {
  const { made } = questions();
  const old = made.ask(request());
  void made.ask(request({ id: "apr_2", supersedes: "apr_1" }));
  expect(await old).toBeNull();
  expect(made.pending.map((question) => question.request.id)).toEqual(["apr_2"]);
});

test("when the server is gone nothing waits for it", async () => {
  const { made, ended } = questions();
  const results = [made.ask(request()), made.ask(request({ id: "apr_2" }))];
  made.closeAll();
  expect(await Promise.all(results)).toEqual([null, null]);
  expect(ended).toEqual(["apr_1", "apr_2"]);
});

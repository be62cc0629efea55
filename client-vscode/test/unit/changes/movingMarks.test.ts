import { expect, test } from "vitest";
import { MovingMarks } from "../../../src/changes/movingMarks";
import type { Mark } from "../../../src/changes/ranges";

const mark = (start: number): Mark => ({ kind: "added", start, end: start + 1 });
/** A line more at the top. */
const lineMore = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: "\n" };

type Answer = ReadonlyMap<string, readonly Mark[]>;

/** A question that is answered by hand. */
function question() {
  let resolve: (answer: Answer) => void = () => undefined;
  const answered = new Promise<Answer>((done) => (resolve = done));
  return { ask: () => answered, answer: (name: string, marks: readonly Mark[]) => resolve(new Map([[name, marks]])) };
}

test("marks move with the edits made before their answer comes, and after it", async () => {
  const marks = new MovingMarks();
  const one = question();
  const done = marks.fetch(one.ask);
  marks.edited("a", [lineMore]);
  one.answer("a", [mark(5)]);
  await done;
  expect(marks.get("a")).toEqual([mark(6)]);
  marks.edited("a", [lineMore]);
  expect(marks.get("a")).toEqual([mark(7)]);
});

test("edits are followed for each of two questions that are open at once", async () => {
  const marks = new MovingMarks();
  const [one, other] = [question(), question()];
  const first = marks.fetch(one.ask);
  marks.edited("b", [lineMore]);
  const second = marks.fetch(other.ask);
  one.answer("a", [mark(5)]);
  await first;
  marks.edited("b", [lineMore]);
  other.answer("b", [mark(5)]);
  await second;
  expect(marks.get("a")).toEqual([mark(5)]);
  // The first edit was in the text that the second question was about.
  expect(marks.get("b")).toEqual([mark(6)]);
});

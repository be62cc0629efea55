import { beforeEach, expect, test } from "vitest";
import { ForNew } from "../../../src/view/forNew";

let forNew: ForNew;
beforeEach(() => (forNew = new ForNew()));

test("what is chosen while the first message waits is still to be told to the session that it makes", () => {
  forNew.choose({ model: "a:b" });
  const sent = forNew.chosen;
  forNew.choose({ mode: "read-only" });
  expect(forNew.made(sent)).toEqual({ mode: "read-only" });
  expect(forNew.chosen).toEqual({});
});

test("what it was made with need not be told, nor what was chosen before another session was shown", () => {
  forNew.choose({ model: "a:b", mode: "ask" });
  expect(forNew.made(forNew.chosen)).toEqual({});
  forNew.choose({ model: "a:b", mode: "ask" });
  const sent = forNew.chosen;
  forNew.choose({ mode: "full-auto" });
  forNew.forget();
  expect(forNew.made(sent)).toEqual({});
});

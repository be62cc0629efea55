import { describe, expect, test } from "vitest";
import { NO_USAGE, plus } from "../../../src/transcript/usage";

const spent = (cost: number | null) => ({ ...NO_USAGE, input: 10, output: 5, cost });

describe("usage added up", () => {
  test("counts each figure", () => {
    expect(plus(spent(0.25), spent(0.5))).toEqual({ ...NO_USAGE, input: 20, output: 10, cost: 0.75 });
  });
  test("knows no cost where one part has none", () => {
    expect(plus(spent(0.25), spent(null)).cost).toBeNull();
    expect(plus(spent(null), spent(0.25)).cost).toBeNull();
  });
  test("takes what was never counted for no part", () => {
    expect(plus(NO_USAGE, spent(0.25)).cost).toBe(0.25);
    expect(plus(spent(0), NO_USAGE).cost).toBe(0);
    expect(plus(NO_USAGE, NO_USAGE)).toEqual(NO_USAGE);
  });
});

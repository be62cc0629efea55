import { expect, test } from "vitest";
import { MAX_REPORTED, reported } from "../../../src/context/reported";

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };

test("severities count from 1, and a code with a link is its value", () => {
  expect(
    reported([
      { range, message: "no", severity: 0, source: "ts", code: 2322 },
      { range, message: "hm", severity: 3, code: { value: "no-unused", target: "x" } as { value: string } },
      { range, message: "so", severity: 1, source: "", code: "" },
    ]),
  ).toEqual([
    { range, message: "no", severity: 1, source: "ts", code: 2322 },
    { range, message: "hm", severity: 4, code: "no-unused" },
    { range, message: "so", severity: 2 },
  ]);
});

test("of very many diagnostics the most severe are sent, and of a long message its beginning", () => {
  const hints = Array.from({ length: 5_000 }, () => ({ range, message: "hint", severity: 3 }));
  const found = reported([...hints, { range, message: "x".repeat(100_000), severity: 0 }]);
  expect(found).toHaveLength(MAX_REPORTED);
  expect(found[0]?.severity).toBe(1);
  expect(found[0]?.message).toHaveLength(2_000);
});

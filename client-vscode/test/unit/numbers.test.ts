import { expect, test } from "vitest";
import { dollars, localeOf, shortCount } from "../../src/numbers";

test.each([
  [0, "0"],
  [812, "812"],
  [999, "999"],
  [1000, "1k"],
  [12_400, "12.4k"],
  [131_072, "131k"],
  [999_499, "999k"],
  [999_500, "1M"],
  [1_048_576, "1.05M"],
])("%d is short as %s", (count, text) => {
  expect(shortCount(count, "en")).toBe(text);
});

test("a cost has cents, and more places where it is small: it is no zero", () => {
  expect([0, 0.0004, 0.0123, 0.1, 12.345].map((cost) => dollars(cost, "en"))).toEqual([
    "$0.00",
    "$0.0004",
    "$0.0123",
    "$0.10",
    "$12.35",
  ]);
});

test.each([
  ["de", "de"],
  ["zh-cn", "zh-CN"],
  ["pt_BR", "pt-BR"],
  ["", "en"],
  ["no language", "en"],
])("the language %j has the numbers of %s", (language, locale) => {
  expect(localeOf(language)).toBe(locale);
});

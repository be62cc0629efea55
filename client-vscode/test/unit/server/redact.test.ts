import { expect, test } from "vitest";
import { lastLines, redact } from "../../../src/server/redact";

test.each([
  ["the key is hunter22 there", "the key is ‹redacted› there"],
  ["STEERSMAN_API_KEY=abcdef", "STEERSMAN_API_KEY=‹redacted›"],
  ['{"api_key": "abc def"}', '{"api_key": "‹redacted› def"}'],
  ["Authorization: Bearer abcdefghij", "Authorization: Bearer ‹redacted›"],
  ["key sk-ant-0123456789abcdef used", "key ‹redacted› used"],
  ["http://me:pass@127.0.0.1:8080/v1", "http://‹redacted›@127.0.0.1:8080/v1"],
  ["/home/ada/shop/calc.py", "~/shop/calc.py"],
  ["nothing to hide", "nothing to hide"],
])("%s", (text, shown) => {
  expect(redact(text, ["hunter22"], "/home/ada")).toBe(shown);
});

test("a long log is cut to its end", () => {
  expect(lastLines("one\ntwo\nthree\n", 2)).toBe("two\nthree");
});

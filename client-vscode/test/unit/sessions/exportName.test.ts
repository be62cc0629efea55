import { expect, test } from "vitest";
import { exportName } from "../../../src/sessions/exportName";

test.each([
  ["Fix the cart: totals!", "Fix-the-cart-totals.md"],
  ["../../etc/passwd", "etc-passwd.md"],
  ["  …  ", "session.md"],
  ["Größe ändern", "Größe-ändern.md"],
  ["x".repeat(100), `${"x".repeat(60)}.md`],
  // 𠮷 takes two code units: half of one is no file name.
  [`x${"𠮷".repeat(40)}`, `x${"𠮷".repeat(29)}.md`],
])("a session %j is exported as %s", (title, name) => {
  expect(exportName(title, "md")).toBe(name);
});

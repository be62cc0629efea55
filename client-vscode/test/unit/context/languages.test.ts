import { expect, test } from "vitest";
import { kindOf, lookedAt } from "../../../src/context/languages";

test("a language that starts an extension is looked at", () => {
  const manifests = [
    { activationEvents: ["onLanguage:typescript", "onCommand:x", "onLanguage:javascript"] },
    { activationEvents: ["*"] },
    {},
  ];
  expect(lookedAt(manifests)).toEqual(new Set(["typescript", "javascript"]));
});

test.each([
  ["/a.b/cart.TS", ".ts"],
  ["/a.b/Makefile", "makefile"],
  ["/home/.bashrc", ".bashrc"],
  ["/x/types.d.ts", ".ts"],
])("%s is of the kind %s", (path, kind) => {
  expect(kindOf(path)).toBe(kind);
});

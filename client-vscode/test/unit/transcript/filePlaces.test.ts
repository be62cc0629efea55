import { expect, test } from "vitest";
import { placesOf } from "../../../src/transcript/filePlaces";

const FOLDERS = ["file:///home/ada/my%20shop", "file:///home/ada/lib/"];

test.each([
  ["shop/cart.py", ["file:///home/ada/my%20shop/shop/cart.py", "file:///home/ada/lib/shop/cart.py"]],
  ["../notes #1.md", ["file:///home/ada/notes%20%231.md", "file:///home/ada/notes%20%231.md"]],
  [
    "lib/a b.py",
    ["file:///home/ada/my%20shop/lib/a%20b.py", "file:///home/ada/lib/lib/a%20b.py", "file:///home/ada/lib/a%20b.py"],
  ],
  ["/etc/hosts", ["file:///etc/hosts"]],
  ["C:\\shop\\cart.py", ["file:///C%3A/shop/cart.py"]],
  ["file:///home/ada/x.py", ["file:///home/ada/x.py"]],
])("%s is looked for where it may be", (named, places) => {
  expect(placesOf(named, FOLDERS)).toEqual(places);
});

test.each(["file://host/share/x", "//host/share/x", "\\\\host\\share\\x", "command:quit", "https://example.org/x", ""])(
  "%s is no file of this machine",
  (named) => {
    expect(placesOf(named, FOLDERS)).toEqual([]);
  },
);

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";

const webview = new URL("../../../webview/", import.meta.url);
const css = readFileSync(createRequire(import.meta.url).resolve("@vscode/codicons/dist/codicon.css"), "utf8");
const known = new Set([...css.matchAll(/^\.codicon-([a-z0-9-]+):before/gm)].map(([, name]) => name));

/** Names in classes and properties; what a text puts together is left out. */
function named(source: string): (string | undefined)[] {
  const found = [...source.matchAll(/codicon-([a-z0-9-]+)(?=[\s"`])|\bicon(?:=|: )"([a-z0-9-]+)"/g)];
  return found.map(([, ofClass, ofProperty]) => ofClass ?? ofProperty).filter((name) => name !== "modifier-spin");
}

const files = readdirSync(webview, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));

test.each(files)("%s names only icons that there are", (file) => {
  const icons = named(readFileSync(new URL(file, webview), "utf8"));
  expect(icons.filter((icon) => !known.has(icon))).toEqual([]);
});

// @vitest-environment happy-dom
/** What a model writes into the chat starts nothing, fetches nothing and sends nothing. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { contentPolicy } from "../../../src/view/contentPolicy";
import { blockHtml } from "../../../webview/markdown/render";

const HOSTILE = [
  "[Accept](command:workbench.action.terminal.new)",
  "[x](COMMAND:quit) [x](com&#109;and:quit) [x](command&colon;quit) [x](\tcommand:quit)",
  "<command:quit> <vscode://x/y> command:quit",
  "[x][r]\n\n[r]: command:quit",
  "[x](javascript:alert(1)) [x](data:text/html,x) [x](vbscript:x) [x](vscode://a/b) [x](ms-settings:x)",
  "![x](https://example.org/?key=1) ![x](command:quit) ![](data:image/svg+xml,x)",
  "<img src=https://example.org/?key=1> <script>alert(1)</script> <a href=command:quit>x</a>",
  '<style>*{background:url(https://example.org)}</style> <form action="https://example.org">',
  '[x](https://example.org "\\" onmouseover=alert(1) \\"")',
  "```<img src=x onerror=alert(1)>\n</code></pre><img src=x>\n```",
  "| a |\n| --- |\n| <iframe src=https://example.org> |",
];

/** The elements that are made, with their attributes. */
function elements(source: string): Element[] {
  const page = new DOMParser().parseFromString(blockHtml(source, {}), "text/html");
  return [...page.body.querySelectorAll("*")];
}

function check(source: string): void {
  for (const element of elements(source)) {
    expect(["IMG", "SCRIPT", "STYLE", "IFRAME", "FORM", "OBJECT", "EMBED", "LINK", "META", "BASE"]).not.toContain(element.tagName);
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(/^on|^style$|^src/);
      if (name === "data-uri") expect(value).not.toMatch(/^\s*(?!file:)[a-z][a-z0-9+.-]+:/i);
      if (name === "href") expect(value).toMatch(/^(https?:\/\/|#)/i);
    }
  }
}

test.each(HOSTILE)("no link of a model's runs a command, and nothing of it is fetched: %s", (source) => {
  check(source);
});

test("whatever is put together of such pieces makes no element that acts", () => {
  const piece = fc.constantFrom(...HOSTILE, "\n", "`", "```", "](", "[", "<", ">", "&lt;", "\\", "    ");
  fc.assert(fc.property(fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("")), check), { numRuns: 200 });
});

test("the page's policy lets nothing out and nothing in", () => {
  const rules = new Map(contentPolicy("https://own", "n0nce").split("; ").map((rule) => [rule.split(" ")[0], rule]));
  expect(rules.get("default-src")).toBe("default-src 'none'");
  expect(rules.get("script-src")).toBe("script-src 'nonce-n0nce'");
  expect(rules.get("img-src")).toBe("img-src data:");
  expect(rules.get("form-action")).toBe("form-action 'none'");
  expect(rules.has("connect-src") || rules.has("frame-src")).toBe(false);
  expect([...rules.values()].join()).not.toMatch(/unsafe|\*|https:\/\/(?!own)/);
});

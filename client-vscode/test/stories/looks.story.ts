/** How the chat looks: axe finds nothing, and nothing scrolls sideways, in any theme and at any width. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { expect } from "vitest";
import { story } from "./support/story";
import { ADD, bash, edit, FREE, read } from "./support/turns";
import type { Window } from "./support/window";
import { PATIENCE } from "./support/window";

/** By the names of the picker, and the class that the chat's page has then. */
const THEMES = {
  dark: ["Dark Modern", "vscode-dark"],
  light: ["Light Modern", "vscode-light"],
  contrast: ["Dark High Contrast", "vscode-high-contrast"],
} as const;
const WIDTHS = [240, 400, 800];

const RICH = [
  "## What is wrong",
  "",
  "`add` **replaces** the quantity, and `shipping_cost` charges too much:",
  "",
  "1. first `shop/basket.py`,",
  "2. then `shop/shipping.py`; see [the docs](https://example.com/).",
  "",
  "| article | price | a column with quite a long heading |",
  "| --- | ---: | --- |",
  "| kettle | 3200 | a cell with rather more text than fits a narrow view |",
  "",
  "```python",
  "def add(self, article: str, quantity: int = 1) -> None:  # a line that is longer than any narrow view is wide",
  "    self._items[article] = self._items.get(article, 0) + quantity",
  "```",
  "",
  "> Both are small.",
].join("\n");

story(
  "it is legible, accessible and never scrolls sideways, in all themes and at all widths",
  {
    tape: [
      { when: "the tests fail" },
      { thinking: "The tests say what is wrong.", text: RICH, toolCalls: [read(ADD.path), read("shop/missing.py")] },
      { toolCalls: [edit(ADD.path, [ADD.wrong, ADD.right]), edit(FREE.path, [FREE.wrong, FREE.right])] },
      { toolCalls: [bash("python3 -m unittest 2>&1 | tail -3")] },
      { text: "All tests pass." },
      { when: "one more thing" },
      { toolCalls: [bash("echo a rather long command that is asked about, with a path: $PWD/some/where/deep/inside")] },
      { text: "Good." },
      { when: "a follow-up that waits" },
      { text: "It has waited." },
    ],
  },
  async ({ window, picture }) => {
    const chat = await window.openChat();
    await everyLook(window, picture, "empty");
    await chat.send("the tests fail: fix it, and mind @shop/basket.py");
    await chat.answer(/^Edit shop\/basket\.py/, "Accept");
    await chat.answer(/^Edit shop\/shipping\.py/, "Accept");
    await chat.answer(/python3 -m unittest/, "Accept");
    await chat.shows("All tests pass.");
    await chat.send("one more thing");
    await chat.question(/rather long command/).first().waitFor();
    await chat.composer.fill("a follow-up that waits");
    await chat.composer.press("Alt+Enter");
    await chat.emptied();
    await everyLook(window, picture, "asked");
    await chat.answer(/rather long command/, "Accept");
    await chat.shows("It has waited.");
    await everyLook(window, picture, "done");
  },
);

async function everyLook(
  window: Window,
  picture: (name: string) => Promise<void>,
  moment: string,
): Promise<void> {
  for (const [theme, [name, kind]] of Object.entries(THEMES)) {
    await window.theme(name);
    await window.chat.frame.locator(`body.${kind}`).waitFor();
    for (const width of WIDTHS) {
      await window.sideBar(width);
      // Beside the view are the side bar's own edges.
      await expect.poll(async () => width - (await pageWidth(window)), { timeout: PATIENCE }).toBeLessThan(5);
      await picture(`look ${moment} ${theme} ${width}`);
      const where = `${moment}, ${theme}, ${width} px`;
      // What is just being drawn anew may stand wrongly for a moment.
      await expect.poll(() => sideways(window), { timeout: PATIENCE, message: where }).toEqual([]);
      await expect.poll(() => faults(window), { timeout: PATIENCE, message: where }).toEqual([]);
    }
  }
}

function pageWidth(window: Window): Promise<number> {
  return window.chat.frame.locator("body").evaluate((body) => body.ownerDocument.documentElement.clientWidth);
}

/** Elements that stick out of the page sideways, where nothing that scrolls by itself holds them. */
function sideways(window: Window): Promise<string[]> {
  return window.chat.frame.locator("body").evaluate((body) => {
    const wide = body.ownerDocument.documentElement.clientWidth;
    const scrolls = (element: Element): boolean => {
      for (let at: Element | null = element.parentElement; at && at !== body; at = at.parentElement) {
        if (getComputedStyle(at).overflowX !== "visible") return true;
      }
      return false;
    };
    return [...body.querySelectorAll("*")]
      .filter((element) => element.getBoundingClientRect().right > wide + 1 && !scrolls(element))
      .map((element) => `${element.tagName}.${element.className} ${element.textContent.slice(0, 40)}`);
  });
}

/** What axe finds, as "rule: element". */
async function faults(window: Window): Promise<string[]> {
  const handle = await window.chat.frame.locator("body").elementHandle();
  const frame = await handle.ownerFrame();
  if (!frame) throw new Error("the chat has no frame");
  // Evaluated from outside: the page's own policy, which forbids it to the page, stays as it is.
  await frame.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const results = await frame.evaluate<AxeResults>("axe.run(document, { resultTypes: ['violations'] })");
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`),
  );
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blocksOf, noBlocks, openFence } from "../../../webview/markdown/blocks";
import { targetOf } from "../../../webview/markdown/links";
import { blockHtml, markdown } from "../../../webview/markdown/render";

const html = (source: string): string => blockHtml(source, {});

test("in code nothing is invisible or turns what stands around it", () => {
  const code = 'if role != "user\u202e": pass';
  expect(html(`\`${code}\``)).toContain("user\\u{202e}");
  expect(html(`\`\`\`python\n${code}\n\`\`\`\n`)).toContain("user\\u{202e}");
});

describe("a text that grows", () => {
  const line = fc.constantFrom(
    ...["word", "# head", "- item", "  - deeper", "1. one", "> said", "```", "```py", "a | b", "--- | ---", "---", "===", "", "    code", "| x | y |", "*half", "~~~", "- [ ] open", "  1. [x] done"],
  );
  const text = fc.array(line, { maxLength: 25 }).map((lines) => lines.join("\n"));

  test("has, in whatever pieces it comes, the blocks that it has as a whole", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 7 }), { maxLength: 80 }), (whole, sizes) => {
        let blocks = noBlocks();
        let end = 0;
        for (const size of sizes) blocks = blocksOf(blocks, whole.slice(0, (end += size)));
        blocks = blocksOf(blocks, whole);
        const once = blocksOf(noBlocks(), whole);
        expect([...blocks.finished, blocks.last].join("")).toBe(whole);
        expect([blocks.finished, blocks.last]).toEqual([once.finished, once.last]);
      }),
      { numRuns: 500 },
    );
  });

  test("is rendered block by block as it is as a whole", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const { finished, last } = blocksOf(noBlocks(), whole);
        expect([...finished, last].map(html).join("")).toBe(html(whole));
      }),
      { numRuns: 300 },
    );
  });

  test("keeps a finished block as the same text, never parsed again", () => {
    const before = blocksOf(noBlocks(), "one\n\ntwo\n\nthr");
    expect([before.finished, before.last]).toEqual([["one\n\n"], "two\n\nthr"]);
    const after = blocksOf(before, "one\n\ntwo\n\nthree\n\nfour\n");
    expect([after.finished, after.last]).toEqual([["one\n\n", "two\n\n", "three\n\n"], "four\n"]);
    expect(blocksOf(after, "one\n\ntwo\n\nthree\n\nfour\nfi").finished).toBe(after.finished);
  });

  test("that is replaced by another one begins anew", () => {
    const blocks = blocksOf(blocksOf(noBlocks(), "one\n\ntwo\n\n"), "other");
    expect([blocks.finished, blocks.last]).toEqual([[], "other"]);
  });

  test("has an open block of code until its fence is closed", () => {
    expect(openFence("```py\nx = 1\n")).toEqual({ language: "py", code: "x = 1\n" });
    expect(openFence("````\n```\nx")).toEqual({ language: "", code: "```\nx" });
    expect(openFence("```py\nx = 1\n```\n")).toBeUndefined();
    expect(openFence("word")).toBeUndefined();
  });
});

describe("a task list", () => {
  const BOX = (done: boolean, text: string) => `<label><input type="checkbox" disabled${done ? " checked" : ""}>${text}</label>`;

  test("has a box for each item that says whether it is done, named by the item's text", () => {
    expect(html("- [ ] mend `add`\n- [x] find it\n- [X] *read* it\n- a plain one")).toBe(
      `<ul>\n<li class="md-task">${BOX(false, "mend <code>add</code>")}</li>\n<li class="md-task">${BOX(true, "find it")}</li>\n` +
        `<li class="md-task">${BOX(true, "<em>read</em> it")}</li>\n<li>a plain one</li>\n</ul>\n`,
    );
  });

  test("may be numbered, nested, quoted or have blank lines between", () => {
    const nested = html("1. [x] outer\n   - [ ] inner\n");
    expect(nested).toContain(BOX(true, "outer"));
    expect(nested).toContain(BOX(false, "inner"));
    expect(html("> - [ ] quoted")).toContain(BOX(false, "quoted"));
    expect(html("- [ ] one\n\n- [x] two")).toContain(`<p>${BOX(true, "two")}</p>`);
  });

  test("a name in its brackets is no link, though the text has one of that name", () => {
    expect(html("- [x] done\n\n[x]: https://example.org")).toContain(BOX(true, "done"));
  });

  test.each(["- [ ]", "- [x]", "- [ ]text", "- [y] text", "- [] text", "- say [ ] text", "[ ] text", "- # [ ] text", "-     [ ] code"])(
    "is nothing else: %s",
    (text) => {
      expect(html(text)).not.toContain("<input");
    },
  );

  test("no text makes a box that can be pressed, or HTML of its own", () => {
    expect(html('- [x] <input type="checkbox"> <b>')).toContain(BOX(true, "&lt;input type=&quot;checkbox&quot;&gt; &lt;b&gt;"));
  });

  test("that grows has its finished items' boxes all along", () => {
    const whole = "- [x] one\n- [ ] two\n\nafter";
    const boxes = Array.from(whole, (_, end) => {
      const { finished, last } = blocksOf(noBlocks(), whole.slice(0, end + 1));
      return [...finished, last].map(html).join("").split("<input").length - 1;
    });
    expect(boxes).toEqual([...boxes].sort());
    expect(boxes.at(-1)).toBe(2);
  });
});

describe("what a text may do", () => {
  test.each([
    ["javascript:alert(1)"],
    ["JAVASCRIPT:alert(1)"],
    ["data:text/html,x"],
    ["vbscript:x"],
    ["command:workbench.action.quit"],
    ["vscode://file/x"],
    ["mailto:ada@example.org"],
    ["//example.org/x"],
    ["#fragment"],
    [""],
  ])("never: lead to %s", (href) => {
    expect(targetOf(href)).toBeUndefined();
    expect(html(`[here](${href})`)).not.toContain("<a href");
  });

  test.each([
    ["https://example.org/a?b#c", { kind: "web", href: "https://example.org/a?b#c" }],
    ["shop/cart.py", { kind: "file", uri: "shop/cart.py" }],
    ["shop/cart.py#L12", { kind: "file", uri: "shop/cart.py", line: 12 }],
    ["shop/cart.py#L12-L15", { kind: "file", uri: "shop/cart.py", line: 12 }],
    ["shop/cart.py:7", { kind: "file", uri: "shop/cart.py", line: 7 }],
    ["shop/cart.py:7:3", { kind: "file", uri: "shop/cart.py", line: 7 }],
    ["a%20b.md", { kind: "file", uri: "a b.md" }],
    ["file:///home/ada/x.py#L3", { kind: "file", uri: "file:///home/ada/x.py", line: 3 }],
  ])("lead to %s", (href, target) => {
    expect(targetOf(href)).toEqual(target);
  });

  test("no HTML of its own, no inline style, no picture from elsewhere", () => {
    const text = "<img src=x onerror=alert(1)>\n\n![alt](https://example.org/x.png)\n\n| a |\n| --: |\n| <b>1</b> |";
    const rendered = html(text);
    expect(rendered).not.toMatch(/<img|<b>|style=|onerror=alert\(1\)>/);
    expect(rendered).toContain('class="md-right"');
  });

  test("code of a known language has its words marked, other code is plain, both escaped", () => {
    expect(html("```python\nclass A: pass\n```")).toContain('<span class="hljs-keyword">class</span>');
    expect(html("```frobnicate\n<x>\n```")).toContain("<code>&lt;x&gt;\n</code>");
    expect(html('```"><script>\n1\n```')).not.toContain("<script>");
  });

  test("a file's name is no host", () => {
    expect(html("see cart.py and https://example.org")).toMatch(/see cart\.py and <a href="https:\/\/example\.org"/);
  });
});

test("the renderer knows no rule that writes raw HTML of the text", () => {
  expect(markdown.options.html).toBe(false);
});

/**
 * Items of task lists, `- [ ] …` and `- [x] …`, with a box in front: GitHub's extension of Markdown. A box shows how things
 * stand and can't be pressed; its name is the item's text.
 */

import type MarkdownIt from "markdown-it";
import type { StateCore, Token } from "markdown-it";

/** Blanks and something after it: `[x]` alone is a text. */
const MARK = /^\[([ xX])\][ \t\n]+(?=\S)/;

type Task = "open" | "done";

export function taskLists(markdown: MarkdownIt): void {
  // Before texts are read: what is in the brackets is no link, though a reference may be called `x`.
  markdown.core.ruler.before("inline", "task_marks", ({ tokens }) => tokens.forEach((token, i) => takeMark(tokens, token, i)));
  markdown.core.ruler.after("inline", "task_boxes", (state) => state.tokens.forEach((token) => addBox(state, token)));
  markdown.renderer.rules["task_open"] = boxHtml;
}

/** The first paragraph of an item loses its mark, and keeps what that said. */
function takeMark(tokens: readonly Token[], token: Token, index: number): void {
  const item = tokens[index - 2];
  if (token.type !== "inline" || item?.type !== "list_item_open" || tokens[index - 1]?.type !== "paragraph_open") return;
  const [mark, done] = MARK.exec(token.content) ?? [];
  if (mark === undefined) return;
  token.content = token.content.slice(mark.length);
  const task: Task = done === " " ? "open" : "done";
  token.meta = { task };
  item.attrJoin("class", "md-task");
}

function addBox({ Token: Made }: StateCore, { children, meta }: Token): void {
  const { task } = (meta ?? {}) as { task?: Task };
  if (task === undefined || children === null) return;
  const open = new Made("task_open", "label", 1);
  open.meta = { task };
  children.unshift(open);
  children.push(new Made("task_close", "label", -1));
}

function boxHtml(tokens: readonly Token[], index: number): string {
  const done = (tokens[index]?.meta as { task: Task }).task === "done";
  return `<label><input type="checkbox" disabled${done ? " checked" : ""}>`;
}

/** What is being completed in a text, and what a text points at. Pure. */

import type { Completion } from "../../src/view/messages";

/** A part of the text that a completion replaces. */
export interface Token {
  readonly trigger: "@" | "/";
  readonly query: string;
  readonly start: number;
  readonly end: number;
}

/** What may stand before a mention, besides white space and nothing. */
const BEFORE = "([{<'\"`*,;:";
const LONGEST = 300;

/** What the caret stands in: a `/name` that begins the message, or a mention. Null: nothing to complete. */
export function tokenAt(text: string, caret: number): Token | null {
  return slashAt(text, caret) ?? mentionAt(text, caret);
}

function slashAt(text: string, caret: number): Token | null {
  if (!text.startsWith("/") || caret === 0) return null;
  const end = /\s/.exec(text)?.index ?? text.length;
  // A further slash makes it a path.
  if (caret > end || text.slice(1, end).includes("/")) return null;
  return { trigger: "/", query: text.slice(1, caret), start: 0, end };
}

function mentionAt(text: string, caret: number): Token | null {
  const line = text.lastIndexOf("\n", caret - 1) + 1;
  const from = Math.max(line, caret - LONGEST);
  const at = text.slice(from, caret).lastIndexOf("@") + from;
  if (at < from || text[at] !== "@") return null;
  const before = at === 0 ? " " : (text[at - 1] ?? " ");
  if (!/\s/.test(before) && !BEFORE.includes(before)) return null;
  if (inFence(text.slice(0, line))) return null;
  const quoted = text[at + 1] === '"';
  const typed = text.slice(at + (quoted ? 2 : 1), caret);
  if (quoted ? typed.includes('"') : /\s/.test(typed)) return null;
  const rest = (quoted ? /^[^"\n]*"?/ : /^[^\s"]*/).exec(text.slice(caret))?.[0] ?? "";
  return { trigger: "@", query: typed, start: at, end: caret + rest.length };
}

/** Whether a block of code is open at the end of these lines: what stands in it is no mention. */
function inFence(lines: string): boolean {
  return (lines.match(/^ {0,3}(`{3,}|~{3,})/gm)?.length ?? 0) % 2 === 1;
}

export interface Edited {
  readonly text: string;
  readonly caret: number;
}

/** The text with the item in place of the token; a space follows, but not after a folder, in which one goes on. */
export function complete(text: string, token: Token, item: Completion): Edited {
  const goesOn = item.insert.endsWith("/");
  const rest = text.slice(token.end);
  const space = goesOn || /^\s/.test(rest) ? "" : " ";
  const caret = token.start + item.insert.length + (goesOn ? 0 : 1);
  return { text: `${text.slice(0, token.start)}${item.insert}${space}${rest}`, caret };
}

/** Whether the token says already what the item would insert: then Enter is for the message. */
export function isComplete(text: string, token: Token, item: Completion): boolean {
  return text.slice(token.start, token.end) === item.insert;
}

/** What of the editor goes with a message, because the message mentions it. */
export function attachments(text: string): ("selection" | "diagnostics")[] {
  const named = (name: string): boolean => new RegExp(`(^|[\\s${BEFORE.replace("[", "\\[")}])@${name}(?![\\w/#-]|\\.\\w)`).test(text);
  return (["selection", "diagnostics"] as const).filter(named);
}

/** A command of the chat that the message is, and what stands behind its name. Null: it is a message. */
export function commandOf(text: string): { name: "new" | "compact" | "export" | "continue"; rest: string } | null {
  const found = /^\/(new|compact|export|continue)(?:\s+([^]*))?$/.exec(text.trimEnd());
  if (!found) return null;
  return { name: found[1] as "new" | "compact" | "export" | "continue", rest: found[2]?.trim() ?? "" };
}

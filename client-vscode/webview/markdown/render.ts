/**
 * Markdown as HTML of our own making: no HTML of the text's, no inline styles (the page's policy forbids them), links
 * that lead to the web or to files only. Buttons and links are marked by `data-` attributes for `actions.ts`.
 */

import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";
import { visible } from "../approvals/visible";
import { t } from "../l10n";
import { highlighted } from "./highlight";
import { targetOf } from "./links";
import { taskLists } from "./tasks";

/** What links in brackets refer to; filled while blocks are parsed. */
export interface References {
  references?: Record<string, { href: string; title: string }>;
}

export const markdown = new MarkdownIt("default", { html: false, linkify: true, typographer: false });
const { escapeHtml } = markdown.utils;

// A word with a dot is a file's name more often than a host's.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (href) => targetOf(href) !== undefined;
markdown.use(taskLists);

const { rules } = markdown.renderer;

rules.fence = (tokens, index) => {
  const token = tokens[index];
  if (!token) return "";
  const language = token.info.trim().split(/[\s{]/, 1)[0] ?? "";
  return codeHtml(token.content, language);
};
// What is copied from it is what was seen.
rules.code_inline = (tokens, index) => `<code>${escapeHtml(visible(tokens[index]?.content ?? ""))}</code>`;
rules.code_block = (tokens, index) => codeHtml(tokens[index]?.content ?? "", "");

rules.table_open = () => `<div class="md-table" role="group" tabindex="0" aria-label="${escapeHtml(t("Table"))}"><table>`;
rules.table_close = () => "</table></div>";
rules.th_open = (tokens, index) => cell("th", tokens[index]);
rules.td_open = (tokens, index) => cell("td", tokens[index]);

// One level, under that of the page's title: no text breaks the order of headings.
rules.heading_open = (tokens, index) => `<h2 class="md-${tokens[index]?.tag ?? "h3"}">`;
rules.heading_close = () => "</h2>";

rules.link_open = (tokens, index) => linkHtml(tokens[index]?.attrGet("href") ?? "", tokens[index]?.attrGet("title"));
rules.image = (tokens, index) => {
  const token = tokens[index];
  const name = escapeHtml(token?.content ?? "") || escapeHtml(t("image"));
  return `${linkHtml(token?.attrGet("src") ?? "", token?.attrGet("title"))}${name}</a>`;
};

/** HTML of one or more blocks. */
export function blockHtml(source: string, references: References): string {
  return markdown.render(source, references);
}

/** A block of code with its bar. `highlight: false`: it is still being written. */
export function codeHtml(code: string, language: string, highlight = true): string {
  const shown = visible(code);
  const html = (highlight ? highlighted(shown, language) : undefined) ?? escapeHtml(shown);
  return (
    `<div class="code"><div class="code-bar"><span class="code-language">${escapeHtml(language)}</span>` +
    actionHtml("copy", "copy", t("Copy")) +
    actionHtml("insert", "insert", t("Insert at cursor")) +
    `</div><pre tabindex="0"><code>${html}</code></pre></div>`
  );
}

function actionHtml(action: string, icon: string, label: string): string {
  const name = escapeHtml(label);
  return (
    `<button type="button" class="icon-button" data-action="${action}" title="${name}" aria-label="${name}">` +
    `<span class="codicon codicon-${icon}" aria-hidden="true"></span></button>`
  );
}

function linkHtml(href: string, title: string | null | undefined): string {
  const target = targetOf(href);
  if (!target) return "<a>";
  const shown = escapeHtml(title ?? (target.kind === "web" ? target.href : target.uri));
  if (target.kind === "web") return `<a href="${escapeHtml(target.href)}" data-link="web" title="${shown}">`;
  const line = target.line === undefined ? "" : ` data-line="${target.line}"`;
  return `<a href="#" data-link="file" data-uri="${escapeHtml(target.uri)}"${line} title="${shown}">`;
}

function cell(tag: "th" | "td", token: Token | undefined): string {
  const align = /text-align:(\w+)/.exec(token?.attrGet("style") ?? "")?.[1];
  return align ? `<${tag} class="md-${align}">` : `<${tag}>`;
}

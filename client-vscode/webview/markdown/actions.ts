/** What is pressed inside rendered Markdown: one listener for all links and buttons of a text. */

import type { Act } from "../transcript/act";

/** For `onClick` of the element that holds the rendered text. */
export function pressed(act: Act, event: MouseEvent): void {
  const from = event.target instanceof Element ? event.target : null;
  const link = from?.closest<HTMLElement>("a");
  if (link) {
    // Without a target of ours a link leads nowhere; the editor would open any `href` by itself.
    event.preventDefault();
    follow(act, link);
    return;
  }
  const button = from?.closest<HTMLElement>("button[data-action]");
  const text = button?.closest(".code")?.querySelector("code")?.textContent;
  if (!button || !text) return;
  const name = button.dataset.action === "copy" ? "copy" : "insertAtCursor";
  act(name, { text });
}

function follow(act: Act, link: HTMLElement): void {
  const { link: kind, uri, line } = link.dataset;
  const href = link.getAttribute("href");
  if (kind === "web" && href) act("openLink", { href });
  if (kind === "file" && uri) act("showFile", line === undefined ? { uri } : { uri, line: Number(line) });
}

/** What the page around the chat may load, whatever is written into it: nothing from elsewhere, so nothing leaves it. Pure. */

/**
 * One script by its nonce, style sheets and fonts of the extension (`source`), images that were pasted. Positions of a
 * virtualised list are set through the style object of an element, which no policy forbids.
 */
export function contentPolicy(source: string, nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    `font-src ${source}`,
    "img-src data:",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
}

/** What the chat page may load: nothing from outside, whatever is written into it, so that nothing leaks out. Pure. */

/**
 * Allows one script by its nonce, style sheets and fonts of the extension (`source`), and pasted images. The virtualised list
 * sets positions through elements' style objects, which every policy allows.
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

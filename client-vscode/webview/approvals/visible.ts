/** Text of a model's as a person must see it before saying yes: nothing in it is invisible or changes its order. */

/** Characters of a command or of arguments that are shown. */
export const MAX_SHOWN = 100_000;

// Controls but tab and line feed; marks of direction; what has no width or no ink. A joiner between emoji is none of these.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** `text` with what can't be seen written out, as `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The beginning of a long text, never half of a character, and how many more characters there are. */
export function bounded(text: string, limit = MAX_SHOWN): { readonly text: string; readonly left: number } {
  if (text.length <= limit) return { text, left: 0 };
  const cut = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return { text: text.slice(0, cut), left: text.length - cut };
}

/** The beginning of a text, at most `most` UTF-16 code units of it. A surrogate pair is not cut in half. */
export function cut(text: string, most: number): string {
  const code = most > 0 && most < text.length ? text.charCodeAt(most - 1) : 0;
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? most - 1 : most);
}

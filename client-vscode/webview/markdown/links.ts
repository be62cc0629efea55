/** Where a link in a text leads. Pure. Nothing but the web and files: a model's text must start nothing else. */

export type Target =
  | { readonly kind: "web"; readonly href: string }
  /** A `file:` URI, or a path as it was written. `line` counts from 1. */
  | { readonly kind: "file"; readonly uri: string; readonly line?: number };

/** Undefined: no link is made of it. `href` as Markdown has normalised it: percent-encoded. */
export function targetOf(href: string): Target | undefined {
  if (/^https?:\/\/[^/]/i.test(href)) return { kind: "web", href };
  if (href === "" || href.startsWith("#") || href.startsWith("//") || href.startsWith("?")) return undefined;
  // One letter before a colon is a drive.
  const scheme = /^([a-z][a-z0-9+.-]+):(?!\d+$)/i.exec(href)?.[1];
  if (scheme !== undefined && scheme.toLowerCase() !== "file") return undefined;
  const [, path = "", line] = /^(.*?)(?:#L(\d+)(?:-L?\d+)?|:(\d+)(?::\d+)?)?$/s.exec(href) ?? [];
  const at = Number(line ?? /:(\d+)(?::\d+)?$/.exec(href)?.[1]);
  const uri = scheme === undefined ? decoded(path) : path;
  if (uri === "") return undefined;
  return Number.isInteger(at) && at > 0 ? { kind: "file", uri, line: at } : { kind: "file", uri };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The name that is proposed for an exported session. Pure. */

import { cut } from "../cut";

/** UTF-16 code units, without the suffix. */
const LONGEST = 60;

/** Letters and digits of the title, with hyphens for everything else. */
export function exportName(title: string, suffix: string): string {
  const words = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return `${cut(words, LONGEST) || "session"}.${suffix}`;
}

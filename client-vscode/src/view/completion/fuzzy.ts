/** How well a query matches a name. Pure. */

/** A match at the start of a word scores more than one inside it, and a run of letters more than single ones. */
const START = 8;
const RUN = 5;
const HIT = 1;

/**
 * Matches if the letters of `query` occur in `text` in that order, in any case. Higher is better; null: no match. An empty
 * query matches everything (0).
 */
export function score(query: string, text: string): number | null {
  if (query === "") return 0;
  if (query.length > text.length) return null;
  const wanted = query.toLowerCase();
  const name = text.toLowerCase();
  const slash = name.lastIndexOf("/", name.length - 2) + 1;
  // People mostly type the last part of a path, so it is searched first.
  const inName = walk(wanted, name, text, slash);
  if (inName !== null) return inName + 10 - Math.min((text.length - slash) / 20, 5);
  const anywhere = walk(wanted, name, text, 0);
  return anywhere === null ? null : anywhere - Math.min(text.length / 20, 10);
}

function walk(wanted: string, name: string, text: string, from: number): number | null {
  const whole = name.indexOf(wanted, from);
  const together = whole < 0 ? 0 : wanted.length * (HIT + RUN) + (starts(text, whole) ? START * 2 : 0);
  let points = 0;
  let at = from;
  let before = -2;
  for (const letter of wanted) {
    const found = name.indexOf(letter, at);
    if (found < 0) return null;
    points += HIT + (found === before + 1 ? RUN : 0) + (starts(text, found) ? START : 0);
    before = found;
    at = found + 1;
  }
  return Math.max(points, together);
}

function starts(text: string, at: number): boolean {
  const before = text[at - 1];
  if (before === undefined || /[/\\_\-. ]/.test(before)) return true;
  return /[a-z]/.test(before) && /[A-Z]/.test(text[at] ?? "");
}

/** The best `most` of `items`, best first; equals stay in order. */
export function best<T>(query: string, items: readonly T[], name: (item: T) => string, most: number): T[] {
  const found: { readonly item: T; readonly points: number; readonly place: number }[] = [];
  for (const [place, item] of items.entries()) {
    const points = score(query, name(item));
    if (points !== null) found.push({ item, points, place });
  }
  found.sort((a, b) => b.points - a.points || a.place - b.place);
  return found.slice(0, most).map(({ item }) => item);
}

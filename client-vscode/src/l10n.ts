/** Texts and numbers of the host, for modules that may not know the editor. English is the key, as in `vscode.l10n.t`. */

import { localeOf } from "./numbers";

export type Translate = (text: string, ...args: (string | number)[]) => string;

let translate: Translate = (text, ...args) =>
  text.replace(/\{(\d+)\}/g, (placeholder, index: string) => String(args[Number(index)] ?? placeholder));

let chosen = "en";

/** Uses the window's language from now on; called once, at activation. `language` is the editor's name for it. */
export function translateWith(t: Translate, language: string): void {
  translate = t;
  chosen = localeOf(language);
}

/** What numbers and dates are written in: a tag for `Intl`. */
export function locale(): string {
  return chosen;
}

/** `text` in the user's language; `{0}`, `{1}`… are replaced by `args`. */
export function t(text: string, ...args: (string | number)[]): string {
  return translate(text, ...args);
}

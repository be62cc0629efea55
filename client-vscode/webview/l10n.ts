/** Texts and numbers of the page in the user's language. English is the key; the host passes the bundle that the editor chose. */

import { localeOf } from "../src/numbers";

export type Bundle = Readonly<Record<string, string>>;

let bundle: Bundle = {};
let chosen = "en";

/** Uses `translations` from now on; called once, before the first render. */
export function useBundle(translations: Bundle): void {
  bundle = translations;
}

/** Writes numbers in the language of the page from now on; called once, before the first render. */
export function useLanguage(language: string): void {
  chosen = localeOf(language);
}

/** What numbers are written in: a tag for `Intl`. */
export function locale(): string {
  return chosen;
}

/** The bundle in an attribute of the page, as `bundleAttribute` of the host has written it; empty where it is none. */
export function readBundle(json: string | undefined): Bundle {
  if (!json) return {};
  const value: unknown = JSON.parse(json);
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === "string"));
}

/**
 * `text` in the user's language; `{0}`, `{1}`… are replaced by `args`, as `vscode.l10n.t` does it, so that one bundle
 * serves both.
 */
export function t(text: string, ...args: readonly (string | number)[]): string {
  const translated = bundle[text] ?? text;
  if (args.length === 0) return translated;
  return translated.replace(/\{(\d+)\}/g, (placeholder, index: string) => String(args[Number(index)] ?? placeholder));
}

/** Texts of the host for modules that may not know the editor. English is the key, as in `vscode.l10n.t`. */

export type Translate = (text: string, ...args: (string | number)[]) => string;

let translate: Translate = (text, ...args) =>
  text.replace(/\{(\d+)\}/g, (placeholder, index: string) => String(args[Number(index)] ?? placeholder));

/** Has texts come in the user's language from now on; called once, at activation. */
export function translateWith(t: Translate): void {
  translate = t;
}

/** `text` in the user's language; `{0}`, `{1}`… are replaced by `args`. */
export function t(text: string, ...args: (string | number)[]): string {
  return translate(text, ...args);
}

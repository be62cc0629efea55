/**
 * A language that is made of the texts for translators, each in brackets: «Stop» is ⟦Stop⟧. What is shown without them was
 * never given to a translator.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXTENSIONS } from "./places";

/** One that VS Code knows by its name; it is the name of a pack that translates nothing of VS Code's own. */
export const PSEUDO = "de";

/** `text` as a translator would have it: what is between the brackets of a link is a text of its own. */
export function pseudo(text: string): string {
  return text.replaceAll(/\[([^\]\n]+)\](\([^)\n]+\))|[^[\n]+(?:\[(?![^\]\n]+\]\()[^[\n]*)*/g, (whole, label?: string, target?: string) =>
    label === undefined ? `⟦${whole}⟧` : `[⟦${label}⟧]${target}`,
  );
}

/** Makes the language of a VS Code that has its data there; where its extensions are. */
export function installPseudo(data: string): string {
  const pack = join(data, "pseudo.json");
  mkdirSync(join(data, "data"), { recursive: true });
  writeFileSync(pack, JSON.stringify({ contents: {} }));
  const packs = { [PSEUDO]: { hash: "pseudo", extensions: [{ extensionIdentifier: { id: "steersman.pseudo" }, version: "1.0.0" }], translations: { vscode: pack }, label: "Pseudo" } };
  writeFileSync(join(data, "data", "languagepacks.json"), JSON.stringify(packs));
  const extensions = join(data, "extensions");
  cpSync(EXTENSIONS, extensions, { recursive: true });
  const registry = join(extensions, "extensions.json");
  writeFileSync(registry, readFileSync(registry, "utf8").replaceAll(EXTENSIONS, extensions));
  const [ours] = readdirSync(extensions).filter((name) => name.startsWith("steersman."));
  if (ours === undefined) throw new Error(`Steersman is not installed in ${EXTENSIONS}`);
  translate(join(extensions, ours, "package.nls.json"), join(extensions, ours, `package.nls.${PSEUDO}.json`));
  translate(join(extensions, ours, "l10n/bundle.l10n.json"), join(extensions, ours, `l10n/bundle.l10n.${PSEUDO}.json`));
  return extensions;
}

function translate(from: string, to: string): void {
  const texts = JSON.parse(readFileSync(from, "utf8")) as Record<string, string>;
  writeFileSync(to, JSON.stringify(Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, pseudo(text)]))));
}

/** Which languages extensions check with code of their own, according to their manifests. Pure. */

/** The part of an extension's manifest that matters here. */
export interface Manifest {
  readonly activationEvents?: readonly string[];
}

const ON_LANGUAGE = "onLanguage:";

/** Ids of the languages whose documents activate an extension; grammars alone activate none. */
export function lookedAt(manifests: readonly Manifest[]): Set<string> {
  const events = manifests.flatMap(({ activationEvents }) => activationEvents ?? []);
  return new Set(
    events.filter((event) => event.startsWith(ON_LANGUAGE)).map((event) => event.slice(ON_LANGUAGE.length)),
  );
}

/** The server's notion of a file's language: the extension of its name, else the whole name. */
export function kindOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return (dot > 0 ? name.slice(dot) : name).toLowerCase();
}

/** Which languages some extension looks at with code of its own, as far as extensions say it. Pure. */

/** What an extension says of itself. */
export interface Manifest {
  readonly activationEvents?: readonly string[];
}

const ON_LANGUAGE = "onLanguage:";

/** Ids of the languages that start an extension when a document of theirs is opened; grammars alone start none. */
export function lookedAt(manifests: readonly Manifest[]): Set<string> {
  const events = manifests.flatMap(({ activationEvents }) => activationEvents ?? []);
  return new Set(
    events.filter((event) => event.startsWith(ON_LANGUAGE)).map((event) => event.slice(ON_LANGUAGE.length)),
  );
}

/** What the server takes for the language of a file: the end of its name, else the name. */
export function kindOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return (dot > 0 ? name.slice(dot) : name).toLowerCase();
}

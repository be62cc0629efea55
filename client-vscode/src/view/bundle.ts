/** The translations that the editor has chosen, as the page reads them: in an attribute, which no policy forbids. */

/** `bundle` as the value of an attribute in double quotes; empty where the texts are English. */
export function bundleAttribute(bundle: Readonly<Record<string, unknown>> | undefined): string {
  if (!bundle) return "";
  const escapes: Readonly<Record<string, string>> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };
  return JSON.stringify(bundle).replace(/[&"<>]/g, (character) => escapes[character] ?? character);
}

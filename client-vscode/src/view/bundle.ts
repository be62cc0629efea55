/** Passes the editor's translations to the page: in an attribute, which every content policy allows. */

/** `bundle` as the value of an attribute in double quotes; empty where the texts are English. */
export function bundleAttribute(bundle: Readonly<Record<string, unknown>> | undefined): string {
  if (!bundle) return "";
  const escapes: Readonly<Record<string, string>> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };
  return JSON.stringify(bundle).replace(/[&"<>]/g, (character) => escapes[character] ?? character);
}

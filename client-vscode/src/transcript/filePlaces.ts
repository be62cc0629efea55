/** Which files a link in a transcript may mean. Pure: who opens one looks which of them is there. */

/**
 * URIs to try, in order. `named`: a `file:` URI, or a path as a model has written it; `folders`: URIs of the folders
 * that a relative path may start in. Nothing for what is no file of this machine: to open a file of another host is to
 * tell that host who asks.
 */
export function placesOf(named: string, folders: readonly string[]): string[] {
  if (/^file:\/\/\/[^/]/i.test(named)) return [named];
  const path = named.replaceAll("\\", "/");
  if (/^[a-z]:\//i.test(path)) return [`file:///${encoded(path)}`];
  if (path === "" || path.startsWith("//") || /^[a-z][a-z0-9+.-]+:/i.test(path)) return [];
  if (path.startsWith("/")) return [`file://${encoded(path)}`];
  const within = folders.map((folder) => new URL(encoded(path), `${folder.replace(/\/$/, "")}/`).href);
  // In several folders a path may begin with the name of one.
  const [first = "", ...rest] = path.split("/");
  const ofFolder = folders.filter((folder) => rest.length > 0 && nameOf(folder) === encodeURIComponent(first));
  return [...within, ...ofFolder.map((folder) => new URL(encoded(rest.join("/")), `${folder.replace(/\/$/, "")}/`).href)];
}

/** Percent-encoded. */
function nameOf(folder: string): string {
  return folder.replace(/\/$/, "").split("/").at(-1) ?? "";
}

function encoded(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

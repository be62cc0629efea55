/** Which files a link in a transcript may mean. Pure: whoever opens the link finds out which of them exists. */

/**
 * URIs to try, in order. `named`: a `file:` URI, or a path as the model wrote it; `folders`: URIs of the folders that a
 * relative path may start in. Empty for anything but a file of this machine: opening a file on another host would tell that
 * host who asks.
 */
export function placesOf(named: string, folders: readonly string[]): string[] {
  if (/^file:\/\/\/[^/]/i.test(named)) return [named];
  const path = named.replaceAll("\\", "/");
  if (/^[a-z]:\//i.test(path)) return [`file:///${encoded(path)}`];
  if (path === "" || path.startsWith("//") || /^[a-z][a-z0-9+.-]+:/i.test(path)) return [];
  if (path.startsWith("/")) return [`file://${encoded(path)}`];
  const within = folders.map((folder) => new URL(encoded(path), `${folder.replace(/\/$/, "")}/`).href);
  // With several folders, a path may begin with a folder's name.
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

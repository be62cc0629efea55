/** The folders of a list of files. Pure. */

/** The folders that hold these files, each once, with a slash at the end, shallow ones first. */
export function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
      const folder = path.slice(0, slash + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders].sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
}

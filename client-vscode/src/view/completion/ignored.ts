/**
 * What a search for files leaves out, as one VS Code glob: the editor's own settings and the simple rules of a `.gitignore`.
 * Pure.
 */

/** Large and never meant, in any workspace. */
const ALWAYS = ["**/.git/**", "**/node_modules/**", "**/.venv/**", "**/__pycache__/**"];
const MOST_RULES = 300;

/**
 * @param settings `files.exclude` and `search.exclude`: glob to whether it applies; conditions (objects) are ignored
 * @param gitignore the text of the workspace folder's `.gitignore`
 */
export function ignored(settings: readonly Readonly<Record<string, unknown>>[], gitignore: string): string {
  const globs = new Set(ALWAYS);
  for (const setting of settings) {
    for (const [glob, on] of Object.entries(setting)) if (on === true) globs.add(glob);
  }
  for (const line of gitignore.split("\n").slice(0, MOST_RULES)) {
    for (const glob of fromRule(line)) globs.add(glob);
  }
  // A brace or a comma in a rule would break the group around all rules.
  const plain = [...globs].filter((glob) => !/[{},]/.test(glob));
  return `{${plain.join(",")}}`;
}

/** A glob can't make the exceptions of negated rules (`!`): their files are left out, too. */
function fromRule(line: string): string[] {
  const rule = line.trim();
  if (rule === "" || rule.startsWith("#") || rule.startsWith("!") || rule.includes("\\")) return [];
  const folder = rule.endsWith("/");
  const path = folder ? rule.slice(0, -1) : rule;
  if (path === "") return [];
  const anchored = path.includes("/");
  const glob = anchored ? path.replace(/^\//, "") : `**/${path}`;
  return folder ? [`${glob}/**`] : [glob, `${glob}/**`];
}

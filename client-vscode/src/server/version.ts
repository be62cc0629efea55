/** Versions of Python and Steersman, as programs print them. */

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** The oldest Python that Steersman's package accepts. */
export const NEEDED_PYTHON: Version = { major: 3, minor: 11, patch: 0 };
/** Minor versions to search for, newest first. Others that are new enough are accepted if they are named. */
export const KNOWN_PYTHON_MINORS = [14, 13, 12, 11] as const;

/** The first version in a text such as `3.12.4`, `Python 3.9` or `steersman 0.1.0`; undefined if there is none. */
export function versionIn(text: string): Version | undefined {
  const found = /(?<![\d.])(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  if (!found) return undefined;
  return { major: Number(found[1]), minor: Number(found[2]), patch: Number(found[3] ?? 0) };
}

export function versionText({ major, minor, patch }: Version): string {
  return `${major}.${minor}.${patch}`;
}

/** Negative if `one` is older, 0 if they are the same. */
export function compareVersions(one: Version, other: Version): number {
  return one.major - other.major || one.minor - other.minor || one.patch - other.patch;
}

export function isPythonNewEnough(version: Version): boolean {
  return compareVersions(version, NEEDED_PYTHON) >= 0;
}

export type Match = "matches" | "older" | "newer" | "unknown";

/** How a server's version compares with the extension's. They match if major and minor are the same. */
export function matchOf(server: string, extension: string): Match {
  const [one, other] = [versionIn(server), versionIn(extension)];
  if (!one || !other) return "unknown";
  if (one.major === other.major && one.minor === other.minor) return "matches";
  return compareVersions(one, other) < 0 ? "older" : "newer";
}

/** Versions of Python and of Steersman, as programs print them. */

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** Python that Steersman needs, as its package says. */
export const NEEDED_PYTHON: Version = { major: 3, minor: 11, patch: 0 };
/** Minors to look for, the newest first. Any other that is new enough is taken too where it is named. */
export const KNOWN_PYTHON_MINORS = [14, 13, 12, 11] as const;

/** The first version in a text: `3.12.4`, `Python 3.9`, `steersman 0.1.0`; undefined if there is none. */
export function versionIn(text: string): Version | undefined {
  const found = /(?<![\d.])(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  if (!found) return undefined;
  return { major: Number(found[1]), minor: Number(found[2]), patch: Number(found[3] ?? 0) };
}

export function versionText({ major, minor, patch }: Version): string {
  return `${major}.${minor}.${patch}`;
}

/** Negative: `one` is older; 0: they are the same. */
export function compareVersions(one: Version, other: Version): number {
  return one.major - other.major || one.minor - other.minor || one.patch - other.patch;
}

export function isPythonNewEnough(version: Version): boolean {
  return compareVersions(version, NEEDED_PYTHON) >= 0;
}

export type Match = "matches" | "older" | "newer" | "unknown";

/** How a server's version stands to the extension's: they match with the same major and minor. */
export function matchOf(server: string, extension: string): Match {
  const [one, other] = [versionIn(server), versionIn(extension)];
  if (!one || !other) return "unknown";
  if (one.major === other.major && one.minor === other.minor) return "matches";
  return compareVersions(one, other) < 0 ? "older" : "newer";
}

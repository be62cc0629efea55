/** Removes secrets from a text before it is shown to others. Pure. */

const ASSIGNED = /((?:api[-_]?key|token|secret|password|authorization)["']?\s*[:=]\s*["']?(?:bearer\s+)?)[^\s"',;]+/gi;
const KEYS = /\b(?:sk|pk|ghp|gho|github_pat|xox[abp]|AIza)[-_A-Za-z0-9]{12,}/g;
const BEARER = /(bearer\s+)[-._~+/A-Za-z0-9]{8,}=*/gi;
const USERINFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** `secrets`: known secrets. `home`: the user's home folder, whose path contains their name. */
export function redact(text: string, secrets: readonly string[], home: string): string {
  let redacted = text;
  for (const secret of secrets) if (secret.length >= 4) redacted = redacted.replaceAll(secret, "‹redacted›");
  redacted = redacted
    .replace(ASSIGNED, "$1‹redacted›")
    .replace(BEARER, "$1‹redacted›")
    .replace(KEYS, "‹redacted›")
    .replace(USERINFO, "$1‹redacted›@");
  return home.length > 1 ? redacted.replaceAll(home, "~") : redacted;
}

/** The last `lines` lines. */
export function lastLines(text: string, lines: number): string {
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}

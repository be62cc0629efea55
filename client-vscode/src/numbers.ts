/** Numbers as they are written in a language. Pure; the host and the page use it. */

/** The `Intl` tag of a language as the editor names it; English where there is none. */
export function localeOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language.replaceAll("_", "-"))[0] ?? "en";
  } catch {
    return "en";
  }
}

export function number(value: number, locale: string, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(locale, options).format(value);
}

/** A count in three digits: `812`, `12.4k`, `1.05M`. */
export function shortCount(count: number, locale: string): string {
  const three = (value: number): string => number(value, locale, { maximumSignificantDigits: 3 });
  if (count < 1000) return three(count);
  return count < 999_500 ? `${three(count / 1000)}k` : `${three(count / 1_000_000)}M`;
}

/** US dollars: whole cents, and four decimals below ten cents. */
export function dollars(cost: number, locale: string): string {
  const digits = cost > 0 && cost < 0.1 ? 4 : 2;
  return number(cost, locale, {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

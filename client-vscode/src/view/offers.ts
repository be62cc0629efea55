/** The rows of the model picker: what each provider offers, and why some offer nothing. Pure. */

import { locale, t } from "../l10n";
import { number, shortCount } from "../numbers";
import type { ModelsAnswer, OfferedModel, OfferingProvider } from "../protocol";

export type Row =
  | { readonly kind: "group"; readonly label: string }
  | { readonly kind: "model"; readonly model: string; readonly label: string; readonly description: string }
  | { readonly kind: "problem"; readonly label: string; readonly detail: string };

/** First the models known here, then those of each usable provider, then why the other providers can't be used. */
export function rowsOf(answer: ModelsAnswer | null, known: readonly string[]): readonly Row[] {
  const usable = answer?.providers.filter((offer) => offer.usable) ?? [];
  const others = answer?.providers.filter((offer) => !offer.usable) ?? [];
  const facts = new Map(usable.flatMap(({ models }) => models.map((model) => [model.model, factsOf(model)])));
  return [
    ...group(
      t("Used here"),
      known.map((model) => ({ kind: "model", model, label: model, description: facts.get(model) ?? "" })),
    ),
    ...usable.flatMap((offer) => group(titleOf(offer), rowsOfProvider(offer))),
    ...group(t("Not usable yet"), others.map(problemOf)),
  ];
}

/** What is typed, if it has the form of a model's name; it need not be listed. */
export function namedBy(typed: string): string | undefined {
  const wanted = typed.trim();
  return /^[^:\s]+:\S/.test(wanted) ? wanted : undefined;
}

/** What helps to choose a model: "131k tokens · $3 in, $15 out per 1M tokens". */
export function factsOf(model: OfferedModel): string {
  const { contextWindow, price, images, thinking, loaded } = model;
  return [
    contextWindow === undefined ? undefined : t("{0} tokens", shortCount(contextWindow, locale())),
    price === undefined ? undefined : priceText(price),
    images === true ? t("images") : undefined,
    thinking === true ? t("thinking") : undefined,
    loaded === true ? t("loaded") : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

function group(label: string, rows: readonly Row[]): readonly Row[] {
  return rows.length === 0 ? [] : [{ kind: "group", label }, ...rows];
}

function titleOf({ title, server }: OfferingProvider): string {
  return server === undefined ? title : `${title} (${server})`;
}

function rowsOfProvider(offer: OfferingProvider): readonly Row[] {
  const rows: Row[] = offer.models.map((model) => ({
    kind: "model",
    model: model.model,
    label: model.name,
    description: factsOf(model),
  }));
  if (offer.problem !== undefined) rows.push(problemOf(offer));
  return rows;
}

function problemOf(offer: OfferingProvider): Row {
  const names = offer.usable ? [] : offer.models.slice(0, 3).map(({ name }) => name);
  const label = names.length === 0 ? offer.title : `${offer.title}: ${names.join(", ")}`;
  return { kind: "problem", label, detail: [offer.problem, offer.mend].filter(Boolean).join(" ") };
}

function priceText({ input, output }: NonNullable<OfferedModel["price"]>): string | undefined {
  if (input === 0 && output === 0) return t("free");
  if (input !== undefined && output !== undefined) return t("${0} in, ${1} out per 1M tokens", price(input), price(output));
  if (input !== undefined) return t("${0} in per 1M tokens", price(input));
  return output === undefined ? undefined : t("${0} out per 1M tokens", price(output));
}

function price(dollars: number): string {
  return number(dollars, locale(), { maximumFractionDigits: 6 });
}

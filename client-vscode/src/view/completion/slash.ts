/** What `/` completes at the start of a message: the chat's commands and prompt templates. Pure. */

import type { TemplateInfo } from "../../protocol";
import type { Completion } from "../messages";
import { best } from "./fuzzy";

export interface ChatCommand {
  readonly name: "new" | "compact" | "export" | "continue";
  readonly detail: string;
  readonly icon: string;
}

const MOST = 30;

/** Commands come before templates that match equally well, and hide templates of the same name. */
export function slashItems(
  query: string,
  commands: readonly ChatCommand[],
  templates: readonly TemplateInfo[],
): readonly Completion[] {
  const names = new Set<string>(commands.map(({ name }) => name));
  const items: Completion[] = [
    ...commands.map(({ name, detail, icon }) => ({ label: `/${name}`, detail, icon, insert: `/${name}` })),
    ...templates.filter(({ name }) => !names.has(name)).map(ofTemplate),
  ];
  return best(query, items, ({ label }) => label.slice(1), MOST);
}

function ofTemplate({ name, description, hint, problem }: TemplateInfo): Completion {
  const detail = problem ?? [hint, description].filter((text) => text !== "").join(" · ");
  const icon = problem === undefined ? "note" : "warning";
  return { label: `/${name}`, icon, insert: `/${name}`, ...(detail === "" ? {} : { detail }) };
}

/** What a call does, in a few words: "Edit shop/cart.py", "Run pytest -q". Pure. */

import type { ToolEntry } from "../../src/transcript/entries";
import { visible } from "../approvals/visible";
import { t } from "../l10n";
import { firstLine, pathName } from "./format";

export interface ToolTitle {
  /** A codicon's name. */
  readonly icon: string;
  readonly text: string;
  /** The file that it is about, as the model wrote it. */
  readonly path?: string;
}

type Args = Readonly<Record<string, unknown>>;
type Title = (args: Args, roots: readonly string[]) => string;

const LONG = 160;

const TOOLS: Readonly<Record<string, { readonly icon: string; readonly title: Title }>> = {
  read: { icon: "file", title: (args, roots) => t("Read {0}", path(args, "path", roots) + linesRead(args)) },
  write: { icon: "new-file", title: (args, roots) => t("Write {0}", path(args, "path", roots)) },
  edit: { icon: "edit", title: (args, roots) => edited(args, roots) },
  delete: { icon: "trash", title: (args, roots) => t("Delete {0}", path(args, "path", roots)) },
  move: {
    icon: "arrow-right",
    title: (args, roots) => t("Move {0} to {1}", path(args, "from", roots), path(args, "to", roots)),
  },
  bash: { icon: "terminal", title: (args) => t("Run {0}", text(args, "command")) },
  grep: { icon: "search", title: (args, roots) => t("Search for {0}", text(args, "pattern")) + within(args, roots) },
  find: { icon: "search", title: (args, roots) => t("Find {0}", text(args, "pattern")) + within(args, roots) },
  ls: { icon: "folder", title: (args, roots) => t("List {0}", path(args, "path", roots) || t("the workspace folder")) },
  diagnostics: {
    icon: "warning",
    title: (args, roots) => t("Look at the problems of {0}", path(args, "path", roots) || t("the workspace")),
  },
  ask_user: { icon: "question", title: (args) => t("Ask: {0}", text(args, "question")) },
  definition: { icon: "symbol-method", title: (args) => t("Find the definition of {0}", text(args, "symbol")) },
  references: { icon: "references", title: (args) => t("Find the uses of {0}", text(args, "symbol")) },
  hover: { icon: "info", title: (args) => t("Look up {0}", text(args, "symbol")) },
  symbols: {
    icon: "symbol-class",
    title: (args, roots) => t("List the symbols of {0}", path(args, "path", roots) || text(args, "query")),
  },
  rename_preview: {
    icon: "symbol-string",
    title: (args) => t("Look at renaming {0} to {1}", text(args, "symbol"), text(args, "newName", "new_name")),
  },
};

export function toolTitle({ name, args, argsText }: ToolEntry, roots: readonly string[]): ToolTitle {
  if (name === "") {
    const soon = /"(?:path|command|pattern)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(argsText)?.[1];
    return { icon: "ellipsis", text: soon ? t("Prepare a call: {0}", shown(soon)) : t("Prepare a call") };
  }
  const file = typeof args.path === "string" ? { path: args.path } : {};
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (tool) return { icon: tool.icon, text: tool.title(args, roots), ...file };
  const [first] = Object.values(args).filter((value) => typeof value === "string" && value !== "");
  return { icon: "tools", text: typeof first === "string" ? `${shown(name)} ${shown(first)}` : shown(name), ...file };
}

function text(args: Args, ...names: readonly string[]): string {
  const value = names.map((name) => args[name]).find((each) => typeof each === "string");
  return typeof value === "string" ? shown(value) : "";
}

function path(args: Args, name: string, roots: readonly string[]): string {
  const value = args[name];
  return typeof value === "string" ? shown(pathName(value, roots)) : "";
}

/** The first of the files that a call edits, and how many there are beside it. */
function edited(args: Args, roots: readonly string[]): string {
  const items: unknown[] = Array.isArray(args.edits) ? args.edits : [];
  const own = items.map((item) => (typeof item === "object" && item !== null && "path" in item ? item.path : undefined));
  const files = [args.path, ...own].filter((each) => typeof each === "string" && each !== "");
  const names = [...new Set(files.map((each) => shown(pathName(String(each).replace(/^(?:\.\/)+/, ""), roots))))];
  const [first = "", second = ""] = names;
  if (names.length < 2) return t("Edit {0}", first);
  return names.length === 2 ? t("Edit {0} and {1}", first, second) : t("Edit {0} and {1} more files", first, names.length - 1);
}

function within(args: Args, roots: readonly string[]): string {
  const place = path(args, "path", roots) || text(args, "glob");
  return place === "" ? "" : ` ${t("in {0}", place)}`;
}

function linesRead({ offset, limit }: Args): string {
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const first = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? `:${first}–${first + limit - 1}` : `:${first}`;
}

function shown(value: string): string {
  return visible(firstLine(value, LONG));
}

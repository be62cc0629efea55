/** What the session is doing, in a few words. Pure. */

import type { Entry } from "../../src/transcript/entries";
import type { SessionView } from "../../src/view/messages";
import { visible } from "../approvals/visible";
import { t } from "../l10n";

const LONGEST = 40;

/** Null: nothing goes on. */
export function runState(session: Pick<SessionView, "run" | "state">, entries: readonly Entry[]): string | null {
  switch (session.state) {
    case "idle":
      return session.run === null ? null : t("Starting");
    case "interrupted":
      return t("Interrupted");
    case "waitingApproval":
    case "waitingInput":
      return t("Waiting for you");
    case "retrying":
      return t("Trying again");
    case "compacting":
      return t("Summarising");
    case "aborting":
      return t("Stopping");
    case "tool":
      return toolState(entries);
    default:
      return streamingState(entries.at(-1));
  }
}

function streamingState(last: Entry | undefined): string {
  if (last?.kind === "text" && last.streaming) return t("Answering");
  return t("Thinking");
}

function toolState(entries: readonly Entry[]): string {
  for (let place = entries.length - 1; place >= 0; place--) {
    const entry = entries[place];
    if (entry?.kind === "user") break;
    if (entry?.kind === "tool" && entry.state !== "ended") return toolWords(entry.name, entry.args);
  }
  return t("Working");
}

/** `args` as the model gave them: anything may be in them. */
export function toolWords(name: string, args: Readonly<Record<string, unknown>>): string {
  const path = typeof args.path === "string" ? short(fileName(args.path)) : null;
  switch (name) {
    case "bash":
      return typeof args.command === "string" ? t("Running {0}", short(args.command)) : t("Running a command");
    case "read":
      return path ? t("Reading {0}", path) : t("Reading");
    case "edit":
      return path ? t("Editing {0}", path) : t("Editing");
    case "write":
      return path ? t("Writing {0}", path) : t("Writing");
    case "delete":
      return path ? t("Deleting {0}", path) : t("Deleting");
    case "grep":
    case "find":
    case "ls":
      return t("Searching");
    default:
      return t("Running {0}", short(name));
  }
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

function short(text: string): string {
  const line = visible(text.trim().split("\n", 1)[0] ?? "");
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

/** `0:07`, `12:30`, `1:02:03`. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

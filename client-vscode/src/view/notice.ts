/** What a notification says and offers. Pure. */

import type { ApprovalRequest } from "../protocol";

/** Text without links: VS Code would render `[text](command:…)` as one, and a file name or a model may contain that. */
export function textOnly(text: string): string {
  return text.replaceAll("](", "] (");
}

/** Whether a question's title shows all that is asked. If it shortens a command or has arguments, these must be seen first. */
export function saysAll({ title, command, tool }: ApprovalRequest): boolean {
  return tool === undefined && (command === undefined || title.includes(command));
}

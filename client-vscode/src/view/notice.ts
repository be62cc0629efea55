/** What a notification says and offers. Pure. */

import type { ApprovalRequest } from "../protocol";

/** Text without links: the editor makes one of `[text](command:…)`, and names of files and texts of models come here. */
export function textOnly(text: string): string {
  return text.replaceAll("](", "] (");
}

/** Whether the title of a question is all that a yes would be to. A command or arguments that it has cut must be seen first. */
export function saysAll({ title, command, tool }: ApprovalRequest): boolean {
  return tool === undefined && (command === undefined || title.includes(command));
}

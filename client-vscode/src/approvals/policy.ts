/** When a diff opens by itself, and where. Pure. */

import type { ApprovalRequest } from "../protocol";
import type { Mode } from "../view/messages";

export type OpenDiff = "automatic" | "onRequest";

/** A mode that makes changes unasked moves nothing in the editor, even where it asks about one. */
export function opensItself(request: ApprovalRequest, setting: OpenDiff, mode: Mode): boolean {
  if (setting === "onRequest" || mode === "auto-edit" || mode === "full-auto") return false;
  // A move has no text to compare; a long text is fetched and shown when it is wanted.
  return request.changes.some(({ kind }) => kind !== "move");
}

/**
 * `beside`: a diff in the place of an editor that has the focus would take it away, whatever is asked of the API. Only
 * where the chat has it is that sure not to happen. `editorOpen`: something of the user's is in front there.
 */
export function placeOf(chatHasFocus: boolean, editorOpen: boolean): "active" | "beside" {
  return editorOpen && !chatHasFocus ? "beside" : "active";
}

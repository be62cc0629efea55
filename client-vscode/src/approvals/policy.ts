/** When a diff opens automatically, and where. Pure. */

import type { ApprovalRequest } from "../protocol";
import type { Mode } from "../view/messages";

export type OpenDiff = "automatic" | "onRequest";

/** In a mode that makes changes without asking, no diff opens automatically, not even for a change that is asked about. */
export function opensItself(request: ApprovalRequest, setting: OpenDiff, mode: Mode): boolean {
  if (setting === "onRequest" || mode === "auto-edit" || mode === "full-auto") return false;
  // A move has no text to compare.
  return request.changes.some(({ kind }) => kind !== "move");
}

/**
 * `beside`: a diff that replaces a focused editor takes its focus, whatever options the API is given. Only while the chat has
 * the focus is that sure not to happen. `editorOpen`: one of the user's editors is in front there.
 */
export function placeOf(chatHasFocus: boolean, editorOpen: boolean): "active" | "beside" {
  return editorOpen && !chatHasFocus ? "beside" : "active";
}

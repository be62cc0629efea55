/** VS Code's Workspace Trust, told to the server: the user has answered there and is not asked again. */

import * as vscode from "vscode";
import type { ApprovalAnswer, ApprovalRequest, SteersmanOptions } from "../protocol";
import type { Handlers } from "../view/bridge";
import type { ClientFeature } from "./server";

export class Trust implements ClientFeature {
  /** The server follows nothing in a workspace that is not trusted, and has no mode there that is looser than `ask`. */
  get options(): Partial<SteersmanOptions> {
    return vscode.workspace.isTrusted ? {} : { untrusted: true };
  }

  attach(): vscode.Disposable[] {
    return [];
  }
}

/** Where VS Code asks for trust, and says what it means. */
export const trustHandlers: Handlers = {
  manageTrust: async () => {
    await vscode.commands.executeCommand("workbench.trust.manage");
    return {};
  },
};

/**
 * The answer to a question about trust; undefined: it is about something else and the user's to answer. A yes holds for
 * the server that asks: the editor knows it for later ones, and can take it back.
 */
export function answerTrust(request: ApprovalRequest): ApprovalAnswer | undefined {
  if (request.kind !== "trust") return undefined;
  return { decision: vscode.workspace.isTrusted ? "acceptForSession" : "decline" };
}

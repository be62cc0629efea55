/** Tells the server about VS Code's Workspace Trust, where the user has already answered. */

import * as vscode from "vscode";
import type { ApprovalAnswer, ApprovalRequest, SteersmanOptions } from "../protocol";
import type { Handlers } from "../view/bridge";
import type { ClientFeature } from "./server";

export class Trust implements ClientFeature {
  /** In an untrusted workspace the server follows none of its instructions and has no mode looser than `ask`. */
  get options(): Partial<SteersmanOptions> {
    return vscode.workspace.isTrusted ? {} : { untrusted: true };
  }

  attach(): vscode.Disposable[] {
    return [];
  }
}

/** Opens VS Code's editor for trust, which explains it. */
export const trustHandlers: Handlers = {
  manageTrust: async () => {
    await vscode.commands.executeCommand("workbench.trust.manage");
    return {};
  },
};

/**
 * The answer to a question about trust; undefined if it is about something else, which the user has to answer. A yes holds
 * only for the server that asks: VS Code tells later servers, and can withdraw it.
 */
export function answerTrust(request: ApprovalRequest): ApprovalAnswer | undefined {
  if (request.kind !== "trust") return undefined;
  return { decision: vscode.workspace.isTrusted ? "acceptForSession" : "decline" };
}

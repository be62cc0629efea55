/**
 * A question that no run asks: the server's command `steersman.ask`, from the light bulb, wants a prompt of its user.
 * It is put where they are, over the editor; what a model asks is put in the chat.
 */

import * as vscode from "vscode";
import type { InputAnswer, InputRequest } from "../protocol";

export function isPrompt({ run }: InputRequest): boolean {
  return run === "";
}

/** Null: the user has closed it, or it was withdrawn. */
export async function askInBox({ prompt }: InputRequest, token: vscode.CancellationToken): Promise<InputAnswer | null> {
  const text = await vscode.window.showInputBox({ title: "Steersman", prompt, ignoreFocusOut: true }, token);
  return text === undefined ? null : { text };
}

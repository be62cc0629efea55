/**
 * The question of the server's command `steersman.ask` in the light bulb, which no run asks: it wants a prompt. It appears
 * over the editor, where the user is; the model's questions appear in the chat.
 */

import * as vscode from "vscode";
import type { InputAnswer, InputRequest } from "../protocol";

export function isPrompt({ run }: InputRequest): boolean {
  return run === "";
}

/** Null: the user closed it, or one of the tokens withdrew it. */
export async function askInBox(
  { prompt }: InputRequest,
  ...tokens: readonly vscode.CancellationToken[]
): Promise<InputAnswer | null> {
  const withdrawn = new vscode.CancellationTokenSource();
  const listening = tokens.map((token) => token.onCancellationRequested(() => withdrawn.cancel()));
  try {
    const text = await vscode.window.showInputBox({ title: "Steersman", prompt, ignoreFocusOut: true }, withdrawn.token);
    return text === undefined ? null : { text };
  } finally {
    for (const each of listening) each.dispose();
    withdrawn.dispose();
  }
}

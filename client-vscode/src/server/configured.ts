/** A program that a setting names: used exactly as named, or refused with what is wrong with it. */

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { t } from "../l10n";
import { problem, retryButton, settingButton } from "./problem";

/**
 * The path in a setting; `~` is the user's home folder.
 *
 * @throws ServerProblem it is not absolute, does not exist, is a folder, or can't be executed.
 */
export async function configuredProgram(setting: string, value: string, home: string = homedir()): Promise<string> {
  const given = value.trim();
  const path = given === "~" ? home : /^~[/\\]/.test(given) ? join(home, given.slice(2)) : given;
  const wrong = (message: string): Error =>
    problem(message, "", [settingButton(t("Open the setting"), setting), retryButton()]);
  if (!isAbsolute(path)) {
    throw wrong(t("The setting {0} must be an absolute path, not {1}.", setting, given));
  }
  const found = await stat(path).catch(() => undefined);
  if (!found) throw wrong(t("The program that the setting {0} names does not exist: {1}.", setting, path));
  if (found.isDirectory()) throw wrong(t("The setting {0} names a folder, not a program: {1}.", setting, path));
  try {
    await access(path, constants.X_OK);
  } catch {
    throw wrong(t("The program that the setting {0} names can't be executed: {1}.", setting, path));
  }
  return path;
}

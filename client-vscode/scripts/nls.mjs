// Moves the texts of package.json that are written out into package.nls.json, for translators: node scripts/nls.mjs [--check]
//
// Write a new text where it belongs, then run this. --check: says which are still written out, or belong to nothing.
import { readFileSync, writeFileSync } from "node:fs";

const at = (file) => new URL(`../${file}`, import.meta.url);
const manifest = JSON.parse(readFileSync(at("package.json"), "utf8"));
const texts = JSON.parse(readFileSync(at("package.nls.json"), "utf8"));
const used = {};
const writtenOut = [];

const { contributes, capabilities } = manifest;
take(manifest, "description", "description");
take(capabilities.virtualWorkspaces, "description", "capabilities.virtualWorkspaces");
take(capabilities.untrustedWorkspaces, "description", "capabilities.untrustedWorkspaces");
for (const command of contributes.commands) {
  take(command, "title", `command.${short(command.command)}`);
  take(command, "shortTitle", `command.${short(command.command)}.short`);
}
for (const menu of contributes.submenus ?? []) take(menu, "label", `submenu.${short(menu.id)}`);
for (const view of Object.values(contributes.views).flat()) {
  take(view, "name", `view.${short(view.id)}`);
  take(view, "contextualTitle", `view.${short(view.id)}.title`);
}
const welcomes = {};
for (const welcome of contributes.viewsWelcome ?? []) {
  const index = (welcomes[welcome.view] = (welcomes[welcome.view] ?? 0) + 1);
  take(welcome, "contents", `welcome.${short(welcome.view)}.${index}`);
}
for (const [name, setting] of Object.entries(contributes.configuration.properties)) {
  for (const property of ["description", "markdownDescription", "deprecationMessage"]) {
    take(setting, property, `setting.${short(name)}.${property}`);
  }
  for (const property of ["enumDescriptions", "markdownEnumDescriptions", "enumItemLabels"]) {
    setting[property]?.forEach((_, index) => take(setting[property], index, `setting.${short(name)}.${property}.${index}`));
  }
}
for (const walkthrough of contributes.walkthroughs ?? []) {
  const name = `walkthrough.${short(walkthrough.id)}`;
  for (const property of ["title", "description"]) {
    take(walkthrough, property, `${name}.${property}`);
    for (const step of walkthrough.steps) take(step, property, `${name}.${step.id}.${property}`);
  }
}
for (const color of contributes.colors ?? []) take(color, "description", `color.${short(color.id)}`);

if (process.argv.includes("--check")) {
  const idle = Object.keys(texts).filter((key) => !(key in used));
  for (const text of writtenOut) console.error(`written out in package.json: ${text} (npm run l10n)`);
  for (const key of idle) console.error(`in package.nls.json, but used by nothing: ${key} (npm run l10n)`);
  process.exitCode = writtenOut.length + idle.length > 0 ? 1 : 0;
} else {
  writeFileSync(at("package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(at("package.nls.json"), `${JSON.stringify(used, null, 2)}\n`);
}

/** The text `owner[property]`, if there is one, under `key`; one that is a key already stays what it is. */
function take(owner, property, key) {
  const text = owner?.[property];
  if (typeof text !== "string") return;
  const known = /^%(.+)%$/.exec(text)?.[1];
  if (known !== undefined) {
    if (!(known in texts)) throw new Error(`package.nls.json has no ${known}`);
    used[known] = texts[known];
    return;
  }
  writtenOut.push(text);
  used[key] = text;
  owner[property] = `%${key}%`;
}

function short(id) {
  return id.replace(/^steersman\.(ui\.)?/, "");
}

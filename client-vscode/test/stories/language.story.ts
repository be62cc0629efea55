/** Another language than English: all that is the extension's own is translated. */

import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { pseudo } from "./support/pseudo";
import { story } from "./support/story";
import { bash, edit, read } from "./support/turns";
import { PATIENCE, type Window } from "./support/window";

/**
 * What the model, the user and the files say here has no Latin letter. What else has some is in the brackets of the
 * language, is a name, or is a sentence of the server's, which speaks English.
 */
const NAMES = ["Steersman", "PROVIDER:NAME", "Markdown", "openai-chat:tape", "tape"];
/** What VS Code and the language itself say beside it. */
const EDITORS = [/jetzt|vor \d+ (Sek|Min)\./, /^Actions for /, "(Del)", /^Cancel$/];
const SERVERS = [
  /^https:\S+$/,
  /Edit [αβ]\.τ( \([^)]*\))?/,
  /(\d+ (files?|commands?|calls?) (changed|run|declined)( \([^)]*\))?(, )?)+\./,
  // Results as the model is told them.
  /^Changed [αβ]\.τ[^]*/,
  /^The user declined this\.[^]*/,
  "Run printf ω",
  /^printf ω$/,
  "Aborted.",
  /^File not found: .*/,
  /(Changes|Commands|Running commands) (are|is) asked about in this mode\./,
];

story(
  "nothing of the extension's own is shown that is not translated",
  {
    pseudo: true,
    files: { "α.τ": "α\nδ\nδ\nδ\nδ\nδ\nδ\nδ\nδ\nδ\nδ\nε\n", "β.τ": "β\n" },
    tape: [
      { when: "ζ" },
      { thinking: "θ", text: "| γ |\n| --- |\n| δ |\n\n```\nε\n```\n\n![ι](https://ι.τ/ι)", toolCalls: [read("α.τ"), read("η.τ")] },
      { toolCalls: [edit("α.τ", ["α\n", "Α\n"], ["ε\n", "Ε\n"])] },
      { toolCalls: [bash("printf ω"), edit("β.τ", ["β", "Β"])] },
      { text: "λ" },
      { when: "μ" },
      { hang: true },
    ],
  },
  async ({ window, workspace, picture }) => {
    const { page } = window;
    const { frame } = window.chat;
    const button = (name: string): Locator => frame.getByRole("button", { name: pseudo(name), exact: true });
    const composer = frame.getByRole("textbox", { name: pseudo("Message"), exact: true });
    const whole = async (moment: string): Promise<void> => {
      await picture(`language ${moment}`);
      const found = await untranslated(frame.locator("body"));
      expect.soft(found.filter((text) => !text.includes(workspace)), `the chat, ${moment}`).toEqual([]);
    };
    await window.command(`Steersman: ${pseudo("Ask…")}`);
    await composer.waitFor();
    await frame.getByText(pseudo("Explain what this project does")).waitFor();
    await whole("empty");
    for (const name of ["Model", "Mode"]) {
      await button(name).click();
      await frame.getByRole("menuitemradio").first().waitFor();
      await whole(name);
      await page.keyboard.press("Escape");
    }

    await composer.fill("ζ");
    await composer.press("Enter");
    await frame.getByRole("group", { name: /Edit α\.τ/ }).first().waitFor();
    await page.locator(".codelens-decoration").first().waitFor();
    await whole("asked");
    expect.soft(await untranslated(page.locator(".codelens-decoration")), "CodeLenses").toEqual([]);
    await answered(window, /Edit α\.τ/, "Accept");
    await frame.getByRole("group", { name: /printf ω/ }).first().waitFor();
    await whole("asked for a command");
    await answered(window, /printf ω/, "Accept");
    await answered(window, /Edit β\.τ/, "Decline");
    await frame.getByRole("textbox", { name: pseudo("Feedback") }).waitFor();
    await whole("declined");
    await answered(window, /Edit β\.τ/, "Decline");
    await frame.getByText("λ").first().waitFor();
    // What is folded, too. Rows that are scrolled away meanwhile are not waited for.
    await frame.locator('.transcript [aria-expanded="false"]').evaluateAll((all: HTMLElement[]) => all.forEach((each) => each.click()));
    await whole("done");
    await frame.locator(".usage-button").click();
    await whole("usage");
    await page.keyboard.press("Escape");

    await button("Revert to here").first().click();
    await frame.getByRole("group", { name: pseudo("Revert") }).getByText("α.τ").first().waitFor();
    await whole("revert");
    await frame.getByRole("group", { name: pseudo("Revert") }).getByRole("button", { name: pseudo("Cancel") }).click();

    await composer.fill("μ");
    await composer.press("Enter");
    await button("Stop").first().waitFor();
    // What was said goes when it has arrived, which may be later.
    await expect.poll(() => composer.inputValue(), { timeout: PATIENCE }).toBe("");
    await composer.fill("ν");
    await composer.press("Alt+Enter");
    await frame.getByText("ν").first().waitFor();
    await whole("live");
    await button("Stop").first().click();
    await frame.getByText("Aborted.").first().waitFor();
    await whole("stopped");

    await page.locator(".pane-header", { hasText: pseudo("Sessions") }).click();
    await page.locator(".part.sidebar .pane-body .monaco-list-row", { hasText: "ζ" }).waitFor();
    await picture("language sessions");
    expect.soft(await untranslated(page.locator(".part.sidebar .pane-body .monaco-list-row")), "sessions").toEqual([]);
    expect.soft(await untranslated(page.locator(".part.sidebar .pane-header .title")), "views").toEqual([]);

    const rows = page.locator(".quick-input-list .monaco-list-row");
    await window.palette("Steersman: ⟦");
    // Below each VS Code shows what it is in English. What was there before something was typed goes a moment later.
    const titles = (): Promise<string[]> =>
      rows.evaluateAll((all) => all.map((row) => row.querySelector(".label-name")?.textContent ?? ""));
    const untitled = async (): Promise<string[]> => {
      const all = await titles();
      return all.length > 5 ? all.filter((title) => !/^Steersman: ⟦[^⟦⟧]+⟧$/.test(title)) : [`only ${all.length} commands`];
    };
    await expect.poll(untitled, { timeout: PATIENCE }).toEqual([]);
    await picture("language commands");
    await page.keyboard.press("Escape");

    await window.offers(pseudo("Resume Session"), "ζ", () => window.command(`Steersman: ${pseudo("Resume Session…")}`));
    await picture("language resume");
    expect.soft(await untranslated(page.locator(".quick-input-title")), "the picker's title").toEqual([]);
    expect.soft(await untranslated(rows.filter({ hasText: "ζ" }).locator(".label-description")), "the picker of sessions").toEqual([]);
    await page.keyboard.press("Escape");
    await window.command(`Steersman: ${pseudo("Set API Key…")}`);
    await page.locator(".quick-input-title", { hasText: pseudo("API key for the model") }).waitFor();
    await picture("language key");
    await page.keyboard.press("Escape");

    // A notification: what is asked while nobody sees the chat.
    await window.command(`Steersman: ${pseudo("Delete Session…")}`);
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.waitFor();
    await picture("language dialog");
    expect.soft(await untranslated(dialog.locator(".dialog-message-container, .monaco-button")), "the dialog").toEqual([]);
    await page.keyboard.press("Escape");
  },
);

async function answered({ chat }: Window, title: RegExp, name: string): Promise<void> {
  const control = chat.frame.getByRole("group", { name: title }).first().getByRole("button", { name: pseudo(name), exact: true });
  await control.waitFor();
  await expect.poll(() => control.getAttribute("aria-disabled"), { timeout: PATIENCE }).not.toBe("true");
  await control.click();
}

/** Texts, seen or heard, that have Latin letters outside the language's brackets and are none of the server's. */
async function untranslated(where: Locator): Promise<string[]> {
  const all = await where.evaluateAll((roots) => {
    const heard = ["aria-label", "aria-description", "aria-roledescription", "title", "placeholder", "alt", "aria-valuetext"];
    return roots.flatMap((root) => {
      const elements = [root, ...root.querySelectorAll("*")].filter(({ tagName }) => !["SCRIPT", "STYLE"].includes(tagName));
      const texts = elements.flatMap((element) => {
        // A sentence may be in pieces: those of one element are one text.
        const own = [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ textContent }) => textContent ?? "");
        return [own.join(""), ...heard.map((name) => element.getAttribute(name) ?? "")];
      });
      return texts.map((text) => text.replaceAll("\u00a0", " ").trim());
    });
  });
  return [...new Set(all)].filter((text) => /[A-Za-z]{2,}/.test(rest(text)));
}

function rest(text: string): string {
  let left = text;
  for (let before = ""; before !== left; ) {
    before = left;
    left = left.replaceAll(/⟦[^⟦⟧]*⟧/g, "");
  }
  for (const known of [...SERVERS, ...EDITORS]) left = left.replace(known, "");
  for (const name of NAMES) left = left.replaceAll(name, "");
  return left;
}

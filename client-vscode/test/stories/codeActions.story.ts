/** The light bulb: what another language server finds is mended by a run. */

import { expect } from "vitest";
import { kill, serversOf } from "./support/processes";
import { story } from "./support/story";
import { edit } from "./support/turns";
import { PATIENCE } from "./support/window";

story(
  "a diagnostic is fixed from the light bulb, and the model hears that it is gone",
  {
    files: { "data.json": '{\n  "a": 1\n  "b": 2\n}\n' },
    tape: [
      { when: "Expected comma" },
      { toolCalls: [edit("data.json", ['"a": 1', '"a": 1,'])] },
      { expect: { toolResults: "resolved 1 problem" }, text: "A comma was missing." },
    ],
  },
  async ({ window, read }) => {
    const chat = await window.openChat();
    await window.openFile("data.json");
    await window.page.locator(".squiggly-error").first().waitFor();
    await window.focusEditor();
    await window.page.keyboard.press("F8");
    const problem = window.page.locator(".marker-widget").first();
    await problem.waitFor();
    await window.page.keyboard.press("Escape");
    await problem.waitFor({ state: "hidden" });
    await window.lightBulb("Fix with Steersman");
    await chat.answer(/^Edit data\.json/, "Accept");
    await chat.shows("A comma was missing.");
    await expect.poll(() => read("data.json"), { timeout: PATIENCE }).toContain('"a": 1,');
  },
);

story(
  "the box that asks for a prompt goes with the server that opened it, and another one is asked in it",
  {
    files: { "a.txt": "alpha\n" },
    tape: [{ when: "What is this?" }, { text: "A Greek letter." }],
  },
  async ({ window, home }) => {
    const chat = await window.openChat();
    await window.openFile("a.txt");
    const box = window.page.locator(".quick-input-widget:visible input");
    const ask = async (): Promise<void> => {
      await window.focusEditor();
      await window.page.keyboard.press("Control+A");
      await window.lightBulb("Ask Steersman about this…");
    };
    await ask();
    await box.waitFor();
    for (const server of serversOf(home)) kill(server);
    await box.waitFor({ state: "hidden" });
    await expect.poll(() => serversOf(home).length, { timeout: PATIENCE }).toBe(1);
    // The light bulb may still offer what the old server did, which opens no box.
    await window.answer("Steersman", "What is this?", ask);
    await chat.shows("A Greek letter.");
  },
);

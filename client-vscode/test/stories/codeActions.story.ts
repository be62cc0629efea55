/** The light bulb: what another language server finds is mended by a run. */

import { expect } from "vitest";
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

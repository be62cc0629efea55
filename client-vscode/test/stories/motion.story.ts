/** Nothing moves for who wants no motion. */

import { expect } from "vitest";
import { story } from "./support/story";
import { bash } from "./support/turns";
import { PATIENCE, type Window } from "./support/window";

const BUSY = {
  tape: [{ when: "work" }, { text: "Working.", toolCalls: [bash("sleep 600")] }, { text: "Done." }],
  settings: { "steersman.mode": "full-auto" },
};

story("a run's signs of life move", BUSY, async ({ window }) => {
  await work(window);
  await expect.poll(() => moving(window), { timeout: PATIENCE }).toContain("codicon-spin");
});

story(
  "with VS Code's own setting nothing of the chat moves",
  { ...BUSY, settings: { ...BUSY.settings, "workbench.reduceMotion": "on" } },
  async ({ window, picture }) => {
    await work(window);
    await window.chat.frame.locator("body.vscode-reduce-motion").waitFor();
    expect(await moving(window)).toEqual([]);
    expect(await wouldMove(window)).toEqual([]);
    await picture("reduced motion");
  },
);

story("with the system's wish for less motion nothing of the chat moves", BUSY, async ({ window }) => {
  await window.page.emulateMedia({ reducedMotion: "reduce" });
  await work(window);
  expect(await moving(window)).toEqual([]);
  expect(await wouldMove(window)).toEqual([]);
});

/** A call runs: its icon turns, and so does the one of the run. */
async function work(window: Window): Promise<void> {
  const chat = await window.openChat();
  await chat.send("work");
  await chat.frame.locator(".codicon-modifier-spin").first().waitFor();
}

/** Names of the animations that run, and the properties whose transitions do. */
function moving({ chat }: Window): Promise<string[]> {
  return chat.frame.locator("body").evaluate((body) =>
    body.ownerDocument
      .getAnimations()
      .filter(({ playState }) => playState === "running")
      .map((each) => ("animationName" in each ? String(each.animationName) : "transition")),
  );
}

/** What is drawn and would move, by its style, with the classes that the extension animates put on for the look. */
function wouldMove({ chat }: Window): Promise<string[]> {
  return chat.frame.locator("body").evaluate((body) => {
    const page = body.ownerDocument;
    const probes = page.createElement("div");
    probes.innerHTML =
      '<progress class="starting-progress"></progress>' +
      ["loading", "sync", "gear"].map((icon) => `<span class="codicon codicon-${icon} codicon-modifier-spin"></span>`).join("");
    page.querySelector(".page")?.append(probes);
    const all = [...page.querySelectorAll("body *")].flatMap((element) =>
      [null, "::before", "::after", "::-webkit-progress-bar"].map((part) => ({ element, style: getComputedStyle(element, part) })),
    );
    const found = all
      .filter(({ style }) => style.animationName !== "none" || !/^(0s(, )?)+$/.test(style.transitionDuration))
      .map(({ element, style }) => `${element.className}: ${style.animationName} ${style.transitionDuration}`);
    probes.remove();
    return found;
  });
}

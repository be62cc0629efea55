/** Figures of the chat in a real VS Code. Nothing here judges: a timing is no test. */

import { expect } from "vitest";
import { serveTape, urlOf } from "../stories/support/tape";
import { newFolder } from "../stories/support/places";
import { story } from "../stories/support/story";
import { PATIENCE, type Window } from "../stories/support/window";
import { firstTokens } from "./bareServer";
import { frames, told } from "./frames";

const WORDS = "The quick brown fox jumps over the lazy dog, `again` and **again**, on line after line.\n";
const text = (characters: number): string => WORDS.repeat(Math.ceil(characters / WORDS.length)).slice(0, characters);
const TIMES = 5;
const prompts = Array.from({ length: TIMES }, (_, n) => `say ${n}`);
const answers = prompts.flatMap((prompt) => [{ when: prompt }, { text: `Said: ${prompt}.` }]);

story(
  "20,000 deltas as fast as they come, and 200 a second after 2,000 entries",
  {
    files: { "a.txt": "a\n" },
    settings: { "steersman.mode": "full-auto" },
    tape: [
      { when: "fast" },
      { text: `${text(80_000)}\n\nAll said, fast.`, chunk: 4 },
      { when: "many" },
      ...Array.from({ length: 50 }, (_, n) => ({
        text: `Step ${n}.`,
        toolCalls: Array.from({ length: 38 }, (_, call) => ({ name: "read", arguments: { path: "a.txt", offset: 1, limit: 1 + ((n + call) % 2) } })),
      })),
      { text: "All read." },
      { when: "steady" },
      { text: `${text(8_000)}\n\nAll said, steadily.`, chunk: 4, deltaDelayMs: 5 },
    ],
  },
  async ({ window }) => {
    const chat = await window.openChat();
    const browser = await window.page.context().browser()?.newBrowserCDPSession();
    if (!browser) throw new Error("no browser");
    const fast = await frames(browser, () => say(window, "fast", "All said, fast."));
    await say(window, "many", "All read.");
    const steady = await frames(browser, () => say(window, "steady", "All said, steadily."));
    await chat.button("Stop").waitFor({ state: "detached" });
    console.log(`20,000 deltas at once: ${fast.seconds.toFixed(2)} s; ms between frames: ${told(fast.intervals)}; long tasks: ${told(fast.longTasks)}`);
    console.log(`2,000 deltas at 200 a second after 2,000 entries: ${steady.seconds.toFixed(2)} s; ms between frames: ${told(steady.intervals)}; long tasks: ${told(steady.longTasks)}`);
  },
);

story("from Enter to the first token, beside the bare server", { files: { "a.txt": "a\n" }, tape: answers }, async ({ window }) => {
  const chat = await window.openChat();
  await say(window, "say 0", "Said: say 0.");
  const took: number[] = [];
  for (const prompt of prompts.slice(1)) {
    await chat.composer.fill(prompt);
    // The page watches before the key is pressed, and is asked afterwards.
    const watch = await chat.frame.locator("body").evaluateHandle((body, wanted) => {
      const shown = new Promise<number>((resolve) => {
        let pressed = 0;
        body.addEventListener("keydown", () => (pressed = performance.now()), { once: true, capture: true });
        const observer = new MutationObserver(() => {
          if (!body.textContent.includes(wanted)) return;
          observer.disconnect();
          resolve(performance.now() - pressed);
        });
        observer.observe(body, { childList: true, subtree: true, characterData: true });
      });
      return { shown };
    }, `Said: ${prompt}`);
    await chat.composer.press("Enter");
    took.push(await watch.evaluate(({ shown }) => shown));
  }
  const folder = newFolder("bare");
  const tape = await serveTape(folder, answers);
  const bare = await firstTokens(
    { STEERSMAN_HOME: `${folder}/home`, STEERSMAN_MODEL: "openai-chat:tape", STEERSMAN_BASE_URL: urlOf(tape) },
    folder,
    prompts,
  );
  await tape.stop();
  console.log(`Enter to the first token, ms: in the chat ${told(took)}; the bare server ${told(bare.slice(1))}`);
});

async function say(window: Window, prompt: string, end: string): Promise<void> {
  await window.chat.send(prompt);
  await expect.poll(() => window.chat.frame.getByText(end).count(), { timeout: 5 * PATIENCE }).toBeGreaterThan(0);
}

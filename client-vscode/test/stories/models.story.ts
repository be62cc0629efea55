/** Another model, chosen in the picker of all models. */

import { expect } from "vitest";
import { must } from "../unit/must";
import { story } from "./support/story";
import { PATIENCE } from "./support/window";

story(
  "a model that is picked answers the next request, and the chat and its meter tell of it",
  {
    settings: { "workbench.colorTheme": "Dark Modern" },
    models: [
      { id: "tape", context_length: 8_000 },
      { id: "large-one", context_length: 200_000 },
    ],
    tape: [
      { when: "first" },
      { text: "By the first.", usage: { input: 4_000, output: 20 } },
      { when: "second" },
      { text: "By the second.", usage: { input: 4_100, output: 20 } },
      { when: "third" },
      { text: "By the first again.", usage: { input: 4_200, output: 20 } },
    ],
  },
  async ({ window, gateway, picture }) => {
    const { page } = window;
    const asked = must(gateway).asked;
    const chat = await window.openChat();
    await chat.send("first");
    await chat.shows("By the first.");
    expect(asked.at(-1)?.model).toBe("tape");

    await chat.button("Model").click();
    for (const width of [240, 400]) {
      await window.sideBar(width);
      await picture(`model menu ${width}`);
    }
    await chat.button("All models…").click();
    const rows = page.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ hasText: "large-one" }).filter({ hasText: "200k tokens" }).first().waitFor();
    await picture("model picker");
    const filter = page.locator(".quick-input-widget:visible input");
    await filter.fill("large");
    await rows.filter({ hasText: "openai-chat:tape" }).first().waitFor({ state: "detached" });
    await picture("model picker filtered");
    await filter.press("Enter");
    const shown = (): Promise<string[]> => chat.frame.locator(".popup-shown").allInnerTexts();
    await expect.poll(shown, { timeout: PATIENCE }).toContain("large-one");

    await chat.send("second");
    await chat.shows("By the second.");
    expect(asked.at(-1)?.model).toBe("large-one");
    await chat.frame.getByText("2%").first().waitFor();
    await chat.shows("Model: openai-chat:large-one");
    await picture("model picked");
    // By the short list, which has what was used before.
    await chat.button("Model").click();
    await chat.frame.getByRole("menuitemradio", { name: "openai-chat:tape" }).click();
    await expect.poll(shown, { timeout: PATIENCE }).toContain("tape");
    // The menu takes the focus back as it closes.
    await chat.frame.getByRole("menuitemradio").first().waitFor({ state: "detached" });
    await chat.send("third");
    await chat.shows("By the first again.");
    expect(asked.at(-1)?.model).toBe("tape");
    await chat.frame.getByText("53%").first().waitFor();
  },
);

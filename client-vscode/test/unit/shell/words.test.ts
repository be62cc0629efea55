import { afterEach, describe, expect, it } from "vitest";
import type { Entry } from "../../../src/transcript/entries";
import { useLanguage } from "../../../webview/l10n";
import { figures, filled } from "../../../webview/shell/figures";
import { elapsed, runState, toolWords } from "../../../webview/shell/runState";

const usage = { input: 12345, output: 678, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: null };
const none: readonly Entry[] = [];

describe("what a session is doing", () => {
  it("is said in words", () => {
    expect(runState({ run: null, state: "idle" }, none)).toBeNull();
    expect(runState({ run: "r", state: "streaming" }, none)).toBe("Thinking");
    expect(runState({ run: "r", state: "waitingApproval" }, none)).toBe("Waiting for you");
    expect(runState({ run: "r", state: "aborting" }, none)).toBe("Stopping");
    expect(runState({ run: null, state: "interrupted" }, none)).toBe("Interrupted");
  });

  it("names the command or the file", () => {
    expect(toolWords("bash", { command: "pytest -q\necho done" })).toBe("Running pytest -q");
    expect(toolWords("edit", { path: "shop/cart.py" })).toBe("Editing cart.py");
    expect(toolWords("restart_preview", {})).toBe("Running restart_preview");
  });

  it("takes whatever a model has put into the arguments", () => {
    expect(toolWords("bash", { command: 7 })).toBe("Running a command");
    expect(toolWords("read", { path: null })).toBe("Reading");
    expect(toolWords("bash", { command: "x".repeat(500) }).length).toBeLessThan(60);
  });

  it("tells the time that has passed", () => {
    expect(elapsed(7000)).toBe("0:07");
    expect(elapsed(750_000)).toBe("12:30");
    expect(elapsed(3_723_000)).toBe("1:02:03");
    expect(elapsed(-5)).toBe("0:00");
  });
});

describe("usage", () => {
  afterEach(() => useLanguage("en"));

  it("has a cost only where the price is known", () => {
    expect(figures({ ...usage, cost: 1.5 }, 0, null).at(-1)).toEqual({ name: "Cost", value: "$1.50" });
    expect(figures(usage, 0, null).map(({ name }) => name)).toEqual(["Tokens in", "Tokens out"]);
  });

  it("says how full the context is only where the window is known", () => {
    expect(filled(50_000, 200_000)).toBe(25);
    expect(filled(50_000, null)).toBeNull();
    expect(figures(usage, 5000, null).at(-1)).toEqual({ name: "Context used", value: "5,000" });
    expect(figures(usage, 5000, 10_000).at(-1)?.value).toBe("5,000 of 10,000 (50%)");
  });

  it("is written as in the language of the window", () => {
    useLanguage("de");
    const text = figures({ ...usage, cost: 1.5 }, 5000, 10_000).map(({ value }) => value.replaceAll("\u00a0", " "));
    expect(text).toEqual(["12.345", "678", "1,50 $", "5.000 of 10.000 (50 %)"]);
  });
});

import { describe, expect, it } from "vitest";
import { type ComposerNow, intent, type KeyPress } from "../../../webview/composer/keys";

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  shiftKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 0,
  ...more,
});

const now = (more: Partial<ComposerNow> = {}): ComposerNow => ({
  completing: false,
  looking: false,
  listOpen: false,
  live: false,
  empty: false,
  browsing: false,
  ...more,
});

describe("keys of the composer", () => {
  it("Enter sends, Shift+Enter breaks the line, Alt+Enter queues", () => {
    expect(intent(press("Enter"), now())).toBe("sendNow");
    expect(intent(press("Enter", { shiftKey: true }), now())).toBeNull();
    expect(intent(press("Enter", { altKey: true }), now({ live: true }))).toBe("sendLater");
  });

  it("Escape stops a run, and is nobody's without one", () => {
    expect(intent(press("Escape"), now({ live: true }))).toBe("stop");
    expect(intent(press("Escape"), now())).toBeNull();
  });

  it("while an input method composes, every key is its own", () => {
    const live = now({ live: true, listOpen: true, completing: true });
    for (const key of ["Enter", "Escape", "Tab", "ArrowDown"]) {
      expect(intent(press(key, { isComposing: true }), live)).toBeNull();
      expect(intent(press(key, { keyCode: 229 }), live)).toBeNull();
    }
  });

  it("with a list open Escape closes it instead of stopping the run", () => {
    expect(intent(press("Escape"), now({ live: true, listOpen: true }))).toBe("closeList");
  });

  it("Enter and Tab choose from a list that is up to date", () => {
    const open = now({ listOpen: true, completing: true });
    expect(intent(press("Enter"), open)).toBe("acceptItem");
    expect(intent(press("Tab"), open)).toBe("acceptItem");
    expect(intent(press("ArrowDown"), open)).toBe("nextItem");
    expect(intent(press("Enter", { shiftKey: true }), open)).toBeNull();
  });

  it("Tab stays for what is still being looked for, and Enter sends", () => {
    expect(intent(press("Tab"), now({ looking: true }))).toBe("acceptWhenFound");
    expect(intent(press("Tab"), now({ looking: true, listOpen: true }))).toBe("acceptWhenFound");
    expect(intent(press("Tab", { shiftKey: true }), now({ looking: true }))).toBeNull();
    expect(intent(press("Enter"), now({ looking: true }))).toBe("sendNow");
  });

  it("Enter sends when the list is old or has nothing to add", () => {
    expect(intent(press("Enter"), now({ listOpen: true, completing: false }))).toBe("sendNow");
  });

  it("ArrowUp goes through the history in an empty box, and on from there", () => {
    expect(intent(press("ArrowUp"), now({ empty: true }))).toBe("older");
    expect(intent(press("ArrowUp"), now({ browsing: true }))).toBe("older");
    expect(intent(press("ArrowDown"), now({ browsing: true }))).toBe("newer");
    expect(intent(press("ArrowUp"), now())).toBeNull();
  });
});

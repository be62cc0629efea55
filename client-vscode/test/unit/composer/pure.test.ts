import { describe, expect, it } from "vitest";
import type { QueuedItem } from "../../../src/protocol";
import type { Entry } from "../../../src/transcript/entries";
import { saidBefore, step } from "../../../webview/composer/history";
import { refuseFile, refuseImage } from "../../../webview/composer/images";
import { countingMode, loosens, possibleModes } from "../../../webview/composer/modes";
import { moveBy, moveOnto } from "../../../webview/composer/queueMoves";

const user = (id: string, text: string, source?: string): Entry => ({
  kind: "user",
  id,
  text,
  attached: [],
  images: [],
  ...(source === undefined ? {} : { source }),
});

describe("history", () => {
  it("has what the user said, the newest first, each once", () => {
    const entries = [user("1", "one"), user("2", "two"), user("3", "one"), user("4", "not mine", "ext"), user("5", " ")];
    expect(saidBefore(entries)).toEqual(["one", "two"]);
  });

  it("ends at the oldest and at the empty box", () => {
    expect(step(["b", "a"], -1, 1)).toBe(0);
    expect(step(["b", "a"], 1, 1)).toBe(1);
    expect(step(["b", "a"], 0, -1)).toBe(-1);
    expect(step([], -1, 1)).toBe(-1);
  });
});

describe("pasted images", () => {
  const image = { mimeType: "image/png", data: "AAAA", size: { width: 10, height: 10 } };

  it("are of four types and of a size that the server takes", () => {
    expect(refuseFile("image/png", 1000)).toBeNull();
    expect(refuseFile("image/svg+xml", 1000)).toContain("image/svg+xml");
    expect(refuseFile("image/png", 4_000_000)).toContain("too large");
  });

  it("are at most 8,000 pixels on a side, and readable", () => {
    expect(refuseImage(image, [])).toBeNull();
    expect(refuseImage({ ...image, size: { width: 8001, height: 1 } }, [])).toContain("8000");
    expect(refuseImage({ ...image, size: undefined }, [])).toContain("can't be read");
  });

  it("are at most twenty, and 20 MB together", () => {
    expect(refuseImage(image, Array.from({ length: 20 }, () => image))).toContain("20");
    const large = { ...image, data: "A".repeat(5 * 1024 * 1024) };
    expect(refuseImage(large, [large, large, large])).toBeNull();
    expect(refuseImage(large, [large, large, large, image])).toContain("together");
  });
});

describe("the queue", () => {
  const item = (id: string, kind: QueuedItem["kind"]): QueuedItem => ({ id, kind, text: id });
  const items = [item("s1", "steer"), item("s2", "steer"), item("f1", "followUp"), item("f2", "followUp")];

  it("moves an item among those of its kind", () => {
    expect(moveBy(items, "s1", 1)).toEqual({ to: 1, kind: "steer" });
    expect(moveBy(items, "f2", -1)).toEqual({ to: 0, kind: "followUp" });
  });

  it("makes it one of the others at the border between them", () => {
    expect(moveBy(items, "s2", 1)).toEqual({ to: 0, kind: "followUp" });
    expect(moveBy(items, "f1", -1)).toEqual({ to: 2, kind: "steer" });
  });

  it("leaves what is at an end, and what is gone", () => {
    expect(moveBy(items, "s1", -1)).toBeNull();
    expect(moveBy(items, "f2", 1)).toBeNull();
    expect(moveBy(items, "gone", 1)).toBeNull();
  });

  it("drops an item at another's place", () => {
    expect(moveOnto(items, "f2", "s1")).toEqual({ to: 0, kind: "steer" });
    expect(moveOnto(items, "s1", "s1")).toBeNull();
  });
});

describe("modes", () => {
  it("above ask are confirmed when they loosen what is", () => {
    expect(loosens("ask", "auto-edit")).toBe(true);
    expect(loosens(null, "full-auto")).toBe(true);
    expect(loosens("full-auto", "auto-edit")).toBe(false);
    expect(loosens("read-only", "ask")).toBe(false);
  });

  it("are none above ask in a workspace that is not trusted, whatever was chosen", () => {
    expect(possibleModes(false).map(({ value }) => value)).toEqual(["read-only", "ask"]);
    expect(possibleModes(true)).toHaveLength(4);
    expect([countingMode("full-auto", false), countingMode("read-only", false), countingMode(null, false)]).toEqual(["ask", "read-only", null]);
    expect(countingMode("full-auto", true)).toBe("full-auto");
  });
});

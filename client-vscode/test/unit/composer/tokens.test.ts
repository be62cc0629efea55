import { describe, expect, it } from "vitest";
import type { Completion } from "../../../src/view/messages";
import { attachments, commandOf, complete, isComplete, tokenAt } from "../../../webview/composer/tokens";
import { must } from "../must";

const file = (insert: string): Completion => ({ label: insert, icon: "file", insert });

/** The text with its caret written as `|`. */
function at(marked: string): ReturnType<typeof tokenAt> {
  return tokenAt(marked.replace("|", ""), marked.indexOf("|"));
}

describe("what is completed", () => {
  it("is a mention from its @ to the caret", () => {
    expect(at("look at @sho|")).toMatchObject({ trigger: "@", query: "sho", start: 8, end: 12 });
    expect(at("(@|")).toMatchObject({ trigger: "@", query: "" });
  });

  it("takes in what follows the caret in the same word", () => {
    expect(at("@sh|op/cart.py is wrong")).toMatchObject({ query: "sh", start: 0, end: 13 });
  });

  it("is a path in quotes, with its spaces", () => {
    expect(at('see @"release no|')).toMatchObject({ query: "release no", start: 4 });
    expect(at('see @"release notes.md" no|')).toBeNull();
  });

  it("is no e-mail address, no escaped @, and nothing in a block of code", () => {
    expect(at("ada@exa|")).toBeNull();
    expect(at("\\@cart|")).toBeNull();
    expect(at("```\n@dataclass|")).toBeNull();
    expect(at("```\n@x\n```\n@car|")).toMatchObject({ query: "car" });
  });

  it("is a command or template at the very beginning only", () => {
    expect(at("/fi|")).toMatchObject({ trigger: "/", query: "fi", start: 0, end: 3 });
    expect(at("/fix 3|")).toBeNull();
    expect(at(" /fi|")).toBeNull();
    expect(at("/usr/bi|")).toBeNull();
    expect(at("|/fix")).toBeNull();
  });
});

describe("completing", () => {
  it("puts the item in place of the word, and a space behind it", () => {
    const token = at("see @ca|");
    expect(complete("see @ca", must(token), file("@shop/cart.py"))).toEqual({ text: "see @shop/cart.py ", caret: 18 });
  });

  it("uses the space that is there", () => {
    const text = "see @ca please";
    expect(complete(text, must(tokenAt(text, 7)), file("@cart.py"))).toEqual({ text: "see @cart.py please", caret: 13 });
  });

  it("goes on in a folder", () => {
    const text = "@sh";
    expect(complete(text, must(tokenAt(text, 3)), file("@shop/"))).toEqual({ text: "@shop/", caret: 6 });
  });

  it("has nothing to add to what is written out", () => {
    const text = "see @cart.py";
    expect(isComplete(text, must(tokenAt(text, 12)), file("@cart.py"))).toBe(true);
    expect(isComplete(text, must(tokenAt(text, 12)), file("@cart.pyi"))).toBe(false);
  });
});

describe("what goes with a message", () => {
  it("is what it mentions of the editor", () => {
    expect(attachments("explain @selection")).toEqual(["selection"]);
    expect(attachments("fix (@diagnostics) in @selection.")).toEqual(["selection", "diagnostics"]);
  });

  it("is nothing for a file or an address that is called alike", () => {
    expect(attachments("@selection/model.py ada@diagnostics @selection.py @selections")).toEqual([]);
  });
});

describe("commands of the chat", () => {
  it("are the whole message", () => {
    expect(commandOf("/new")).toEqual({ name: "new", rest: "" });
    expect(commandOf("/compact keep the names\n")).toEqual({ name: "compact", rest: "keep the names" });
  });

  it("are no templates, and no paths", () => {
    expect(commandOf("/newer")).toBeNull();
    expect(commandOf("/fix 3")).toBeNull();
    expect(commandOf(" /new")).toBeNull();
  });
});

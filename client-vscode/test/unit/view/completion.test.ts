import { describe, expect, it } from "vitest";
import { best, score } from "../../../src/view/completion/fuzzy";
import { ignored } from "../../../src/view/completion/ignored";
import { foldersOf } from "../../../src/view/completion/folders";
import { slashItems } from "../../../src/view/completion/slash";
import { symbolItem } from "../../../src/view/completion/symbols";

const paths = (query: string, ...names: string[]): string[] => best(query, names, (name) => name, 10);

describe("fuzzy matching", () => {
  it("wants the letters in their order", () => {
    expect(score("crt", "cart.py")).not.toBeNull();
    expect(score("trc", "cart.py")).toBeNull();
    expect(score("", "cart.py")).not.toBeNull();
  });

  it("prefers the name of a file to its folders", () => {
    expect(paths("cart", "cart/index.ts", "src/shop/cart.ts")[0]).toBe("src/shop/cart.ts");
  });

  it("prefers beginnings of words to what is in between", () => {
    expect(paths("st", "latest.py", "shop_test.py", "store.py")[0]).toBe("store.py");
    expect(paths("sT", "rest.py", "shop_test.py")[0]).toBe("shop_test.py");
  });

  it("finds a path by its parts", () => {
    expect(paths("shop/cart", "cart.py", "shop/cart.py", "workshop/cart.py")[0]).toBe("shop/cart.py");
  });
});

describe("folders", () => {
  it("are those that hold the files, each once, shallow ones first", () => {
    expect(foldersOf(["a/b/c.py", "a/d.py", "e.py"])).toEqual(["a/", "a/b/"]);
  });
});

describe("what is left out of the files", () => {
  it("is what the settings exclude, and only that", () => {
    const glob = ignored([{ "**/build": true, "**/kept": false, "**/*.js": { when: "$(basename).ts" } }], "");
    expect(glob).toContain("**/build");
    expect(glob).not.toContain("kept");
    expect(glob).not.toContain("*.js");
  });

  it("is what the rules of .gitignore name", () => {
    const glob = ignored([], "# made\ndist/\n/out\n*.log\n!keep.log\ndocs/api\r\n");
    for (const each of ["**/dist/**", "out", "**/*.log", "docs/api/**"]) expect(glob.split(/[{,}]/)).toContain(each);
    expect(glob).not.toContain("keep");
  });

  it("is not everything because of a rule that names nothing", () => {
    expect(ignored([], "/\n\n")).toBe(ignored([], ""));
  });

  it("can't be broken by a rule with a brace", () => {
    expect(ignored([{ "**/{a,b}": true }], "x{y\n")).not.toMatch(/\{a|x\{/);
  });
});

describe("what a slash completes", () => {
  const commands = [{ name: "new", detail: "Begin a new session", icon: "add" }] as const;
  const template = { name: "fix", description: "Fix an issue", hint: "NUMBER", source: "user", path: "" } as const;

  it("is commands and templates by their names", () => {
    expect(slashItems("", commands, [template]).map(({ insert }) => insert)).toEqual(["/new", "/fix"]);
    expect(slashItems("fi", commands, [template])).toMatchObject([{ insert: "/fix", detail: "NUMBER · Fix an issue" }]);
  });

  it("says why a template can't be used", () => {
    const [item] = slashItems("fix", commands, [{ ...template, problem: "no such mode" }]);
    expect(item).toMatchObject({ icon: "warning", detail: "no such mode" });
  });

  it("counts the command where a template has its name", () => {
    expect(slashItems("new", commands, [{ ...template, name: "new" }])).toMatchObject([{ icon: "add" }]);
  });
});

describe("a symbol", () => {
  const place = (line: number, character = 0) => ({ line, character });
  const symbol = (start: object, end: object) =>
    ({ name: "total", kind: 11, containerName: "Cart", location: { uri: "file:///cart.py", range: { start, end } } }) as never;

  it("is mentioned by its lines", () => {
    expect(symbolItem(symbol(place(2), place(8, 4)), "cart.py")).toEqual({
      label: "total",
      detail: "Cart · cart.py",
      icon: "symbol-method",
      insert: "@cart.py#L3-L9",
    });
    expect(symbolItem(symbol(place(2), place(9)), "cart.py").insert).toBe("@cart.py#L3-L9");
    expect(symbolItem(symbol(place(2, 4), place(2, 4)), "cart.py").insert).toBe("@cart.py#L3");
  });

  it("is mentioned by its file where its language extension knows no more", () => {
    const found = { name: "total", kind: 11, location: { uri: "file:///cart.py" } };
    expect(symbolItem(found, "cart.py")).toMatchObject({ detail: "cart.py", insert: "@cart.py" });
  });
});

import { describe, expect, it } from "vitest";
import type { ModelsAnswer, OfferedModel, OfferingProvider } from "../../../src/protocol";
import { factsOf, namedBy, rowsOf } from "../../../src/view/offers";

const model = (name: string, more: Partial<OfferedModel> = {}): OfferedModel => ({ model: `p:${name}`, name, ...more });

const provider = (title: string, more: Partial<OfferingProvider> = {}): OfferingProvider => ({
  provider: title.toLowerCase(),
  title,
  usable: true,
  local: false,
  models: [],
  leftOut: 0,
  ...more,
});

const answer = (...providers: OfferingProvider[]): ModelsAnswer => ({ model: null, providers, config: "/home/config.toml" });

describe("the rows of the model picker", () => {
  it("are grouped by provider, with what is known of each model", () => {
    const models = [model("a", { contextWindow: 131_072, loaded: true }), model("b")];
    expect(rowsOf(answer(provider("Ollama", { server: "127.0.0.1:11434", models })), [])).toEqual([
      { kind: "group", label: "Ollama (127.0.0.1:11434)" },
      { kind: "model", model: "p:a", label: "a", description: "131k tokens · loaded" },
      { kind: "model", model: "p:b", label: "b", description: "" },
    ]);
  });

  it("begin with the models that are known here, by their whole names", () => {
    const rows = rowsOf(answer(provider("P", { models: [model("a", { images: true })] })), ["p:a", "q:x"]);
    expect(rows.slice(0, 3)).toEqual([
      { kind: "group", label: "Used here" },
      { kind: "model", model: "p:a", label: "p:a", description: "images" },
      { kind: "model", model: "q:x", label: "q:x", description: "" },
    ]);
  });

  it("say at the end why the others can't be used, and what to do", () => {
    const other = provider("Groq", { usable: false, problem: "No API key.", mend: "Set GROQ_API_KEY." });
    expect(rowsOf(answer(other, provider("P", { models: [model("a")] })), []).slice(-2)).toEqual([
      { kind: "group", label: "Not usable yet" },
      { kind: "problem", label: "Groq", detail: "No API key. Set GROQ_API_KEY." },
    ]);
  });

  it("offer no model whose provider can't be used: it is named with what is to be done", () => {
    const elsewhere = provider("llama.cpp", { usable: false, models: [model("qwen3")], mend: "Set STEERSMAN_BASE_URL." });
    expect(rowsOf(answer(elsewhere), [])).toEqual([
      { kind: "group", label: "Not usable yet" },
      { kind: "problem", label: "llama.cpp: qwen3", detail: "Set STEERSMAN_BASE_URL." },
    ]);
  });

  it("say so where a provider lists nothing, though a run may work", () => {
    expect(rowsOf(answer(provider("Box", { problem: "It answered 404." })), [])).toEqual([
      { kind: "group", label: "Box" },
      { kind: "problem", label: "Box", detail: "It answered 404." },
    ]);
  });

  it("are those that are known here while the answer is not there", () => {
    expect(rowsOf(null, ["p:a"])).toHaveLength(2);
    expect(rowsOf(null, [])).toEqual([]);
  });
});

describe("what stands beside a model", () => {
  it.each<[Partial<OfferedModel>, string]>([
    [{}, ""],
    [{ contextWindow: 1_048_576 }, "1.05M tokens"],
    [{ contextWindow: 512 }, "512 tokens"],
    [{ price: { input: 3, output: 15 } }, "$3 in, $15 out per 1M tokens"],
    [{ price: { input: 0.15 } }, "$0.15 in per 1M tokens"],
    [{ price: { output: 0.6 } }, "$0.6 out per 1M tokens"],
    [{ price: { input: 0, output: 0 } }, "free"],
    [{ price: {} }, ""],
    [{ images: false, thinking: false, loaded: false }, ""],
    [{ contextWindow: 8192, images: true, thinking: true, loaded: true }, "8.19k tokens · images · thinking · loaded"],
  ])("%j is %s", (facts, text) => {
    expect(factsOf(model("m", facts))).toBe(text);
  });
});

describe("a model that nobody lists", () => {
  it.each([
    ["anthropic:claude", "anthropic:claude"],
    ["  ollama:qwen3:8b ", "ollama:qwen3:8b"],
    ["claude", undefined],
    [":x", undefined],
    ["a:", undefined],
    ["my model:x", undefined],
  ])("%s is taken as %s", (typed, wanted) => {
    expect(namedBy(typed)).toBe(wanted);
  });
});

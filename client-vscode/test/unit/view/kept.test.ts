import { describe, expect, it } from "vitest";
import type { AgentEndEvent, Event, InputData } from "../../../src/protocol";
import { before, Drafts, NO_DRAFT } from "../../../src/view/drafts";
import { Modes } from "../../../src/view/modes";
import { titleIn } from "../../../src/view/title";
import { type Keep, Undelivered } from "../../../src/view/undelivered";

/** What an editor keeps over a reload: JSON. */
class Memory implements Keep {
  private readonly values = new Map<string, string>();

  get(key: string): unknown {
    const value = this.values.get(key);
    return value === undefined ? undefined : JSON.parse(value);
  }

  update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, JSON.stringify(value));
    return Promise.resolve();
  }
}

const input = (text: string, source?: string): InputData => ({
  kind: "steer",
  text,
  ...(source === undefined ? {} : { source }),
});

function ended(run: string, ...undelivered: InputData[]): AgentEndEvent {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };
  return {
    type: "agent_end",
    session: "ses_1",
    run,
    ts: 0,
    data: {
      stopReason: "aborted",
      text: "",
      message: "Stopped.",
      usage,
      cost: 0,
      turns: 1,
      files: [],
      commands: [],
      denied: [],
      undelivered,
      session: { title: null, model: null, mode: null, usage },
    },
  };
}

describe("what was not delivered", () => {
  it("comes back once, when the run ends that this window has seen begin", () => {
    const undelivered = new Undelivered(new Memory());
    undelivered.began("run_1");
    undelivered.ended(ended("run_1", input("and the docs"), input("and the tests")));
    undelivered.ended(ended("run_1", input("and the docs")));
    expect(undelivered.take("ses_1")).toEqual(["and the docs", "and the tests"]);
    expect(undelivered.take("ses_1")).toEqual([]);
  });

  it("does not come back when an old log is read", () => {
    const undelivered = new Undelivered(new Memory());
    undelivered.ended(ended("run_1", input("long ago")));
    expect(undelivered.take("ses_1")).toEqual([]);
  });

  it("comes back after a reload of the window, in which the run was cut off", () => {
    const memory = new Memory();
    new Undelivered(memory).began("run_1");
    const reloaded = new Undelivered(memory);
    reloaded.ended(ended("run_1", input("keep the alias")));
    expect(new Undelivered(memory).take("ses_1")).toEqual(["keep the alias"]);
  });

  it("leaves out what an extension has said", () => {
    const undelivered = new Undelivered(new Memory());
    undelivered.began("run_1");
    undelivered.ended(ended("run_1", input("by an extension", "linter"), input("mine")));
    expect(undelivered.take("ses_1")).toEqual(["mine"]);
  });
});

describe("a draft", () => {
  it("is kept over a reload, without its images", () => {
    const memory = new Memory();
    new Drafts(memory).keep({ text: "half a", images: [{ mimeType: "image/png", data: "AAAA" }] });
    expect(new Drafts(memory).draft).toEqual({ text: "half a", images: [] });
  });

  it("goes when it was sent, unless it was changed meanwhile", () => {
    const drafts = new Drafts(new Memory());
    drafts.keep({ text: "fix it", images: [] });
    drafts.sent({ text: "fix it", images: [] });
    expect(drafts.draft).toEqual(NO_DRAFT);
    drafts.keep({ text: "fix it, and more", images: [] });
    drafts.sent({ text: "fix it", images: [] });
    expect(drafts.draft.text).toBe("fix it, and more");
  });

  it("stands behind what comes back", () => {
    expect(before(["one", "two"], { text: "three", images: [] }).text).toBe("one\n\ntwo\n\nthree");
    expect(before(["one"], NO_DRAFT).text).toBe("one");
  });
});

describe("the mode of a session", () => {
  it("outlives the server, and over a reload only where it is strict", () => {
    const memory = new Memory();
    const modes = new Modes(memory);
    modes.choose("ses_1", "full-auto");
    modes.choose("ses_2", "read-only");
    expect(modes.of("ses_1")).toBe("full-auto");
    const reloaded = new Modes(memory);
    expect(reloaded.of("ses_1")).toBeUndefined();
    expect(reloaded.of("ses_2")).toBe("read-only");
  });
});

describe("the title of a session that can only be read", () => {
  const start = (text: string): Event => ({
    type: "agent_start",
    session: "ses_1",
    ts: 0,
    data: { model: "p:m", mode: "ask", inputs: [{ kind: "prompt", text }] },
  });
  const renamed: Event = { type: "session_renamed", session: "ses_1", ts: 0, data: { title: "the cart" } };

  it("is its first message's first line, or the name that it was given", () => {
    expect(titleIn([start("fix it\nplease"), start("again")], null)).toBe("fix it");
    expect(titleIn([start("fix it"), renamed], null)).toBe("the cart");
    expect(titleIn([start("later")], "known")).toBe("known");
    expect(titleIn([start(" \n")], null)).toBeNull();
  });
});

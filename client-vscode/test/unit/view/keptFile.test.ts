import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { KeptFile } from "../../../src/view/keptFile";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "kept-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const never = (error: unknown): void => {
  throw error;
};

it("has, when it is opened again, what was said last of each", async () => {
  const path = join(folder, "not yet", "kept.json");
  const kept = new KeptFile(path, never);
  await Promise.all([kept.update("draft", "half"), kept.update("draft", "half a thought"), kept.update("shown", "ses_1")]);
  const again = new KeptFile(path, never);
  expect([again.get("draft"), again.get("shown"), again.get("other")]).toEqual(["half a thought", "ses_1", undefined]);
  expect(readdirSync(join(folder, "not yet"))).toEqual(["kept.json"]);
});

it("forgets what is taken away", async () => {
  const path = join(folder, "kept.json");
  await new KeptFile(path, never).update("draft", "text");
  await new KeptFile(path, never).update("draft", undefined);
  expect(new KeptFile(path, never).get("draft")).toBeUndefined();
});

it("takes nothing away that another window has kept there meanwhile", async () => {
  const path = join(folder, "kept.json");
  const [one, other] = [new KeptFile(path, never), new KeptFile(path, never)];
  await one.update("draft", "half a thought");
  await other.update("shown", "ses_2");
  const again = new KeptFile(path, never);
  expect([again.get("draft"), again.get("shown")]).toEqual(["half a thought", "ses_2"]);
  await other.update("shown", undefined);
  await one.update("modes", {});
  const last = new KeptFile(path, never);
  expect([last.get("draft"), last.get("shown"), last.get("modes")]).toEqual(["half a thought", undefined, {}]);
});

it("is whole when two windows write it at once", async () => {
  const path = join(folder, "kept.json");
  const [one, other] = [new KeptFile(path, never), new KeptFile(path, never)];
  for (let round = 0; round < 20; round++) {
    await Promise.all([one.update("draft", "x".repeat(10_000 * round)), other.update("shown", `ses_${round}`)]);
  }
  // Of what is written in the same moment one may be missing, until its window writes again.
  await one.update("draft", "text");
  await other.update("shown", "ses_1");
  const again = new KeptFile(path, never);
  expect([again.get("draft"), again.get("shown")]).toEqual(["text", "ses_1"]);
  expect(readdirSync(folder)).toEqual(["kept.json"]);
});

it.each(["", "{", "[1]", "null", '"text"'])("holds nothing where the file is %j", (text) => {
  const path = join(folder, "kept.json");
  writeFileSync(path, text);
  expect(new KeptFile(path, never).get("draft")).toBeUndefined();
});

it("tells why it can't keep anything, and remembers it all the same", async () => {
  writeFileSync(join(folder, "in the way"), "");
  const told: unknown[] = [];
  const kept = new KeptFile(join(folder, "in the way", "kept.json"), (error) => told.push(error));
  await kept.update("draft", "text");
  expect(told).toHaveLength(1);
  expect(kept.get("draft")).toBe("text");
});

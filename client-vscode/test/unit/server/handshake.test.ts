import { expect, test } from "vitest";
import type { SteersmanProgram } from "../../../src/server/find";
import { endedAtOnce, lacksModule, mismatch, silent } from "../../../src/server/handshake";
import { matchOf, versionIn } from "../../../src/server/version";
import { labels } from "./machine";

const PROGRAM: SteersmanProgram = { command: "/bin/steersman", args: [], origin: "setting" };

test.each([
  ["0.1.0", "matches"],
  ["0.1.9", "matches"],
  ["0.1.0.dev3", "matches"],
  ["0.0.9", "older"],
  ["0.2.0", "newer"],
  ["1.1.0", "newer"],
  ["", "unknown"],
  ["main", "unknown"],
])("a server of version %j %s an extension of 0.1.2", (server, match) => {
  expect(matchOf(server, "0.1.2")).toBe(match);
});

test("a server of another version is not used, and the extension's own is offered", () => {
  const wrong = mismatch({ version: "0.2.0" }, PROGRAM, "0.1.0");
  expect(wrong?.problem.message).toBe(
    "The server /bin/steersman is version 0.2.0, which is newer than this extension (0.1.0).",
  );
  expect(wrong && labels(wrong.problem)).toEqual(["Use the extension's own server", "Open the setting", "Retry"]);
  expect(mismatch({ version: "0.1.3" }, PROGRAM, "0.1.0")).toBeUndefined();
  expect(mismatch({ version: "" }, PROGRAM, "0.1.0")?.problem.message).toMatch(/not a Steersman server/);
});

test("one that ends at once says how and why; where it was named, the extension's own is offered", () => {
  const named = endedAtOnce(PROGRAM, "exit code 2", "unknown command: serve").problem;
  expect(named.message).toBe("The server ended during its start: /bin/steersman (exit code 2).");
  expect(named.detail).toBe("unknown command: serve");
  expect(labels(named)[0]).toBe("Use the extension's own server");
  expect(labels(silent({ ...PROGRAM, origin: "private" }, "").problem)).toEqual(["Retry", "Show log"]);
});

test("an installation that is not whole is told from one that is configured wrongly", () => {
  expect(lacksModule("Traceback:\n  File x\nModuleNotFoundError: No module named 'pygls'")).toBe(true);
  expect(lacksModule("/p/bin/python: No module named steersman")).toBe(true);
  expect(lacksModule("steersman serve: /home/ada/config.toml is not TOML")).toBe(false);
});

test("versions are found in what programs print", () => {
  expect(versionIn("Python 3.9")).toEqual({ major: 3, minor: 9, patch: 0 });
  expect(versionIn("steersman 0.1.0\n")).toEqual({ major: 0, minor: 1, patch: 0 });
  expect(versionIn("command not found")).toBeUndefined();
});

import { expect, test } from "vitest";
import { serverEnvironment, type ServerSettings } from "../../../src/server/environment";

const NOTHING: ServerSettings = { model: "", baseUrl: "", mode: "", env: {} };

test("settings and the key go to the server by its environment", () => {
  const settings = { model: "anthropic:m", baseUrl: "http://127.0.0.1:1/v1", mode: "auto-edit", env: { PROXY: "p" } };
  expect(serverEnvironment({ PATH: "/bin" }, settings, "the key", true)).toEqual({
    PATH: "/bin",
    PROXY: "p",
    STEERSMAN_MODEL: "anthropic:m",
    STEERSMAN_BASE_URL: "http://127.0.0.1:1/v1",
    STEERSMAN_MODE: "auto-edit",
    STEERSMAN_API_KEY: "the key",
  });
});

test("what is not set leaves the environment as it is", () => {
  const base = { STEERSMAN_MODEL: "m", STEERSMAN_API_KEY: "of the shell" };
  expect(serverEnvironment(base, NOTHING, undefined, true)).toEqual(base);
});

test.each([
  ["full-auto", "ask"],
  ["auto-edit", "ask"],
  ["ask", "ask"],
  ["read-only", "read-only"],
])("in a workspace that is not trusted the mode %s is %s, wherever it is set", (mode, used) => {
  expect(serverEnvironment({}, { ...NOTHING, mode }, undefined, false).STEERSMAN_MODE).toBe(used);
  expect(serverEnvironment({ STEERSMAN_MODE: mode }, NOTHING, undefined, false).STEERSMAN_MODE).toBe(used);
  expect(serverEnvironment({}, { ...NOTHING, env: { STEERSMAN_MODE: mode } }, undefined, false).STEERSMAN_MODE).toBe(used);
});

test("a mode that is not set is not made looser by naming one", () => {
  expect(serverEnvironment({}, NOTHING, undefined, false)).toEqual({});
});

test("variables that make an Electron program behave as Node do not reach the agent's commands", () => {
  const base = { ELECTRON_RUN_AS_NODE: "1", VSCODE_PID: "1", VSCODE_IPC_HOOK_CLI: "/sock", PYTHONPATH: "/mine" };
  expect(serverEnvironment(base, NOTHING, undefined, true)).toEqual({
    VSCODE_IPC_HOOK_CLI: "/sock",
    PYTHONPATH: "/mine",
  });
});

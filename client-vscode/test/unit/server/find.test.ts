import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configuredProgram } from "../../../src/server/configured";
import { findServer, type Sources, type SteersmanProgram } from "../../../src/server/find";
import { PrivateEnvironments } from "../../../src/server/privateEnvironment";
import { failed, Machine, printed, problemOf, python, temporaryFolder, writeExecutable, type Program } from "./machine";

const NOTHING: Sources = { path: "", python: "", selected: () => Promise.resolve(undefined) };

async function found(sources: Sources, machine: Machine): Promise<SteersmanProgram> {
  const folder = await temporaryFolder();
  const environments = new PrivateEnvironments(join(folder, "server"), join(folder, "bundled"), "0.1.0", "linux");
  const looking = { run: machine.run, env: {}, cwd: folder, signal: new AbortController().signal };
  const making = { ...looking, step: () => undefined, log: () => undefined };
  return findServer(sources, environments, "0.1.7", making, looking, "linux");
}

const selected = (path: string): Sources => ({ ...NOTHING, selected: () => Promise.resolve(path) });

test("the program that the setting names comes first, and is run as it is", async () => {
  const path = await writeExecutable(join(await temporaryFolder(), "steersman"));
  const machine = new Machine({});
  expect(await found({ ...NOTHING, path }, machine)).toEqual({ command: path, args: [], origin: "setting" });
  expect(machine.ran).toEqual([]);
});

test("the selected environment's comes next, if it has the extension's minor version", async () => {
  const server: Program = (args) => (args.includes("steersman") ? printed("steersman 0.1.2\n") : printed("3.12.0\n/env/python"));
  const program = await found(selected("/env/python"), new Machine({ "/env/python": server }));
  expect(program).toEqual({ command: "/env/python", args: ["-I", "-m", "steersman"], origin: "selected" });
});

test.each([
  ["another version", printed("steersman 0.2.0\n")],
  ["no server", failed("No module named steersman")],
])("a selected environment with %s is passed over for the extension's own", async (_, answer) => {
  const env: Program = (args) => (args.includes("steersman") ? answer : printed("3.12.0\n/env/python"));
  const problem = await problemOf(found(selected("/env/python"), new Machine({ "/env/python": env })));
  expect(problem.message, "it went on to the wheel").toMatch(/^This extension is damaged/);
});

test("a selected interpreter that is not there is passed over", async () => {
  const machine = new Machine({ python3: python("3.12.0", "/usr/bin/python3") });
  const problem = await problemOf(found(selected("/gone/python"), machine));
  expect(problem.message).toMatch(/^This extension is damaged/);
});

test("~ in a setting is the home folder", async () => {
  const home = await temporaryFolder();
  const path = await writeExecutable(join(home, "bin", "steersman"));
  expect(await configuredProgram("steersman.server.path", " ~/bin/steersman ", home)).toBe(path);
});

test("a setting that can't be used is named in the problem, with a button to it", async () => {
  const folder = await temporaryFolder();
  const dull = await writeExecutable(join(folder, "dull"));
  await chmod(dull, 0o644);
  await mkdir(join(folder, "inside"));
  const said = async (value: string): Promise<string> => {
    const problem = await problemOf(configuredProgram("steersman.server.path", value));
    expect(problem.buttons[0]?.remedy).toEqual({ kind: "openSetting", setting: "steersman.server.path" });
    return problem.message;
  };
  expect(await said("bin/steersman")).toBe(
    "The setting steersman.server.path must be an absolute path, not bin/steersman.",
  );
  expect(await said(join(folder, "gone"))).toContain("does not exist");
  expect(await said(join(folder, "inside"))).toContain("names a folder");
  expect(await said(dull)).toContain("can't be executed");
});

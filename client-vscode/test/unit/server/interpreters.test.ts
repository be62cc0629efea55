import { join } from "node:path";
import { expect, test } from "vitest";
import { findInterpreter, type Candidates, type Looking } from "../../../src/server/interpreters";
import { failed, labels, Machine, printed, problemOf, python, temporaryFolder, writeExecutable } from "./machine";

const NOTHING_SET: Candidates = { configured: "", selected: undefined, platform: "linux" };

function looking(machine: Machine): Looking {
  return { run: machine.run, env: { PYTHONPATH: "/elsewhere" }, cwd: "/", signal: new AbortController().signal };
}

test("the newest that is on the path is taken", async () => {
  const machine = new Machine({
    "python3.13": python("3.13.1", "/usr/bin/python3.13"),
    "python3.11": python("3.11.2", "/usr/bin/python3.11"),
    python3: python("3.11.2", "/usr/bin/python3.11"),
  });
  const found = await findInterpreter(NOTHING_SET, looking(machine));
  expect(found).toEqual({ path: "/usr/bin/python3.13", version: { major: 3, minor: 13, patch: 1 } });
});

test("the selected one comes first, if it is new enough", async () => {
  const programs = { "/env/python": python("3.12.0", "/env/python"), "python3.14": python("3.14.0", "/usr/p") };
  const found = await findInterpreter({ ...NOTHING_SET, selected: "/env/python" }, looking(new Machine(programs)));
  expect(found.path).toBe("/env/python");
  const old = { ...programs, "/env/python": python("3.8.0", "/env/python") };
  const other = await findInterpreter({ ...NOTHING_SET, selected: "/env/python" }, looking(new Machine(old)));
  expect(other.path).toBe("/usr/p");
});

test("what is set is the only one", async () => {
  const path = await writeExecutable(join(await temporaryFolder(), "python"));
  const machine = new Machine({ [path]: python("3.9.6", path), "python3.13": python("3.13.0", "/usr/p") });
  const problem = await problemOf(findInterpreter({ ...NOTHING_SET, configured: path }, looking(machine)));
  expect(problem.message).toBe(`Steersman needs Python 3.11 or newer; ${path} is Python 3.9.6.`);
});

test("on Windows its launcher is asked", async () => {
  const machine = new Machine({ py: python("3.12.7", "C:\\Python312\\python.exe") });
  const found = await findInterpreter({ ...NOTHING_SET, platform: "win32" }, looking(machine));
  expect(found.path).toBe("C:\\Python312\\python.exe");
  expect(machine.ran[0]).toMatch(/^py -3 -I /);
});

test("none at all: one message, with where to get it and how to choose one", async () => {
  const problem = await problemOf(findInterpreter(NOTHING_SET, looking(new Machine({}))));
  expect(problem.message).toBe("Steersman needs Python 3.11 or newer, and none was found.");
  expect(labels(problem)).toEqual(["Get Python", "Choose an interpreter", "Retry"]);
});

test("only old ones: the newest of them is named, with its version and what is needed", async () => {
  const machine = new Machine({
    python3: python("3.9.18", "/usr/bin/python3.9"),
    python: python("3.10.4", "/opt/python3.10"),
  });
  const problem = await problemOf(findInterpreter(NOTHING_SET, looking(machine)));
  expect(problem.message).toBe("Steersman needs Python 3.11 or newer; /opt/python3.10 is Python 3.10.4.");
  expect(labels(problem)).toEqual(["Choose an interpreter", "Get Python", "Retry"]);
});

test("a script that prints its version only is believed", async () => {
  const machine = new Machine({ python3: () => printed("Python 3.9.1\n") });
  const problem = await problemOf(findInterpreter(NOTHING_SET, looking(machine)));
  expect(problem.message).toContain("python3 is Python 3.9.1");
});

test("a launcher without a Python behind it is passed over", async () => {
  const machine = new Machine({
    "python3.14": () => failed("python3.14: command not found", 127),
    python3: python("3.12.1", "/usr/bin/python3.12"),
  });
  expect((await findInterpreter(NOTHING_SET, looking(machine))).path).toBe("/usr/bin/python3.12");
});

test("it is asked isolated from what the user has installed elsewhere", async () => {
  const machine = new Machine({ "python3.14": python("3.14.0", "/p") });
  await findInterpreter(NOTHING_SET, looking(machine));
  expect(machine.environments[0]).toEqual({ PYTHONNOUSERSITE: "1" });
  expect(machine.ran[0]).toContain(" -I ");
});

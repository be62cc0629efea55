import { chmod, mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Interpreter } from "../../../src/server/interpreters";
import { PrivateEnvironments, type Making } from "../../../src/server/privateEnvironment";
import type { Ran } from "../../../src/server/programs";
import { failed, labels, Machine, printed, problemOf, temporaryFolder, writeExecutable, type Program } from "./machine";

const INTERPRETER: Interpreter = { path: "/usr/bin/python3.12", version: { major: 3, minor: 12, patch: 4 } };
const NEW = "0.2.0";

/** A machine on which environments can be made with pip, in a folder of its own, with a wheel that holds `wheel`. */
class Room {
  readonly steps: string[] = [];
  readonly machine = new Machine({ [INTERPRETER.path]: (args) => this.venv(args) });
  readonly controller = new AbortController();
  /** What the next installation prints and does. */
  install: Program = () => printed("Successfully installed");
  private constructor(readonly folder: string) {}

  static async make(wheel = "the wheel"): Promise<Room> {
    const room = new Room(await temporaryFolder());
    await mkdir(join(room.folder, "bundled"));
    await writeFile(join(room.folder, "bundled", "steersman-0.1.0-py3-none-any.whl"), wheel);
    return room;
  }

  get making(): Making {
    return {
      run: this.machine.run,
      env: {},
      signal: this.controller.signal,
      step: (text) => this.steps.push(text),
      log: () => undefined,
    };
  }

  environments(version = "0.1.0"): PrivateEnvironments {
    const times = { beat: 5, stale: 5000, look: 5 };
    return new PrivateEnvironments(this.place, join(this.folder, "bundled"), version, "linux", times);
  }

  python(version = "0.1.0", asked = ""): Promise<string> {
    return this.environments(version).python(asked, () => Promise.resolve(INTERPRETER), this.making);
  }

  get place(): string {
    return join(this.folder, "storage", "server");
  }

  names(): Promise<string[]> {
    return readdir(this.place).catch(() => []);
  }

  /** `python -m venv FOLDER`, and `uv venv`: a folder with a Python in it, which can install and run the server. */
  async venv(args: readonly string[]): Promise<Ran> {
    const python = join(args.at(-1) ?? "", "bin", "python");
    await writeExecutable(python);
    this.machine.programs[python] = (given, options) =>
      given.includes("pip") ? this.install(given, options) : printed("steersman 0.1.0");
    return printed("");
  }
}

test("it is created once, from the wheel, and found from then on without looking for a Python", async () => {
  const room = await Room.make();
  const python = await room.python();
  expect(await room.names()).toEqual([expect.stringMatching(/^0\.1\.0-[0-9a-f]{8}-py3\.12\.4$/)]);
  expect(room.steps).toEqual([
    "Looking for Python",
    "Creating a Python environment",
    "Installing the server",
    "Checking the server",
  ]);
  const ran = room.machine.ran.length;
  const none = (): Promise<Interpreter> => Promise.reject(new Error("it was looked for"));
  expect(await room.environments().python("", none, room.making)).toBe(python);
  expect(room.machine.ran).toHaveLength(ran);
});

test("uv creates it if uv is installed", async () => {
  const room = await Room.make();
  room.machine.programs.uv = (args, options) => {
    if (args[0] === "venv") return room.venv(args);
    return args[0] === "pip" ? room.install(args, options) : printed("uv 0.9.0");
  };
  await room.python();
  expect(room.machine.ran.filter((line) => line.startsWith("uv "))).toHaveLength(3);
  expect(room.machine.ran.some((line) => line.includes("-m pip"))).toBe(false);
});

test("if uv fails, pip creates it", async () => {
  const room = await Room.make();
  room.machine.programs.uv = (args) => (args[0] === "--version" ? printed("uv 0.0.1") : failed("unknown option"));
  await room.python();
  expect(room.machine.ran.some((line) => line.includes("-m pip"))).toBe(true);
});

test("packages installed elsewhere stay out of it", async () => {
  const room = await Room.make();
  room.machine.programs.uv = () => failed("none");
  const making = { ...room.making, env: { PYTHONPATH: "/old", PIP_USER: "1", PIP_INDEX_URL: "http://127.0.0.1/simple" } };
  await room.environments().python("", () => Promise.resolve(INTERPRETER), making);
  for (const env of room.machine.environments) {
    expect(env).toEqual({ PYTHONNOUSERSITE: "1", UV_HTTP_RETRIES: "1", PIP_INDEX_URL: "http://127.0.0.1/simple" });
  }
  const python = room.machine.ran.filter((line) => !line.startsWith("uv"));
  expect(python.every((line) => line.includes(" -I "))).toBe(true);
});

test("an installation that fails leaves nothing, and says why with what was printed", async () => {
  const room = await Room.make();
  room.install = () => failed("NewConnectionError: Failed to establish a new connection: Connection refused");
  const problem = await problemOf(room.python());
  expect(problem.message).toMatch(/could not be downloaded/);
  expect(problem.detail).toContain("Connection refused");
  expect(labels(problem)).toEqual(["Retry", "Show log"]);
  expect(await room.names()).toEqual([]);
  room.install = () => printed("");
  await room.python();
});

test.each([
  ["ERROR: [Errno 28] No space left on device", "The server could not be installed: the disk is full."],
  ["ERROR: something else", "The server could not be installed."],
])("%s: %s", async (output, message) => {
  const room = await Room.make();
  room.install = () => failed(output);
  expect((await problemOf(room.python())).message).toBe(message);
});

test("a Python without venv is named", async () => {
  const room = await Room.make();
  room.machine.programs[INTERPRETER.path] = () => failed("ensurepip is not available. apt install python3.12-venv");
  const problem = await problemOf(room.python());
  expect(problem.message).toBe("/usr/bin/python3.12 can't create virtual environments: its package venv is missing.");
  expect(problem.detail).toContain("apt install");
});

test("a server that was installed but does not start is a problem", async () => {
  const room = await Room.make();
  room.install = () => {
    const python = room.machine.ran.at(-1)?.split(" ")[0] ?? "";
    room.machine.programs[python] = () => failed("ImportError: libc.so.6");
    return printed("");
  };
  const problem = await problemOf(room.python());
  expect(problem.message).toBe("The server was installed but does not start.");
  expect(problem.detail).toContain("ImportError");
});

test("an extension without its wheel says so", async () => {
  const room = await Room.make();
  await rm(join(room.folder, "bundled"), { recursive: true });
  expect((await problemOf(room.python())).message).toMatch(/^This extension is damaged/);
});

test("cancelling ends it and leaves nothing behind", async () => {
  const room = await Room.make();
  room.install = () => {
    room.controller.abort(new Error("cancelled"));
    return printed("");
  };
  await expect(room.python()).rejects.toThrow("cancelled");
  expect(await room.names()).toEqual([]);
});

test("an interrupted one is created again", async () => {
  const room = await Room.make();
  await mkdir(join(room.place, ".making-old", "bin"), { recursive: true });
  await writeFile(join(room.place, "lock"), "");
  await utimes(join(room.place, "lock"), 0, 0);
  await room.python();
  expect(await room.names()).toEqual([expect.stringMatching(/^0\.1\.0-/)]);
});

test("one whose interpreter has been removed is created again", async () => {
  const room = await Room.make();
  const python = await room.python();
  await chmod(python, 0o644);
  expect(await room.python()).toBe(python);
  expect(room.steps.filter((step) => step === "Installing the server")).toHaveLength(2);
});

test("one that turns out to be incomplete is created again", async () => {
  const room = await Room.make();
  const python = await room.python();
  await room.environments().discard(python);
  expect(await room.python()).toBe(python);
  expect(room.steps.filter((step) => step === "Installing the server")).toHaveLength(2);
});

test("two windows create one", async () => {
  const room = await Room.make();
  let release = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    room.install = () => {
      resolve();
      return new Promise((done) => (release = () => done(printed(""))));
    };
  });
  const first = room.python();
  await begun;
  let waits = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (waits = resolve));
  const step = (text: string): void => {
    if (text.startsWith("Waiting")) waits();
  };
  const second = room.environments().python("", () => Promise.resolve(INTERPRETER), { ...room.making, step });
  await waiting;
  release();
  expect(await second).toBe(await first);
  expect(room.steps.filter((step) => step === "Installing the server")).toHaveLength(1);
});

test("another build of the same version is another environment", async () => {
  const room = await Room.make();
  const before = await room.python();
  await writeFile(join(room.folder, "bundled", "steersman-0.1.0-py3-none-any.whl"), "another wheel");
  expect(await room.python()).not.toBe(before);
});

test("another interpreter setting creates it again", async () => {
  const room = await Room.make();
  await room.python();
  await room.python("0.1.0", INTERPRETER.path);
  expect(room.steps.filter((step) => step === "Installing the server")).toHaveLength(2);
});

test("those of other versions go when no window has used them for a day", async () => {
  const room = await Room.make();
  const old = await room.python();
  await room.python(NEW);
  expect(await room.names(), "an old window may still use it").toHaveLength(2);
  const name = old.slice(room.place.length + 1).split("/")[0] ?? "";
  await utimes(join(room.place, name, "steersman-ready.json"), 0, 0);
  await writeFile(join(room.folder, "bundled", "steersman-0.1.0-py3-none-any.whl"), "another wheel");
  await room.python(NEW);
  expect((await room.names()).every((each) => each.startsWith(NEW))).toBe(true);
});

test("a window that says so keeps what it uses", async () => {
  const room = await Room.make();
  const old = await room.python();
  const name = old.slice(room.place.length + 1).split("/")[0] ?? "";
  await utimes(join(room.place, name, "steersman-ready.json"), 0, 0);
  await room.environments().touch(old);
  await room.python(NEW);
  expect(await room.names()).toContain(name);
});

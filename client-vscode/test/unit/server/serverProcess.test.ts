import { expect, test } from "vitest";
import { ServerProcess } from "../../../src/server/serverProcess";
import { runProgram } from "../../../src/server/programs";

const node = (script: string): { command: string; args: string[]; env: NodeJS.ProcessEnv } => ({
  command: process.execPath,
  args: ["-e", script],
  env: process.env,
});

test("a process that ends says how, and what it had to say", async () => {
  const lines: string[] = [];
  const server = new ServerProcess(node("console.error('no module'); process.exit(3)"), (line) => lines.push(line));
  await server.exit;
  expect([server.running, server.ending, server.stderr]).toEqual([false, "exit code 3", "no module"]);
  expect(lines).toEqual(["no module"]);
});

test("a program that is not there is an end too", async () => {
  const server = new ServerProcess({ command: "/gone/steersman", args: [], env: {} }, () => undefined);
  await server.exit;
  expect(server.ending).toContain("ENOENT");
});

test("a process that does not listen is ended hard", async () => {
  const stubborn = "process.on('SIGTERM', () => {}); console.error('up'); setInterval(() => {}, 1000)";
  let up = (): void => undefined;
  const isUp = new Promise<void>((resolve) => (up = resolve));
  const server = new ServerProcess(node(stubborn), () => up());
  await isUp;
  await server.end(20);
  expect(server.ending).toBe("signal SIGKILL");
});

/** Starts a child that inherits standard error and outlives its parent; prints the child's id there. */
const LEAVES_A_CHILD = `
  const child = require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"],
    { detached: true, stdio: ["ignore", "ignore", "inherit"] });
  console.error(String(child.pid));`;

test("a process has ended though a child of its own still holds its pipes", async () => {
  const lines: string[] = [];
  const server = new ServerProcess(node(`${LEAVES_A_CHILD} process.exit(1)`), (line) => lines.push(line));
  await server.exit;
  expect([server.ending, lines.length]).toEqual(["exit code 1", 1]);
  process.kill(Number(lines[0]));
});

const options = { cwd: process.cwd(), env: process.env };

test("a program that is run tells what it printed, line by line and in the end", async () => {
  const lines: string[] = [];
  const script = "console.log('one'); console.error('two')";
  const ran = await runProgram(process.execPath, ["-e", script], { ...options, onLine: (line) => lines.push(line) });
  expect(ran).toEqual({ code: 0, stdout: "one\n", stderr: "two\n" });
  expect(lines.sort()).toEqual(["one", "two"]);
});

test("a program that is cancelled is ended, and the reason thrown", async () => {
  const controller = new AbortController();
  const script = "console.log('up'); setInterval(() => {}, 1000)";
  const running = runProgram(process.execPath, ["-e", script], {
    ...options,
    signal: controller.signal,
    onLine: () => controller.abort(new Error("enough")),
  });
  await expect(running).rejects.toThrow("enough");
});

test("a program that is cancelled is not waited for because of a child that holds its pipes", async () => {
  const controller = new AbortController();
  let child = 0;
  const running = runProgram(process.execPath, ["-e", `${LEAVES_A_CHILD} setInterval(() => {}, 1000)`], {
    ...options,
    signal: controller.signal,
    onLine: (line) => {
      child = Number(line);
      controller.abort(new Error("enough"));
    },
  });
  await expect(running).rejects.toThrow("enough");
  process.kill(child);
});

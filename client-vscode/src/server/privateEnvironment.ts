/**
 * The extension's own Python environment, in which the bundled wheel is installed. It is created under a temporary name and
 * renamed when it is complete, so that an environment under its final name can be used. It knows no editor.
 */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { t } from "../l10n";
import { isolatedEnvironment } from "./environment";
import { LOCK_TIMES, withLock, type LockTimes } from "./folderLock";
import { diskFull, installProblem, kindOfFailure } from "./installFailures";
import type { Interpreter } from "./interpreters";
import { logButton, problem, retryButton, ServerProblem } from "./problem";
import { ProgramNotStarted, type Ran, type RunProgram } from "./programs";
import { versionText } from "./version";

export interface Making {
  readonly run: RunProgram;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** What is being done, for a person. */
  readonly step: (text: string) => void;
  /** A line that a program printed. */
  readonly log: (line: string) => void;
}

/** Two: one creates the environment, one installs into it. */
type Commands = readonly (readonly [string, ...string[]])[];

/** The contents of the file that marks an environment as complete. */
interface Ready {
  readonly wheel: string;
  readonly python: string;
  /** The interpreter that the user had set; "" is any. */
  readonly asked: string;
}

/** A single retry: without a network the failure shows within seconds, and there is a button for the next try. */
const PIP_OPTIONS = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--retries", "1"];

const READY = "steersman-ready.json";
const TEMPORARY = ".making-";
/** Milliseconds after which an unused environment of another version is removed: until then, an older window may need it. */
const UNUSED = 24 * 3600_000;

export class PrivateEnvironments {
  constructor(
    /** Holds the environments; created when needed. */
    private readonly folder: string,
    /** Folder of the wheel in the extension. */
    private readonly bundled: string,
    private readonly extensionVersion: string,
    private readonly platform: NodeJS.Platform = process.platform,
    private readonly times: LockTimes = LOCK_TIMES,
  ) {}

  /**
   * The Python of this version's environment, which is created if there is none. `asked` is the setting's interpreter, `find`
   * searches for one.
   *
   * @throws ServerProblem it can't be created. Whatever `signal` was aborted with.
   */
  async python(asked: string, find: () => Promise<Interpreter>, making: Making): Promise<string> {
    const wheel = await this.wheel();
    const key = await this.key(wheel);
    const found = await this.whole(key, asked);
    if (found !== undefined) return this.used(found);
    await mkdir(this.folder, { recursive: true }).catch(asProblemOfDisk);
    making.step(t("Looking for Python"));
    const interpreter = await find();
    const made = await withLock(
      join(this.folder, "lock"),
      async () => (await this.whole(key, asked)) ?? (await this.make(wheel, key, asked, interpreter, making)),
      {
        signal: making.signal,
        waiting: () => making.step(t("Waiting for another window to set up the server")),
        times: this.times,
      },
    ).catch(asProblemOfDisk);
    return this.used(made);
  }

  /** Marks this Python's environment as in use, so that it is not removed. */
  async touch(python: string): Promise<void> {
    const name = this.nameOf(python);
    if (name === undefined) return;
    const now = new Date();
    await utimes(join(this.folder, name, READY), now, now).catch(() => undefined);
  }

  /** Has this Python's environment created again at the next start. */
  async discard(python: string): Promise<void> {
    const name = this.nameOf(python);
    if (name !== undefined) await rm(join(this.folder, name, READY), { force: true }).catch(() => undefined);
  }

  private nameOf(python: string): string | undefined {
    return python.startsWith(this.folder) ? python.slice(this.folder.length + 1).split(/[/\\]/)[0] : undefined;
  }

  private async used(environment: string): Promise<string> {
    const python = this.pythonOf(environment);
    await this.touch(python);
    return python;
  }

  private async wheel(): Promise<string> {
    const files = await readdir(this.bundled).catch((): string[] => []);
    const wheel = files.find((file) => file.endsWith(".whl"));
    if (wheel !== undefined) return join(this.bundled, wheel);
    throw problem(t("This extension is damaged: its server is missing. Install it again."), "", [
      { label: t("Show the extension"), remedy: { kind: "command", command: "steersman.ui.showExtension" } },
      retryButton(),
    ]);
  }

  /** The prefix of the names of this wheel's environments. It has a digest, since two builds can have the same version. */
  private async key(wheel: string): Promise<string> {
    const digest = createHash("sha256").update(await readFile(wheel)).digest("hex");
    return `${this.extensionVersion}-${digest.slice(0, 8)}-`;
  }

  /** A usable environment with this key. */
  private async whole(key: string, asked: string): Promise<string | undefined> {
    for (const name of await this.names()) {
      if (!name.startsWith(key)) continue;
      const environment = join(this.folder, name);
      const ready = await readReady(environment);
      if (ready?.asked !== asked) continue;
      // If its interpreter has been removed since, its Python is a dangling link.
      if (await isExecutable(this.pythonOf(environment))) return environment;
    }
    return undefined;
  }

  private async make(
    wheel: string,
    key: string,
    asked: string,
    interpreter: Interpreter,
    making: Making,
  ): Promise<string> {
    await this.clean(key);
    making.log(`Making an environment with ${interpreter.path} (Python ${versionText(interpreter.version)})`);
    const temporary = await mkdtemp(join(this.folder, TEMPORARY));
    try {
      await this.fill(temporary, wheel, interpreter, making);
      const ready: Ready = { wheel: basename(wheel), python: interpreter.path, asked };
      await writeFile(join(temporary, READY), JSON.stringify(ready));
      const place = join(this.folder, `${key}py${versionText(interpreter.version)}`);
      // Anything there is unusable, or `whole` would have found it.
      await rm(place, { recursive: true, force: true });
      await rename(temporary, place);
      return place;
    } catch (error) {
      await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
      throw error;
    }
  }

  private async fill(temporary: string, wheel: string, interpreter: Interpreter, making: Making): Promise<void> {
    const python = this.pythonOf(temporary);
    const uv: Commands = [
      ["uv", "venv", "--allow-existing", "--no-project", "--python", interpreter.path, temporary],
      ["uv", "pip", "install", "--python", python, wheel],
    ];
    const pip: Commands = [
      [interpreter.path, "-I", "-m", "venv", "--clear", temporary],
      [python, "-I", "-m", "pip", "install", ...PIP_OPTIONS, wheel],
    ];
    const failed = (await this.hasUv(making)) ? await this.install(uv, making) : "";
    // If uv itself fails (it is too old, or its cache is broken), pip may still work.
    if (failed !== undefined) {
      const again = failed === "" || kindOfFailure(failed) === "other" ? await this.install(pip, making) : failed;
      if (again !== undefined) throw installProblem(again, interpreter.path);
    }
    making.step(t("Checking the server"));
    const said = await this.run(python, ["-I", "-m", "steersman", "--version"], making);
    if (said.code === 0) return;
    throw problem(t("The server was installed but does not start."), `${said.stdout}\n${said.stderr}`, [
      retryButton(),
      logButton(),
    ]);
  }

  /** Undefined: success; else what the failed command printed. */
  private async install(commands: Commands, making: Making): Promise<string | undefined> {
    const steps = [t("Creating a Python environment"), t("Installing the server")];
    for (const [index, [command, ...args]] of commands.entries()) {
      making.step(steps[index] ?? "");
      making.log(`$ ${[command, ...args].join(" ")}`);
      const ran = await this.run(command, args, making);
      if (ran.code !== 0) return `${ran.stdout}\n${ran.stderr}`.trim() || `${command}: ${ran.code}`;
    }
    return undefined;
  }

  private async hasUv(making: Making): Promise<boolean> {
    try {
      return (await this.run("uv", ["--version"], making)).code === 0;
    } catch (error) {
      if (error instanceof ServerProblem) return false;
      throw error;
    }
  }

  private async run(command: string, args: string[], making: Making): Promise<Ran> {
    const env = { ...isolatedEnvironment(making.env), UV_HTTP_RETRIES: making.env.UV_HTTP_RETRIES ?? "1" };
    try {
      return await making.run(command, args, { cwd: this.folder, env, signal: making.signal, onLine: making.log });
    } catch (error) {
      if (!(error instanceof ProgramNotStarted)) throw error;
      throw problem(t("The server could not be installed."), error.message, [retryButton(), logButton()]);
    }
  }

  /** Removes what interrupted windows have left, and unused environments of other versions. */
  private async clean(key: string): Promise<void> {
    for (const name of await this.names()) {
      const path = join(this.folder, name);
      const left = name.startsWith(TEMPORARY) || (!name.startsWith(key) && (await isUnused(path)));
      // What can't be removed now does no harm.
      if (left) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  private async names(): Promise<string[]> {
    const entries = await readdir(this.folder, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  }

  private pythonOf(environment: string): string {
    return this.platform === "win32"
      ? join(environment, "Scripts", "python.exe")
      : join(environment, "bin", "python");
  }
}

async function readReady(environment: string): Promise<Partial<Ready> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(environment, READY), "utf8"));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function isUnused(environment: string): Promise<boolean> {
  const ready = await stat(join(environment, READY)).catch(() => undefined);
  return ready === undefined || Date.now() - ready.mtimeMs > UNUSED;
}

function asProblemOfDisk(error: unknown): never {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT") throw diskFull(String(error));
  // An abort throws an error whose code is a number.
  if (typeof code !== "string" || !(error instanceof Error)) throw error;
  throw problem(t("The server could not be installed: {0}", error.message), "", [retryButton(), logButton()]);
}

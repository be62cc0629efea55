/** A VS Code of its own for each story: its settings, its data, its one port on loopback. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CODE_SERVER, EXTENSIONS, NODE } from "./places";
import { Program } from "./programs";

const QUIET = {
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "security.workspace.trust.enabled": false,
  "files.autoSave": "off",
  "git.enabled": false,
};

export interface CodeServerOptions {
  readonly data: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  /** Another place of extensions than that of all stories. */
  readonly extensions?: string;
  /** The display language, if not English. */
  readonly locale?: string;
}

export class CodeServer {
  private constructor(
    private readonly program: Program,
    readonly url: string,
    private readonly data: string,
  ) {}

  static async start({ data, settings, env, extensions, locale }: CodeServerOptions): Promise<CodeServer> {
    mkdirSync(join(data, "home"), { recursive: true });
    writeFileSync(join(data, "config.yaml"), "{}\n");
    for (const file of settingsFiles(data)) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ ...QUIET, ...settings }));
    }
    const program = await Program.start(
      NODE,
      [...places(data, extensions), ...QUIETLY, ...(locale === undefined ? [] : ["--locale", locale])],
      { ...process.env, HOME: join(data, "home"), PATH: `${dirname(NODE)}:${process.env["PATH"]}`, ...env },
      (line) => line.includes("Session server listening"),
    );
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(program.said) ?? [];
    if (url === undefined) throw new Error(`code-server has not said where it listens:\n${program.said}`);
    return new CodeServer(program, url, data);
  }

  stop(): Promise<void> {
    return this.program.stop();
  }

  /** What the extension keeps of the chat over a reload, as it is on the disk now. */
  get kept(): string {
    return keptFiles(this.data)
      .map((file) => readFileSync(file, "utf8"))
      .join("");
  }

  /** What the extension's output channel has logged. */
  get log(): string {
    const logs = join(this.data, "data/logs");
    return readdirSync(logs, { recursive: true, encoding: "utf8" })
      .filter((name) => /exthost\d+\/steersman\.steersman\/.*\.log$/.test(name))
      .map((name) => readFileSync(join(logs, name), "utf8"))
      .join("");
  }
}

/** Where windows on a workspace keep what is typed, and the like. */
function keptFiles(data: string): string[] {
  return readdirSync(join(data, "data/User"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("steersman.steersman/chat.json"))
    .map((name) => join(data, "data/User", name));
}

/** Installs a `.vsix`, as a person does from the command line. */
export async function install(vsix: string, data: string, extensions: string = EXTENSIONS): Promise<void> {
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "config.yaml"), "{}\n");
  const program = await Program.start(
    NODE,
    [...places(data, extensions), "--install-extension", vsix],
    { ...process.env, PATH: `${dirname(NODE)}:${process.env["PATH"]}` },
    (line) => line.includes("successfully installed"),
  );
  await program.stop();
}

/** The user's own, and the machine's, where settings of scope machine count for certain. */
function settingsFiles(data: string): string[] {
  return ["User", "Machine"].map((place) => join(data, "data", place, "settings.json"));
}

function places(data: string, extensions = EXTENSIONS): string[] {
  return [CODE_SERVER, "--user-data-dir", join(data, "data"), "--extensions-dir", extensions, "--config", join(data, "config.yaml")];
}

const QUIETLY = [
  // A port that is free: it says which.
  ...["--bind-addr", "127.0.0.1:0", "--auth", "none", "--cert", "false"],
  // A closed page would otherwise leave its extension host, and our server, alive for hours.
  ...["--reconnection-grace-time", "5"],
  ...["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override", "--ignore-last-opened"],
];

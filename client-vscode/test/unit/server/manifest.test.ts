import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { versionIn, compareVersions } from "../../../src/server/version";

interface Setting {
  readonly scope?: string;
  readonly description?: string;
  readonly markdownDescription?: string;
}

interface Manifest {
  readonly version: string;
  readonly engines: { readonly vscode: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly capabilities: {
    readonly virtualWorkspaces: { readonly supported: boolean };
    readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: string[] };
  };
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
    readonly walkthroughs: readonly { readonly steps: readonly unknown[] }[];
  };
}

const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
const json = (file: string): unknown => JSON.parse(read(file));
const manifest = json("package.json") as Manifest;
const settings = Object.entries(manifest.contributes.configuration.properties);

/** Those that say what is run, where a key goes, what needs no question, or what is written down. */
const LOOSENING = /^steersman\.(server\.|model$|baseUrl$|mode$|trace\.)/;

test("the editor that is needed is at least the one that the language client needs", () => {
  const client = json("node_modules/vscode-languageclient/package.json") as Manifest;
  const [ours, theirs] = [manifest.engines.vscode, client.engines.vscode].map(versionIn);
  expect(ours && theirs && compareVersions(ours, theirs)).toBeGreaterThanOrEqual(0);
});

test("the types of the editor's interface are those of the oldest editor", () => {
  const types = json("node_modules/@types/vscode/package.json") as Manifest;
  const [oldest, typed] = [manifest.engines.vscode, types.version].map(versionIn);
  expect(typed && oldest && [typed.major, typed.minor]).toEqual(oldest && [oldest.major, oldest.minor]);
});

test("no workspace can set what loosens anything", () => {
  const loosening = settings.filter(([name]) => LOOSENING.test(name));
  expect(loosening.length).toBeGreaterThan(6);
  for (const [name, setting] of loosening) expect(setting.scope, name).toBe("machine");
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  const needed = loosening.map(([name]) => name).filter((name) => !name.startsWith("steersman.trace."));
  expect([...restricted].sort()).toEqual(needed.sort());
});

test("its texts are in package.nls.json, and no text is there that nothing uses", () => {
  const texts = json("package.nls.json") as Readonly<Record<string, string>>;
  const used = [...read("package.json").matchAll(/"%([^%"]+)%"/g)].map((match) => match[1]);
  expect([...new Set(used)].sort()).toEqual(Object.keys(texts).sort());
  for (const [key, text] of Object.entries(texts)) expect(text, key).toMatch(/\S/);
});

test("every setting says what it is for", () => {
  for (const [name, setting] of settings) expect(setting.description ?? setting.markdownDescription, name).toBeTruthy();
});

test("no command is one of the server's, which the language client registers", () => {
  const servers = new Set(read("src/protocol.ts").match(/"steersman\.[A-Za-z]+"/g)?.map((id) => id.slice(1, -1)));
  expect(servers.has("steersman.start")).toBe(true);
  const ours = manifest.contributes.commands.map(({ command }) => command);
  expect(ours.filter((command) => servers.has(command) || !command.startsWith("steersman.ui."))).toEqual([]);
  expect(new Set(ours).size).toBe(ours.length);
});

test("the language client, which costs time to load, is loaded with the first server", () => {
  const source = fileURLToPath(new URL("../../../src", import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const loading = files.filter((file) =>
    /^import (?!type )[^;]*from "vscode-languageclient/m.test(read(`src/${file}`)),
  );
  expect(loading).toEqual([join("server", "client.ts")]);
  expect(read("src/server/connection.ts")).toContain('await import("./client")');
});

test("a walkthrough of four steps, and no virtual workspaces", () => {
  expect(manifest.contributes.walkthroughs.map(({ steps }) => steps.length)).toEqual([4]);
  expect(manifest.capabilities.virtualWorkspaces.supported).toBe(false);
});

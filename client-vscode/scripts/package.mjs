// Packs the extension into ../dist/steersman-VERSION.vsix: node scripts/package.mjs SERVER_VERSION
//
// The server that lies in bundled/ has to be of the extension's own version: they speak to each other.
import { readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { createVSIX } from "@vscode/vsce";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { version } = createRequire(import.meta.url)("../package.json");
const server = process.argv[2]?.replace(/^steersman /, "");
const wheels = readdirSync("bundled").filter((file) => file.endsWith(".whl"));

if (server !== version || wheels.length !== 1 || !wheels[0].startsWith(`steersman-${version}-`)) {
  console.error(`The extension is ${version}, the server ${server}, the wheel ${wheels.join(", ") || "missing"}: make them one.`);
  process.exit(1);
}

const packagePath = `../dist/steersman-${version}.vsix`;
await createVSIX({ dependencies: false, packagePath });
console.log(`${packagePath.slice(3)}: ${(statSync(packagePath).size / 1e6).toFixed(2)} MB`);

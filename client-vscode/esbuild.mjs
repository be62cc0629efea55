// Bundles the extension (for the extension host) and the chat page (for the webview) into dist/.
import { copyFile, mkdir } from "node:fs/promises";
import * as esbuild from "esbuild";

const watch = process.argv.includes("--watch");
const production = process.argv.includes("--production");

const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
  metafile: true,
};

const host = {
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  // Of vscode-languageclient's dependencies some have only a UMD build under `main`.
  mainFields: ["module", "main"],
};

const page = {
  ...common,
  entryPoints: ["webview/main.tsx", "webview/style.css"],
  outdir: "dist/webview",
  platform: "browser",
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  external: ["*.ttf"],
};

await mkdir("dist/webview", { recursive: true });
for (const file of ["codicon.css", "codicon.ttf"]) {
  await copyFile(`node_modules/@vscode/codicons/dist/${file}`, `dist/webview/${file}`);
}

if (watch) {
  for (const options of [host, page]) await (await esbuild.context(options)).watch();
} else {
  await Promise.all([host, page].map((options) => esbuild.build(options)));
}

// Draws media/icon.png, 128 by 128 pixels, of media/steersman.svg: node scripts/icon.mjs CHROMIUM
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

const svg = await readFile(new URL("../media/steersman.svg", import.meta.url), "utf8");
const page = `<style>
  body { margin: 0; }
  div { width: 128px; height: 128px; border-radius: 26px; color: #f3f8fa; display: grid; place-items: center;
        background: linear-gradient(160deg, #1c5a73, #0d2a38); }
  svg { width: 104px; height: 104px; stroke-width: 1.5; }
</style><div>${svg}</div>`;

const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox"] });
const view = await browser.newPage({ viewport: { width: 128, height: 128 } });
await view.setContent(page);
await view.screenshot({ path: new URL("../media/icon.png", import.meta.url).pathname, omitBackground: true });
await browser.close();

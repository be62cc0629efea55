/** A story: a workspace, a model that says its lines, a VS Code, and a person who does something. */

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { CodeServer } from "./codeServer";
import { Gateway, type Listed } from "./gateway";
import { CHROMIUM, newFolder, PICTURES, SAMPLE, STEERSMAN } from "./places";
import { installPseudo, PSEUDO } from "./pseudo";
import { serveTape, type Turn, urlOf } from "./tape";
import { PATIENCE, Window } from "./window";

export interface Scene {
  /** What the model says; none: no model is configured. */
  readonly tape?: readonly Turn[];
  /** Files of the workspace by path; without, the sample shop. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folders of the workspace, by their paths in it; without, it is the one folder. */
  readonly folders?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The models that there are; with them the story hears what each is asked. */
  readonly models?: readonly Listed[];
  /** The texts of the extension are in the language of `pseudo`. */
  readonly pseudo?: boolean;
  /** Where the extensions are, if not where all stories have them. */
  readonly extensions?: string;
}

export interface Stage {
  readonly window: Window;
  readonly workspace: string;
  readonly code: CodeServer;
  /** STEERSMAN_HOME of the server. */
  readonly home: string;
  /** What the models were asked, where the scene has `models`. */
  readonly gateway: Gateway | undefined;
  has(path: string): boolean;
  read(path: string): string;
  write(path: string, text: string): void;
  /** Another window on the same workspace. */
  another(): Promise<Window>;
  /** Keeps a picture of the window. */
  picture(name: string): Promise<void>;
}

let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch({
    timeout: PATIENCE,
    executablePath: CHROMIUM,
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
});

afterAll(() => browser.close());

export function story(name: string, scene: Scene, play: (stage: Stage) => Promise<void>): void {
  test(name, async () => {
    const folder = newFolder("story");
    const closing: (() => Promise<unknown>)[] = [];
    try {
      const stage = await setStage(name, scene, folder, closing);
      await play(stage).catch(async (error: unknown) => {
        console.error(await stage.window.chat.said());
        throw error;
      });
    } finally {
      // Each is closed, and none of it hides why the story failed.
      for (const close of closing.reverse()) await close().catch(console.error);
      // What a closed window has left behind may write a little longer.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }).catch(console.error);
    }
  });
}

async function setStage(
  name: string,
  scene: Scene,
  folder: string,
  closing: (() => Promise<unknown>)[],
): Promise<Stage> {
  const workspace = join(folder, "shop");
  fill(workspace, scene.files);
  const settings: Record<string, unknown> = { "steersman.server.path": STEERSMAN };
  let gateway: Gateway | undefined;
  if (scene.tape) {
    const tape = await serveTape(folder, scene.tape);
    closing.push(() => tape.stop());
    if (scene.models) {
      const made = (gateway = await Gateway.start(urlOf(tape), scene.models));
      closing.push(() => made.stop());
    }
    Object.assign(settings, { "steersman.model": "openai-chat:tape", "steersman.baseUrl": gateway?.url ?? urlOf(tape) });
  }
  const home = join(folder, "steersman-home");
  const data = join(folder, "code");
  const code = await CodeServer.start({
    data,
    settings: { ...settings, ...scene.settings },
    env: { STEERSMAN_HOME: home, ...scene.env },
    ...(scene.extensions === undefined ? {} : { extensions: scene.extensions }),
    ...(scene.pseudo ? { extensions: installPseudo(data), locale: PSEUDO } : {}),
  });
  closing.push(() => code.stop());
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  closing.push(() => context.close());
  closing.push(() => pictureOfFailure(name, context));
  const place = scene.folders ? workspaceOf(scene.folders, workspace) : workspace;
  const window = await Window.open(context, code.url, place);
  return {
    window,
    workspace,
    code,
    home,
    gateway,
    has: (path) => existsSync(join(workspace, path)),
    read: (path) => readFileSync(join(workspace, path), "utf8"),
    write: (path, text) => writeFileSync(join(workspace, path), text),
    another: () => Window.open(context, code.url, place),
    picture: async (picture) => {
      await window.page.screenshot({ path: join(PICTURES, `${picture}.png`) });
    },
  };
}

function workspaceOf(folders: readonly string[], workspace: string): string {
  const file = join(workspace, "several.code-workspace");
  writeFileSync(file, JSON.stringify({ folders: folders.map((path) => ({ path })) }));
  return file;
}

/** How the windows looked at the end: of use where the story failed, and replaced by the next run. */
async function pictureOfFailure(name: string, context: BrowserContext): Promise<void> {
  for (const [index, page] of context.pages().entries()) {
    await page.screenshot({ path: join(PICTURES, `end of ${name.replaceAll(/[^\w ]/g, "")} ${index}.png`) });
  }
}

function fill(workspace: string, files: Readonly<Record<string, string>> | undefined): void {
  if (!files) {
    cpSync(SAMPLE, workspace, { recursive: true });
    return;
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
}

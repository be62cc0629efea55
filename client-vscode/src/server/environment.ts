/** The environment variables of the programs that the extension starts. Pure. */

export type Mode = "read-only" | "ask" | "auto-edit" | "full-auto";
const MODES: readonly Mode[] = ["read-only", "ask", "auto-edit", "full-auto"];

/** What the user has set in the editor; "" is not set. All of it has scope machine: no repository can say it. */
export interface ServerSettings {
  readonly model: string;
  readonly baseUrl: string;
  readonly mode: string;
  /** More variables, for instance of a proxy. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The server's environment: the editor's own, then the settings, then the key, which is kept apart from them. Whatever
 * is said, in a workspace that is not trusted the mode is `ask` at most.
 */
export function serverEnvironment(
  base: NodeJS.ProcessEnv,
  settings: ServerSettings,
  apiKey: string | undefined,
  trusted: boolean,
): NodeJS.ProcessEnv {
  const named = { STEERSMAN_MODEL: settings.model, STEERSMAN_BASE_URL: settings.baseUrl, STEERSMAN_MODE: settings.mode };
  const env: NodeJS.ProcessEnv = {
    ...withoutEditors(base),
    ...settings.env,
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== "")),
    ...(apiKey ? { STEERSMAN_API_KEY: apiKey } : {}),
  };
  if (!trusted && MODES.indexOf(env.STEERSMAN_MODE as Mode) > MODES.indexOf("ask")) env.STEERSMAN_MODE = "ask";
  return env;
}

/**
 * Commands of a run get the server's environment. Those of VS Code's own variables that change what a program does
 * there (an Electron program would run as Node) are not for them.
 */
function withoutEditors(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(base).filter(
    ([name]) => !/^(ELECTRON_|VSCODE_)/.test(name) || name === "VSCODE_IPC_HOOK_CLI",
  );
  return Object.fromEntries(kept);
}

/** For Python that looks for itself, or makes an environment: nothing that was installed elsewhere gets in between. */
export function isolatedEnvironment(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const unwanted = ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PIP_TARGET", "PIP_PREFIX", "PIP_USER", "VIRTUAL_ENV"];
  const kept = Object.entries(withoutEditors(base)).filter(([name]) => !unwanted.includes(name));
  return { ...Object.fromEntries(kept), PYTHONNOUSERSITE: "1" };
}

/** The environment variables of the programs that the extension starts. Pure. */

export type Mode = "read-only" | "ask" | "auto-edit" | "full-auto";
const MODES: readonly Mode[] = ["read-only", "ask", "auto-edit", "full-auto"];

/** What the user has set in the editor; "" is not set. All are machine-scoped settings: no repository can set them. */
export interface ServerSettings {
  readonly model: string;
  readonly baseUrl: string;
  readonly mode: string;
  /** Additional variables, for instance for a proxy. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The server's environment: the editor's own, overridden by the settings and the key, which is stored apart from them. In an
 * untrusted workspace the mode is `ask` at most, whatever these say.
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
 * Without VS Code's own variables. A run's commands inherit the server's environment, and some of these variables change what
 * a program does: an Electron program would run as Node.
 */
function withoutEditors(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(base).filter(
    ([name]) => !/^(ELECTRON_|VSCODE_)/.test(name) || name === "VSCODE_IPC_HOOK_CLI",
  );
  return Object.fromEntries(kept);
}

/** For a Python that is probed or creates an environment: packages that are installed elsewhere stay out of it. */
export function isolatedEnvironment(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const unwanted = ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PIP_TARGET", "PIP_PREFIX", "PIP_USER", "VIRTUAL_ENV"];
  const kept = Object.entries(withoutEditors(base)).filter(([name]) => !unwanted.includes(name));
  return { ...Object.fromEntries(kept), PYTHONNOUSERSITE: "1" };
}

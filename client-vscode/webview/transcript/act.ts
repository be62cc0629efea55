/** How a component asks the host for something: a call whose failure is shown in the view, where its user looks. */

import type { ViewCalls } from "../../src/view/messages";
import type { Bridge } from "../bridge";

/** The calls that a transcript makes, none of which it waits for. */
export type Asked = "continueRun" | "copy" | "fork" | "insertAtCursor" | "openLink" | "remedy" | "showFile";

export type Act = <K extends Asked>(name: K, params: ViewCalls[K]["params"]) => void;

/** `linked`: what to open for a file that is named. */
export function actOn(bridge: Bridge, failed: (message: string) => void, linked: (uri: string) => string): Act {
  return (name, params) => {
    const asked = "uri" in params ? { ...params, uri: linked(params.uri) } : params;
    bridge.call(name, asked).catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)));
  };
}

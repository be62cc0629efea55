/** Starts the page: the bridge to the host, the store, the components. */

import { render } from "preact";
import type { Push } from "../src/view/messages";
import { App } from "./app";
import { Bridge, type Host } from "./bridge";
import { Connection } from "./connection";
import { readBundle, useBundle, useLanguage } from "./l10n";
import { Store } from "./store";

declare function acquireVsCodeApi(): Host;

const bridge = new Bridge(acquireVsCodeApi());
const store = new Store(bridge);
const clock = {
  set: (run: () => void, ms: number) => window.setTimeout(run, ms),
  clear: (timer: number) => window.clearTimeout(timer),
};
const connection = new Connection(bridge, clock, (connected) => store.connection(connected));
window.addEventListener("message", (event: MessageEvent<Push>) => bridge.receive(event.data));
window.addEventListener("focus", () => connection.check());

const root = document.getElementById("app");
if (root) {
  useBundle(readBundle(root.dataset.l10n));
  useLanguage(document.documentElement.lang);
  render(<App store={store} bridge={bridge} />, root);
}
bridge.send({ type: "ready" });

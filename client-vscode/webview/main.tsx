/** Starts the page: the bridge to the host, the store, the components. */

import { render } from "preact";
import type { Push } from "../src/view/messages";
import { App } from "./app";
import { Bridge, type Host } from "./bridge";
import { Store } from "./store";

declare function acquireVsCodeApi(): Host;

const bridge = new Bridge(acquireVsCodeApi());
const store = new Store(bridge);
window.addEventListener("message", (event: MessageEvent<Push>) => bridge.receive(event.data));

const root = document.getElementById("app");
if (root) render(<App store={store} bridge={bridge} />, root);
bridge.send({ type: "ready" });

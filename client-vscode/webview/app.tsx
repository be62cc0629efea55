/** The page: header, transcript, questions, composer. */

import { useState } from "preact/hooks";
import type { Bridge } from "./bridge";
import { type Store, useStore } from "./store";

export function App({ store, bridge }: { store: Store; bridge: Bridge }) {
  const server = useStore(store, (state) => state.server);
  const transcript = useStore(store, (state) => state.transcript);
  const approvals = useStore(store, (state) => state.approvals);
  const [text, setText] = useState("");
  return (
    <main>
      <p>{server.kind === "failed" ? server.problem.message : server.kind}</p>
      {transcript.entries.map((entry) => (
        <p key={entry.id}>{"text" in entry ? entry.text : entry.kind}</p>
      ))}
      {approvals.map(({ request }) => (
        <p key={request.id}>
          {request.title}
          <button onClick={() => void bridge.call("approve", { id: request.id, answer: { decision: "accept" } })}>
            Accept
          </button>
        </p>
      ))}
      <textarea value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <button
        onClick={() => void bridge.call("submit", { draft: { text, images: [] }, when: "now", attach: [] })}
      >
        Send
      </button>
    </main>
  );
}

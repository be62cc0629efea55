/** The server alone, over its pipes: what a run takes without any editor around it. */

import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { STEERSMAN } from "../stories/support/places";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly token?: string; readonly value?: { readonly type?: string } };
  readonly result?: unknown;
}

/** Milliseconds from sending a prompt to its first piece of text, `times` times in one server. */
export async function firstTokens(env: Readonly<Record<string, string>>, folder: string, prompts: readonly string[]): Promise<number[]> {
  const child = spawn(STEERSMAN, ["serve"], { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "ignore"] });
  const messages = framed(child.stdout);
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const until = async (wanted: (message: Message) => boolean): Promise<void> => {
    for (;;) {
      const { value, done } = await messages.next();
      if (done) throw new Error("the server has ended");
      if (wanted(value)) return;
    }
  };
  const initializationOptions = { steersman: { version: "1", eventToken: "bench" } };
  const rootUri = pathToFileURL(folder).href;
  send({ id: 1, method: "initialize", params: { processId: null, rootUri, capabilities: {}, initializationOptions } });
  await until((message) => message.id === 1);
  send({ method: "initialized", params: {} });
  const took: number[] = [];
  for (const [index, prompt] of prompts.entries()) {
    const begun = performance.now();
    send({ id: 2 + index, method: "workspace/executeCommand", params: { command: "steersman.start", arguments: [{ prompt }] } });
    await until((message) => message.params?.value?.type === "message_update");
    took.push(performance.now() - begun);
    await until((message) => message.params?.value?.type === "agent_end");
  }
  child.stdin.end();
  child.kill();
  return took;
}

async function* framed(stream: AsyncIterable<Buffer>): AsyncGenerator<Message, undefined> {
  let buffer = Buffer.alloc(0);
  for await (const data of stream) {
    buffer = Buffer.concat([buffer, data]);
    for (;;) {
      const head = buffer.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.toString("latin1", 0, Math.max(head, 0)))?.[1]);
      if (head < 0 || buffer.length < head + 4 + length) break;
      yield JSON.parse(buffer.toString("utf8", head + 4, head + 4 + length)) as Message;
      buffer = buffer.subarray(head + 4 + length);
    }
  }
  return undefined;
}

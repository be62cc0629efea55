/** Between the server and a tape: it lists the models that a story wants, and hears what each of them is asked. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ReadableStream } from "node:stream/web";

/** A model as OpenRouter lists one. */
export interface Listed {
  readonly id: string;
  /** Tokens. */
  readonly context_length?: number;
}

/** What a model was asked. */
export interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

export class Gateway {
  readonly asked: Asked[] = [];

  private constructor(
    private readonly server: Server,
    private readonly tape: string,
    private readonly models: readonly Listed[],
  ) {}

  /** `tape`: the base URL of what answers. */
  static async start(tape: string, models: readonly Listed[]): Promise<Gateway> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const gateway = new Gateway(server, tape, models);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      gateway.answer(request, response).catch(() => response.destroy());
    });
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** All that the model was told before the messages, of its last request. */
  get system(): string {
    return JSON.stringify(this.asked.at(-1)?.messages.filter(({ role }) => role === "system" || role === "developer"));
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET" && request.url?.endsWith("/models")) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: this.models }));
      return;
    }
    const body = await buffer(request);
    if (request.method === "POST") this.asked.push(JSON.parse(body.toString()) as Asked);
    const url = this.tape + (request.url ?? "").replace(/^\/v1/, "");
    const headers = { "content-type": "application/json" };
    const answer = await fetch(url, { method: request.method ?? "GET", headers, ...(body.length > 0 ? { body } : {}) });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) Readable.fromWeb(answer.body as ReadableStream).pipe(response);
    else response.end();
  }
}

import { expect, test } from "vitest";
import type { Event } from "../../../src/protocol";
import { eventAfter, type EventSource } from "../../../src/sessions/awaited";

class Source implements EventSource {
  state = { kind: "running" };
  private readonly events = new Set<(event: Event) => void>();
  private readonly states = new Set<() => void>();

  onEvent = (listener: (event: Event) => void) => added(this.events, listener);
  onDidChangeState = (listener: () => void) => added(this.states, listener);

  tell(operation: string): void {
    const data = { operation, path: "/x" };
    for (const listener of this.events) listener({ session: "ses_1", ts: 0, type: "export_end", data });
  }

  stop(): void {
    this.state = { kind: "stopped" };
    for (const listener of this.states) listener();
  }

  get listeners(): number {
    return this.events.size + this.states.size;
  }
}

function added<T>(set: Set<T>, one: T): { dispose(): void } {
  set.add(one);
  return { dispose: () => set.delete(one) };
}

const ofOperation = (event: Event, operation: string): string | undefined =>
  event.type === "export_end" && event.data.operation === operation ? event.data.operation : undefined;

test("the end that belongs to the answer is waited for", async () => {
  const source = new Source();
  const end = eventAfter(source, () => Promise.resolve("op_2"), ofOperation);
  source.tell("op_1");
  await Promise.resolve();
  source.tell("op_2");
  expect(await end).toBe("op_2");
  expect(source.listeners).toBe(0);
});

test("an end that overtakes the answer counts", async () => {
  const source = new Source();
  const begin = (): Promise<string> => {
    source.tell("op_1");
    return Promise.resolve("op_1");
  };
  expect(await eventAfter(source, begin, ofOperation)).toBe("op_1");
});

test("a server that goes away ends the waiting, and so does a refusal", async () => {
  const source = new Source();
  const end = eventAfter(source, () => Promise.resolve("op_1"), ofOperation);
  await Promise.resolve();
  source.stop();
  await expect(end).rejects.toThrow("The server has stopped.");
  await expect(eventAfter(source, () => Promise.reject(new Error("locked")), ofOperation)).rejects.toThrow("locked");
  expect(source.listeners).toBe(0);
});

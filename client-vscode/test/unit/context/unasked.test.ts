import { expect, test } from "vitest";
import { sendWith } from "../../../src/context/unasked";
import type { ContextParams } from "../../../src/protocol";
import { Refused, type RefusalCode } from "../../../src/server/refused";

const span = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
const context: ContextParams = {
  selections: [{ uri: "file:///.env", range: span }],
  images: [{ data: "", mimeType: "image/png" }],
};

/** A server that refuses messages with a selection, or all. */
function server(code: RefusalCode, all = false) {
  const sent: ContextParams[] = [];
  const send = (given: ContextParams): Promise<string> => {
    sent.push(given);
    return given.selections || all ? Promise.reject(new Refused("no", code)) : Promise.resolve("sent");
  };
  return { sent, send };
}

test("a selection in a denied file that nobody has named is left out", async () => {
  const { sent, send } = server("denied");
  expect(await sendWith(context, false, send)).toBe("sent");
  expect(sent).toEqual([context, { images: context.images }]);
});

test("a selection that was named is refused as it is", async () => {
  const { sent, send } = server("denied");
  await expect(sendWith(context, true, send)).rejects.toThrow("no");
  expect(sent).toHaveLength(1);
});

test("another refusal, or a message without a selection, is not sent twice", async () => {
  const busy = server("busy");
  await expect(sendWith(context, false, busy.send)).rejects.toThrow("no");
  const denied = server("denied", true);
  await expect(sendWith({}, false, denied.send)).rejects.toThrow("no");
  expect([busy.sent.length, denied.sent.length]).toEqual([1, 1]);
});

test("a message that mentions a denied file is refused all the same", async () => {
  const { sent, send } = server("denied", true);
  await expect(sendWith(context, false, send)).rejects.toThrow("no");
  expect(sent).toHaveLength(2);
});

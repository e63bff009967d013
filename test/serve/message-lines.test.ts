/** What goes on of the lines that a client writes into a pipe, and what is said to the others. */
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { Refusal } from "../../src/serve/wire/incoming.ts";
import { LineTransport } from "../../src/serve/wire/line-transport.ts";
import { MessageLines } from "../../src/serve/wire/message-lines.ts";

async function through(
  ...chunks: readonly string[]
): Promise<{ messages: readonly unknown[]; refusals: readonly Refusal[] }> {
  const refusals: Refusal[] = [];
  const lines = new MessageLines(async (refusal) => void refusals.push(refusal));
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  const messages: unknown[] = [];
  for await (const message of lines) messages.push(message);
  return { messages, refusals };
}

const call = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_markets","arguments":${args}}}`;

it("passes a message on as it was written, however the line was split, also the last one without an end", async () => {
  const odd = call('{ "search" : "\\"__proto\\": is only text, 호가" }');
  const { messages, refusals } = await through(`\n${odd.slice(0, 50)}`, `${odd.slice(50)}\r\n  \n`, odd);
  expect([messages, refusals]).toEqual([[JSON.parse(odd), JSON.parse(odd)], []]);
});

it("shows the key that parsers drop, and refuses what is nested too deeply, in a line that is split", async () => {
  const hidden = call('{"__proto__":1}');
  const { messages } = await through(hidden.slice(0, 90), `${hidden.slice(90)}\n`);
  expect(messages).toEqual([JSON.parse(call('{"__proto__ (not a field)":1}'))]);
  const { refusals } = await through(`${call(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`)}\n`);
  expect(refusals).toMatchObject([{ id: 1, error: { code: -32_600, message: expect.stringContaining("64 levels") } }]);
});

it("does not keep a line that is too long, answers it once, and goes on with the next", async () => {
  const long = "x".repeat(2_500_000);
  const chunks = [long.slice(0, 1_200_000), long.slice(1_200_000), `${long}\n${call("{}")}\n`];
  const { messages, refusals } = await through(...chunks);
  expect(messages).toEqual([JSON.parse(call("{}"))]);
  expect(refusals).toMatchObject([{ id: null, error: { code: -32_600 } }]);
  expect((await through(`${long}\n`)).refusals).toHaveLength(1);
});

it("reads nothing more while the client does not take what it is told", async () => {
  let takes: () => void = () => undefined;
  let told = 0;
  const lines = new MessageLines(async () => {
    told += 1;
    await new Promise<void>((resolve) => {
      takes = resolve;
    });
  });
  lines.write("not JSON\n");
  lines.write("not JSON\n");
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toBe(1);
  takes();
  await expect.poll(() => told).toBe(2);
});

it("hands the SDK what it takes for a message alone, goes on behind a defect, and ends with the input", async () => {
  const lines = new MessageLines(async () => undefined);
  const transport = new LineTransport(lines, new PassThrough());
  const seen: unknown[] = [];
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  transport.onerror = ({ message }) => seen.push(message);
  transport.onmessage = (message) => {
    if ("result" in message) throw new Error("a defect");
    seen.push(message);
  };
  await transport.start();
  const request = { jsonrpc: "2.0", id: 1, method: "ping" };
  const given = [
    { ...request, params: { _meta: 5 } },
    { jsonrpc: "2.0", id: 1, result: {}, more: 1 },
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    request,
  ];
  lines.end(given.map((message) => JSON.stringify(message)).join("\n"));
  await ended;
  const none = "this is no message of JSON-RPC";
  expect(seen).toEqual([none, none, "a defect", ...given.slice(3)]);
  await expect(transport.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow("closed");
});

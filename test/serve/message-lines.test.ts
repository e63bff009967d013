/** What goes on of the lines that a client writes into a pipe, and what is said to the others. */
import { expect, it } from "vitest";
import type { Refusal } from "../../src/serve/wire/incoming.ts";
import { MessageLines } from "../../src/serve/wire/message-lines.ts";

async function through(...chunks: readonly string[]): Promise<{ text: string; refusals: readonly Refusal[] }> {
  const refusals: Refusal[] = [];
  const lines = new MessageLines(async (refusal) => void refusals.push(refusal));
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  let text = "";
  for await (const part of lines) text += String(part);
  return { text, refusals };
}

const call = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_markets","arguments":${args}}}`;

it("passes a message on as it was written, however the line was split, also the last one without an end", async () => {
  const odd = call('{ "search" : "\\"__proto\\": is only text, 호가" }');
  const { text, refusals } = await through(`\n${odd.slice(0, 50)}`, `${odd.slice(50)}\r\n  \n`, odd);
  expect([text, refusals]).toEqual([`${odd}\r\n${odd}\n`, []]);
});

it("shows the key that parsers drop, and refuses what is nested too deeply, in a line that is split", async () => {
  const hidden = call('{"__proto__":1}');
  const { text } = await through(hidden.slice(0, 90), `${hidden.slice(90)}\n`);
  expect(text).toBe(`${call('{"__proto__ (not a field)":1}')}\n`);
  const { refusals } = await through(`${call(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`)}\n`);
  expect(refusals).toMatchObject([{ id: 1, error: { code: -32_600, message: expect.stringContaining("64 levels") } }]);
});

it("does not keep a line that is too long, answers it once, and goes on with the next", async () => {
  const long = "x".repeat(2_500_000);
  const chunks = [long.slice(0, 1_200_000), long.slice(1_200_000), `${long}\n${call("{}")}\n`];
  const { text, refusals } = await through(...chunks);
  expect(text).toBe(`${call("{}")}\n`);
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

/** How answers leave over standard output: those of one turn of the event loop together, and all of them before the end. */
import { PassThrough, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { serveOverStdio } from "../../src/serve/index.ts";

const desk = { environment: "sandbox", unit: "KRW" } as unknown as Desk;
const signals = { once: () => undefined, off: () => undefined };
const clientInfo = { name: "test", version: "1" };
const greeting = { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } };
const COUNT = 20;

// Loaded by the first message otherwise, for as long as that takes.
beforeAll(() => import("../../src/serve/stdio/stdio-session.ts"));

function connection() {
  const writes: string[] = [];
  const stdin = new PassThrough();
  const stdout = new Writable({
    decodeStrings: false,
    write: (chunk: string, _, done) => {
      writes.push(chunk);
      done();
    },
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(""));
      done();
    },
  });
  const serving = serveOverStdio(async () => createMcpServer({ desk, version: "0.0.0" }), { stdin, stdout, signals });
  const ask = (requests: readonly object[]) =>
    stdin.write(requests.map((request) => `${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`).join(""));
  const ids = () => (writes.join("").match(/"id":\d+/g) ?? []).map((text) => Number(text.slice(5)));
  return { writes, serving, ask, ids };
}

const pings = Array.from({ length: COUNT }, (_, at) => ({ id: at + 1, method: "ping" }));

it("are written together where they are there in one turn, each once and in their order", async () => {
  const { writes, serving, ask, ids } = connection();
  ask([{ id: 0, ...greeting }]);
  while (ids().length === 0) await nextTurn();
  const before = writes.length;
  ask(pings);
  while (ids().length <= COUNT) await nextTurn();
  expect(ids()).toEqual([0, ...pings.map(({ id }) => id)]);
  expect(writes.length - before).toBeLessThan(COUNT / 2);
  await serving.close();
});

it("are out when the connection has been closed, also those of that very turn", async () => {
  const { serving, ask, ids } = connection();
  ask([{ id: 0, ...greeting }]);
  while (ids().length === 0) await nextTurn();
  ask(pings);
  await serving.close();
  expect(ids()).toHaveLength(COUNT + 1);
});

/** How long a request waited before it could be written, which the measurement of the venue's clock leaves out. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { UndiciTransport } from "../../src/transport/request/undici-transport.ts";

/** More than there are connections. */
const REQUESTS = 33;
const ANSWER_MS = 200;

let server: Server;
let transport: UndiciTransport;
beforeEach(async () => {
  server = createServer((_, response) => void pause(ANSWER_MS).then(() => response.end("{}")));
  await once(server.listen(0, "127.0.0.1"), "listening");
  transport = new UndiciTransport({ connectMs: 2_000, headersMs: 2_000, bodyMs: 2_000, bodyBytesMax: 100 });
});
afterEach(async () => {
  await transport.close();
  server.closeAllConnections();
  await once(server.close(), "close");
});

it("an answer says how long its request waited for a connection, and not how long it was answered", async () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const waited = await Promise.all(
    Array.from({ length: REQUESTS }, async () => {
      const askedMs = performance.now();
      const outcome = await transport.send({ origin, method: "GET", path: "/", headers: {}, totalMs: 10_000 });
      if (outcome.kind !== "answer") return expect.fail(outcome.kind);
      return { waitedMs: outcome.waitedMs ?? Number.NaN, tookMs: performance.now() - askedMs };
    }),
  );
  for (const { waitedMs, tookMs } of waited) expect(tookMs - waitedMs).toBeGreaterThan(ANSWER_MS - 10);
  const longest = Math.max(...waited.map(({ waitedMs }) => waitedMs));
  expect(longest).toBeGreaterThan(ANSWER_MS - 10);
});

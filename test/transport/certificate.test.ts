/** Over TLS the venue has to be who it says, whatever the environment says of that. */
import { once } from "node:events";
import { createServer, get, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { UndiciTransport } from "../../src/transport/request/undici-transport.ts";
import { webSocket } from "../../src/transport/socket/web-socket.ts";
import { SELF_SIGNED } from "./self-signed.ts";

let server: Server;
let origin: string;
/** Requests that arrived, with whatever was in their headers. */
let arrived: number;
beforeEach(async () => {
  // Node reads it at every connection; it warns of it once.
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  vi.spyOn(process, "emitWarning").mockReturnValue(undefined);
  arrived = 0;
  server = createServer(SELF_SIGNED, (_, response) => {
    arrived += 1;
    response.end("{}");
  });
  server.on("upgrade", (_, socket) => {
    arrived += 1;
    socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  server.closeAllConnections();
  await once(server.close(), "close");
});

it("a request is not sent to a venue that nobody vouches for, also where NODE_TLS_REJECT_UNAUTHORIZED is 0", async () => {
  const transport = new UndiciTransport({ connectMs: 2_000, headersMs: 2_000, bodyMs: 2_000, bodyBytesMax: 100 });
  const headers = { "api-key": "key" };
  const outcome = await transport.send({ origin, method: "POST", path: "/v1/orders", headers, totalMs: 2_000 });
  expect(outcome).toEqual({ kind: "not_sent" });
  expect(arrived).toBe(0);
  await transport.close();
});

it("nor is the stream opened there", async () => {
  const why = await new Promise<string>((resolve) => {
    webSocket(origin.replace("https", "wss"), {
      opened: () => resolve("opened"),
      message: () => undefined,
      closed: resolve,
    });
  });
  expect(why).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  expect(arrived).toBe(0);
});

it("which others would send to: the variable works", async () => {
  const status = await new Promise((resolve) => {
    get(origin, { agent: false }, (response) => resolve(response.resume().statusCode));
  });
  expect({ status, arrived }).toEqual({ status: 200, arrived: 1 });
});

/**
 * A scripted venue: a loopback server that answers each request as the test says, and records every request. It answers reads of
 * its clock by itself, in either API, and records them separately, so that counts are of what the test is about.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ClientOptions } from "../../../src/venues/hoga/api-client.ts";
import { OpenApiClient } from "../../../src/venues/index.ts";

export interface Arrival {
  readonly line: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type Behaviour = (response: ServerResponse, arrival: Arrival, request: IncomingMessage) => void;

export interface Wire {
  readonly url: string;
  readonly arrivals: Arrival[];
  readonly clockReads: Arrival[];
  /** One entry per request; the last one stays. */
  script: Behaviour[];
  clock: Behaviour;
  close(): Promise<void>;
}

export const answer =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    // Tests have their own clocks.
    response.sendDate = false;
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
  };

export const refuse = (
  code: string,
  status: number,
  rest: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Behaviour => answer({ error: { code, message: "the venue's words", request_id: "r-1", ...rest } }, status, headers);

export const hang: Behaviour = () => {};
export const reset: Behaviour = (_, __, request) => request.socket.resetAndDestroy();
/** Reads the request, then closes the connection without an answer. */
export const hangUp: Behaviour = (_, __, request) => request.socket.end();
export const garble: Behaviour = (_, __, request) => request.socket.end("\u0000\u0001 not http at all\r\n\r\n");
export const html: Behaviour = (response) =>
  response.writeHead(200, { "content-type": "text/html" }).end("<html>maintenance</html>");
export const cut =
  (body: unknown): Behaviour =>
  (response, _, request) => {
    const text = JSON.stringify(body);
    response.writeHead(200, { "content-length": String(text.length) });
    response.write(text.slice(0, text.length - 2), () => setTimeout(() => request.socket.destroy(), 20));
  };
/** Headers and the beginning of a body, then silence. */
export const stall: Behaviour = (response) => {
  response.writeHead(200, { "content-length": "1000" }).write("{");
};
export const flood: Behaviour = (response) => {
  response.writeHead(200);
  const chunk = Buffer.alloc(1024 * 1024, 32);
  const pour = (): void => {
    if (!response.destroyed) response.write(chunk, pour);
  };
  response.on("error", () => {});
  pour();
};

export async function startWire(...script: Behaviour[]): Promise<Wire> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const line = `${request.method} ${request.url}`;
      const arrival = { line, headers: request.headers, body: Buffer.concat(chunks).toString() };
      const isClock = /\/v1\/time$|\/0\/public\/Time$/.test(line);
      (isClock ? wire.clockReads : wire.arrivals).push(arrival);
      const behaviour = isClock ? wire.clock : wire.script.length > 1 ? wire.script.shift() : wire.script[0];
      behaviour?.(response, arrival, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const wire: Wire = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    clockReads: [],
    script,
    clock: (response, arrival, request) => {
      const now = Date.now();
      const time = { iso: new Date(now).toISOString(), unix_ms: now };
      const dialect = { unixtime: Math.floor(now / 1000), rfc1123: new Date(now).toUTCString(), ...time };
      answer(request.url === "/v1/time" ? time : { error: [], result: dialect })(response, arrival, request);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return wire;
}

/** A well-formed key. The secret must not appear in any output. */
export const KEY = "test-key-1";
export const SECRET = Buffer.from("canary-secret-of-the-client-tests").toString("base64");

export function clientOf(wire: { url: string }, options: Partial<ClientOptions> = {}): OpenApiClient {
  return new OpenApiClient({
    environment: "sandbox",
    baseUrl: wire.url,
    credentials: { apiKey: KEY, apiSecret: SECRET },
    random: () => 0,
    ...options,
  });
}

export const orderBody = {
  symbol: "BTC/KRW",
  side: "buy",
  type: "limit",
  volume: "0.015",
  price: "95000000",
  userref: "desk-1",
} as const;

export const accounts = {
  account_id: "acc-1",
  balances: [{ asset: "KRW", total: "10", available: "10", locked: "0" }],
};

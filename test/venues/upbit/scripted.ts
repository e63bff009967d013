/** A loopback server that answers each request as the test says, and the venue that talks to it. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
// Loaded before the first request, whose time it would take.
import "undici";
import { type UpbitOptions, UpbitVenue } from "../../../src/venues/index.ts";

export type Behaviour = (response: ServerResponse, line: string) => void;

export const reply =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  };
export const refuse = (name: string | number, status = 400, message = "their words"): Behaviour =>
  reply({ error: { name, message } }, status);
export const hang: Behaviour = () => {};

export async function world(options: Partial<UpbitOptions> = {}) {
  const lines: string[] = [];
  const bodies: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const state: { answer: Behaviour } = { answer: hang };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const line = `${request.method} ${request.url}`;
      lines.push(line);
      bodies.push(body);
      headers.push(request.headers);
      state.answer(response, line);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const venue = new UpbitVenue({
    environment: "sandbox",
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { apiKey: "key-1", apiSecret: "canary-secret" },
    random: () => 0,
    timeouts: { totalMs: 800, deadlineMs: 900 },
    ...options,
  });
  const close = async (): Promise<void> => {
    await venue.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { venue, lines, bodies, headers, state, close };
}

export const ID = "9ca023a5-851b-4fec-9f0a-48cd83c2eaae";

/** The documented example of one order, retyped. */
export const detail = {
  ...{ market: "KRW-BTC", uuid: ID, side: "ask", ord_type: "limit", price: "140000000", state: "done" },
  ...{ created_at: "2025-07-04T15:00:00+09:00", volume: "1.0", remaining_volume: "0.0", executed_volume: "1.0" },
  ...{ reserved_fee: "0.0", remaining_fee: "0.0", paid_fee: "70000.0", locked: "0.0", trades_count: 2 },
  ...{ prevented_volume: "0", prevented_locked: "0", identifier: "hg0123456789abcdef" },
  trades: [
    {
      ...{ market: "KRW-BTC", uuid: "t-1", price: "140000000", volume: "0.3", funds: "42000000.0", side: "ask" },
      created_at: "2025-07-04T15:00:02+09:00",
    },
    {
      ...{ market: "KRW-BTC", uuid: "t-2", price: "140000000", volume: "0.7", funds: "98000000.0", side: "ask" },
      created_at: "2025-07-04T15:00:03+09:00",
    },
  ],
};

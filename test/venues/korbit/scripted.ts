/** A loopback server that answers each request as the test says, and the venue that talks to it. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
// Loaded before the first request, whose time it would take.
import "undici";
import { type KorbitOptions, KorbitVenue } from "../../../src/venues/korbit/venue.ts";

type Behaviour = (response: ServerResponse, line: string) => void;

export const reply =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  };
export const good = (data: unknown): Behaviour => reply({ success: true, data });
export const refuse = (name: string, status = 400): Behaviour =>
  reply({ success: false, error: { code: status, message: name, description: "their words" } }, status);
export const hang: Behaviour = () => {};
/** For what is not answered. */
export const IMPATIENT = { timeouts: { totalMs: 800, deadlineMs: 900 } };

/** The first part of a line that fits decides; its time is asked for once, and answered unless a test answers it. */
export const routes =
  (...table: readonly (readonly [part: string, behaviour: Behaviour])[]): Behaviour =>
  (response, line) =>
    (table.find(([part]) => line.includes(part))?.[1] ?? refuse("BAD_REQUEST"))(response, line);

export async function world(options: Partial<KorbitOptions> = {}) {
  const lines: string[] = [];
  const bodies: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const state: { answer: Behaviour; ahead: number } = { answer: hang, ahead: 0 };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const line = `${request.method} ${request.url}`;
      if (line === "GET /v2/time") return good({ time: Date.now() + state.ahead })(response, line);
      // What signs differs from call to call.
      lines.push(line.replace(/[?&]timestamp=.*$/, ""));
      bodies.push(body);
      headers.push(request.headers);
      state.answer(response, line);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const venue = new KorbitVenue({
    environment: "sandbox",
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { apiKey: "key-1", apiSecret: "canary-secret" },
    random: () => 0,
    timeouts: { totalMs: 10_000, deadlineMs: 20_000 },
    ...options,
  });
  const close = async (): Promise<void> => {
    await venue.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { venue, lines, bodies, headers, state, close };
}

/** The documented example of one order, retyped. */
export const detail = {
  ...{ orderId: 1234, clientOrderId: "20141231-155959-abcdef", symbol: "btc_krw", orderType: "limit", side: "buy" },
  ...{ timeInForce: "gtc", avgPrice: "5000", price: "5000", qty: "10", filledQty: "1", filledAmt: "5000" },
  ...{ createdAt: 1_700_000_000_000, lastFilledAt: 1_700_000_000_000, status: "partiallyFilled" },
};

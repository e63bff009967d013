/** A loopback server that answers each request as the test says, and the venue that talks to it. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
// Loaded before the first request, whose time it would take.
import "undici";
import { type CoinoneOptions, CoinoneVenue } from "../../../src/venues/coinone/venue.ts";

export interface Heard {
  readonly line: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}
export type Behaviour = (response: ServerResponse, heard: Heard) => void;

export const reply =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  };
export const success = (fields: object): Behaviour => reply({ result: "success", error_code: "0", ...fields });
/** As the exchange refuses: with a status of success. */
export const refuse = (error_code: string, status = 200): Behaviour =>
  reply({ result: "error", error_code, error_msg: "their words" }, status);
export const hang: Behaviour = () => {};

export async function world(options: Partial<CoinoneOptions> = {}) {
  const heard: Heard[] = [];
  const state: { answer: Behaviour } = { answer: hang };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const one = { line: `${request.method} ${request.url}`, body, headers: request.headers };
      heard.push(one);
      state.answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const venue = new CoinoneVenue({
    environment: "sandbox",
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { apiKey: "token-1", apiSecret: "canary-secret" },
    random: () => 0,
    timeouts: { totalMs: 800, deadlineMs: 900 },
    ...options,
  });
  const close = async (): Promise<void> => {
    await venue.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  /** What was asked for, without what every call has. */
  const asked = () =>
    heard.map(({ line, body }) => {
      const { access_token: _token, nonce: _nonce, ...fields } = body === "" ? {} : JSON.parse(body);
      return Object.keys(fields).length === 0 ? line : `${line} ${JSON.stringify(fields)}`;
    });
  return { venue, heard, asked, state, close };
}

export const ID = "0f1c26d0-1e4d-11e9-9ec7-00e04c3600d7";
export const NAME = "hg0123456789abcdef";

/** The examples of the exchange's pages, retyped: a limit order that was canceled without a fill. */
export const limit = {
  ...{ order_id: ID, type: "LIMIT", quote_currency: "KRW", target_currency: "BTC", status: "CANCELED", side: "BUY" },
  ...{ fee: "0", fee_rate: "0.0", average_executed_price: "0", updated_at: 1680055490000, ordered_at: 1680051059000 },
  ...{ price: "100000", original_qty: "1", executed_qty: "0", canceled_qty: "1", remain_qty: "0" },
  ...{ limit_price: null, traded_amount: null, original_amount: null, canceled_amount: null },
  ...{ is_triggered: null, trigger_price: null },
};
/** A market buy that has left what buys nothing. */
export const marketBuy = {
  ...{ ...limit, type: "MARKET", status: "CANCELED_UNDER_PRODUCT_UNIT", fee: "1999.9999" },
  ...{ average_fee_rate: "0.002", average_executed_price: "29959000", updated_at: 1686133903000, price: null },
  ...{
    ordered_at: 1686133903000,
    original_qty: null,
    executed_qty: "0.03337895",
    canceled_qty: null,
    remain_qty: null,
  },
  ...{ limit_price: "40000000", traded_amount: "999999.963", original_amount: "1000000", canceled_amount: "0.0369" },
};
export const marketSell = {
  ...{ ...limit, type: "MARKET", status: "FILLED", side: "SELL", fee: "73.36", fee_rate: "0.002" },
  ...{ average_executed_price: "36680000", updated_at: 1682385152000, ordered_at: 1682385152000, price: null },
  ...{ original_qty: "0.001", executed_qty: "0.001", canceled_qty: "0", remain_qty: null, limit_price: "0.0001" },
};
export const active = {
  ...{ order_id: "0f43763c-1e4d-11e9-9ec7-00e04c3600d7", type: "LIMIT", quote_currency: "KRW", target_currency: "ETH" },
  ...{ price: "1500000", remain_qty: "30.1234", original_qty: "30.1234", canceled_qty: "0", executed_qty: "0" },
  ...{ side: "BUY", fee: "0", fee_rate: "0.0", average_executed_price: "0", ordered_at: 1681979405000 },
  ...{ is_triggered: null, trigger_price: null, triggered_at: null },
};
export const fill = {
  ...{ trade_id: "0e2bb80f-1e4d-11e9-9ec7-00e04c3600d1", order_id: "0e2b9627-1e4d-11e9-9ec7-00e04c3600d2" },
  ...{ quote_currency: "KRW", target_currency: "BTC", order_type: "LIMIT", is_ask: true, is_maker: true },
  ...{ price: "8420", qty: "0.1599", timestamp: 1651202074230, fee_rate: "0.001", fee: "162", fee_currency: "KRW" },
};
export const canceled = {
  ...{ order_id: ID, price: "26231000.0", qty: "0.002", remain_qty: "0.0", side: "BUY", original_qty: "0.005" },
  ...{ traded_qty: "0.003", canceled_qty: "0.002", fee: "26231.0", fee_rate: "0.001", avg_price: "26231000.0" },
  ...{ canceled_at: 1650525935, ordered_at: 1650125935 },
};

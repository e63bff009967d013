/** A loopback exchange that answers at once with fixed bytes, so that only the caller's own time is measured. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ORDER_ID, order } from "../test/fixture/order-sample.ts";

const market = {
  symbol: "BTC/KRW",
  base: "BTC",
  quote: "KRW",
  korean_name: "비트코인",
  english_name: "Bitcoin",
  status: "trading",
  min_volume: "0.0001",
  min_notional: "5000",
  tick_size: "1000",
  tick_bands: [{ from_price: "0", tick_size: "1000" }],
  price_decimals: 0,
  volume_decimals: 8,
  maker_fee_rate: "0.0005",
  taker_fee_rate: "0.0005",
};

const ticker = {
  symbol: "BTC/KRW",
  last: "150000000",
  open: "149000000",
  high: "151000000",
  low: "148000000",
  volume: "12.5",
  quote_volume: "1875000000",
  change: "1000000",
  change_rate: "0.00671141",
  best_bid: "149999000",
  best_ask: "150000000",
  time: order.created_at,
};

/** The order that the benchmark places. */
const placed = {
  ...order,
  price: "149000000",
  volume: "0.001",
  remaining_volume: "0.001",
  descr: { order: "buy 0.00100000 BTC/KRW @ limit 149000000" },
};

/** Whatever is asked for, the book is as fresh as the answer. */
function orderbook(): string {
  const tick = { buys: [[ticker.best_bid, "3"]], asks: [[ticker.best_ask, "3"]] };
  return JSON.stringify({ symbol: market.symbol, seq: 1, tick, time: new Date().toISOString() });
}

const fixed: Readonly<Record<string, string>> = {
  "/v1/markets": JSON.stringify({ markets: [market] }),
  "/v1/tickers": JSON.stringify({ tickers: [ticker] }),
  "/v1/accounts": JSON.stringify({
    account_id: "bench",
    balances: [{ asset: "KRW", total: "10000000", available: "10000000", locked: "0" }],
  }),
};

let orders = 0;

/** Each order gets an id of its own, as the store insists on it. */
function created(body: string): string {
  const { userref } = JSON.parse(body) as { readonly userref?: string };
  orders += 1;
  const id = `${ORDER_ID.slice(0, 24)}${orders.toString(16).padStart(12, "0")}`;
  return JSON.stringify({ ...placed, userref: userref ?? null, uuid: id, orderId: id, txid: [id] });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

export interface FixedExchange {
  readonly url: string;
  close(): void;
}

export async function startFixedExchange(): Promise<FixedExchange> {
  const answerRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const body = await textOf(request);
    const now = Date.now();
    const answer =
      path === "/v1/time"
        ? JSON.stringify({ iso: new Date(now).toISOString(), unix_ms: now })
        : request.method === "POST"
          ? created(body)
          : path.startsWith("/v1/orderbook/")
            ? orderbook()
            : (fixed[path] ?? "{}");
    response.writeHead(request.method === "POST" ? 201 : 200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(answer),
      "api-version": "1.4.0",
    });
    response.end(answer);
  };
  const server = createServer((request, response) => {
    answerRequest(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

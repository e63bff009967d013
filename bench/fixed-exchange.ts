/** A loopback exchange that answers at once with fixed bytes, so that only the caller's own time is measured; the ticker also as the peer's exchange has it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { market, placedOrder, textOf, ticker } from "../test/fixture/order-sample.ts";

/** Whatever is asked for, the book is as fresh as the answer. */
function orderbook(): string {
  const tick = { buys: [[ticker.best_bid, "3"]], asks: [[ticker.best_ask, "3"]] };
  return JSON.stringify({ symbol: market.symbol, seq: 1, tick, time: new Date().toISOString() });
}

/** Everybody else's last trade, a moment ago. */
function trades(): string {
  const trade = {
    trade_id: "1",
    symbol: market.symbol,
    price: ticker.last,
    volume: "1",
    side: "buy",
    time: new Date().toISOString(),
  };
  return JSON.stringify({ symbol: market.symbol, trades: [trade] });
}

const fixed: Readonly<Record<string, string>> = {
  "/v1/markets": JSON.stringify({ markets: [market] }),
  "/v1/tickers": JSON.stringify({ tickers: [ticker] }),
  "/api/v5/market/ticker": JSON.stringify({
    ...{ code: "0", msg: "" },
    data: [{ instType: "SPOT", instId: "BTC-USDT", last: "100", bidPx: "99.9", askPx: "100.1", ts: "1790000000000" }],
  }),
  "/v1/accounts": JSON.stringify({
    account_id: "bench",
    balances: [{ asset: "KRW", total: "10000000", available: "10000000", locked: "0" }],
  }),
};

let orders = 0;

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
          ? JSON.stringify(placedOrder(body, ++orders))
          : path.startsWith("/v1/orderbook/")
            ? orderbook()
            : path.startsWith("/v1/trades/BTC")
              ? trades()
              : (fixed[path] ?? "{}");
    response.writeHead(request.method === "POST" ? 201 : 200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(answer),
      "api-version": "1.4.0",
      // Without it hoga takes the address for one where money may be real, and asks a person.
      "api-sandbox": "true",
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

/** A desk that is opened by its first use: every method waits for the real one. */
import type { Desk } from "../desk/index.ts";

export function deferredDesk(opened: () => Promise<Desk>, known: Pick<Desk, "environment" | "profile">): Desk {
  return {
    ...known,
    market: async (symbol) => (await opened()).market(symbol),
    markets: async (search) => (await opened()).markets(search),
    tickers: async (symbols) => (await opened()).tickers(symbols),
    orderbook: async (symbol, depth) => (await opened()).orderbook(symbol, depth),
    trades: async (symbol, limit) => (await opened()).trades(symbol, limit),
    candles: async (symbol, interval, period) => (await opened()).candles(symbol, interval, period),
    balances: async () => (await opened()).balances(),
    orders: async (request) => (await opened()).orders(request),
    order: async (name) => (await opened()).order(name),
    fills: async (request) => (await opened()).fills(request),
    preview: async (request) => (await opened()).preview(request),
    place: async (request) => (await opened()).place(request),
    cancel: async (name) => (await opened()).cancel(name),
    cancelAll: async (symbol) => (await opened()).cancelAll(symbol),
    awaitOrder: async (request) => (await opened()).awaitOrder(request),
    status: async () => (await opened()).status(),
    reconcile: async () => (await opened()).reconcile(),
  };
}

/**
 * A desk that is opened by its first use: every method waits for the real one. Where it cannot be opened the answer is a
 * fault, and a write truthfully says that nothing was sent.
 */
import { failed, localFault, ok, type Result } from "../contract/index.ts";
import { type Desk, deniedReport, reportError } from "../desk/index.ts";
import { isExplained } from "./failure.ts";

export function deferredDesk(open: () => Promise<Desk>, known: Pick<Desk, "environment" | "profile">): Desk {
  const stamp = { environment: known.environment, account: "unknown" };
  const opened = async (): Promise<Result<Desk>> => {
    try {
      return ok(await open());
    } catch (error) {
      if (!isExplained(error)) throw error;
      return failed(
        localFault("ELocal:Not started", { message: `${error.message} Nothing was sent.`, nextAction: error.fix }),
      );
    }
  };
  const use = async <T>(look: (desk: Desk) => Promise<Result<T>>): Promise<Result<T>> => {
    const desk = await opened();
    return desk.ok ? look(desk.value) : desk;
  };
  return {
    ...known,
    market: (symbol) => use((desk) => desk.market(symbol)),
    markets: (search) => use((desk) => desk.markets(search)),
    tickers: (symbols) => use((desk) => desk.tickers(symbols)),
    orderbook: (symbol, depth) => use((desk) => desk.orderbook(symbol, depth)),
    trades: (symbol, limit) => use((desk) => desk.trades(symbol, limit)),
    candles: (symbol, interval, period) => use((desk) => desk.candles(symbol, interval, period)),
    balances: () => use((desk) => desk.balances()),
    orders: (request) => use((desk) => desk.orders(request)),
    order: (name) => use((desk) => desk.order(name)),
    fills: (request) => use((desk) => desk.fills(request)),
    preview: (request) => use((desk) => desk.preview(request)),
    awaitOrder: (request) => use((desk) => desk.awaitOrder(request)),
    place: async (request) => {
      const desk = await opened();
      return desk.ok ? desk.value.place(request) : deniedReport(stamp, desk.fault);
    },
    cancel: async (name) => {
      const desk = await opened();
      return desk.ok ? desk.value.cancel(name) : deniedReport(stamp, desk.fault);
    },
    cancelAll: async (symbol) => {
      const desk = await opened();
      if (desk.ok) return desk.value.cancelAll(symbol);
      const { state: _denied, ...report } = deniedReport(stamp, desk.fault);
      return { ...report, results: [], canceled: 0, remaining: null };
    },
    status: async () => {
      const desk = await opened();
      if (desk.ok) return desk.value.status();
      const unopened = {
        venue: "down",
        clock_offset_ms: null,
        can_trade: false,
        unresolved: [],
        warnings: [],
      } as const;
      return { ...known, ...stamp, ...unopened, error: reportError(desk.fault) };
    },
    reconcile: async () => {
      const desk = await opened();
      if (desk.ok) return desk.value.reconcile();
      return { checked: 0, accepted: 0, not_placed: 0, still_unknown: 0, fault: desk.fault };
    },
  };
}

import { describe, expect, it } from "vitest";
import {
  FAULT_CODES,
  TRADING_OPERATION_IDS,
  TRADING_OPERATIONS,
  type TradingOperation,
  type TradingOperationId,
  tradingPath,
} from "../../../src/contract/index.ts";

const COMPLIANCE = {
  vasp_purpose_code: "P2B_TRADE",
  originator_vasp_id: "VASP-KR-1",
  kyc_level: "TIER2",
  settlement_mode: "INSTANT_KRW",
};
const LIMIT = { pair: "BTC/KRW", type: "buy", ordertype: "limit", volume: "0.015", price: "95000000", ...COMPLIANCE };

const accepts = (id: TradingOperationId, request: object): boolean =>
  TRADING_OPERATIONS[id].request.safeParse(request).success;

describe("the operations", () => {
  it("are those of the service, at the dialect's paths, with their weights", () => {
    const table = TRADING_OPERATION_IDS.map((id) => [tradingPath(id), TRADING_OPERATIONS[id].weight]);
    expect(table).toEqual([
      ["/0/public/Time", 1],
      ["/0/public/SystemStatus", 1],
      ["/0/public/Assets", 1],
      ["/0/public/AssetPairs", 1],
      ["/0/public/Ticker", 1],
      ["/0/public/OHLC", 1],
      ["/0/public/Depth", 1],
      ["/0/public/Trades", 1],
      ["/0/public/Spread", 1],
      ["/0/private/AddOrder", 1],
      ["/0/private/CancelOrder", 1],
      ["/0/private/CancelAll", 5],
      ["/0/private/CancelAllOrdersAfter", 1],
      ["/0/private/OpenOrders", 10],
      ["/0/private/ClosedOrders", 10],
      ["/0/private/QueryOrders", 2],
      ["/0/private/TradesHistory", 10],
      ["/0/private/QueryTrades", 2],
      ["/0/private/Balance", 2],
      ["/0/private/BalanceEx", 2],
      ["/0/private/TradeVolume", 2],
      ["/0/private/GetWebSocketsToken", 1],
    ]);
  });

  it("need the permission to trade exactly where they can change something", () => {
    const trading = TRADING_OPERATION_IDS.filter((id) => TRADING_OPERATIONS[id].auth === "trade");
    expect(trading).toEqual(["AddOrder", "CancelOrder", "CancelAll", "CancelAllOrdersAfter"]);
  });

  it("answer with faults of the catalogue, and refuse what they do not know", () => {
    for (const id of TRADING_OPERATION_IDS) {
      const operation: TradingOperation = TRADING_OPERATIONS[id];
      for (const code of operation.faults) expect(FAULT_CODES).toContain(code);
      const issues = operation.request.safeParse({ surprise: "1" }).error?.issues ?? [];
      expect(issues.some(({ code }) => code === "unrecognized_keys")).toBe(true);
    }
  });
});

describe("an order", () => {
  it("needs all four compliance fields", () => {
    expect(accepts("AddOrder", LIMIT)).toBe(true);
    for (const missing of Object.keys(COMPLIANCE)) {
      const left = Object.entries(LIMIT).filter(([name]) => name !== missing);
      expect(accepts("AddOrder", Object.fromEntries(left))).toBe(false);
    }
  });

  it("has its size as text, in the base asset or, for market orders with viqc, in the quote currency", () => {
    const { price: _, ...bare } = LIMIT;
    const market = { ...bare, ordertype: "market" };
    expect(accepts("AddOrder", { ...market, oflags: "viqc" })).toBe(true);
    expect(accepts("AddOrder", market)).toBe(true);
    expect(accepts("AddOrder", { ...market, price: "1" })).toBe(false);
    expect(accepts("AddOrder", { ...LIMIT, oflags: "viqc" })).toBe(false);
    expect(accepts("AddOrder", { ...LIMIT, volume: 0.015 })).toBe(false);
    expect(accepts("AddOrder", bare)).toBe(false);
  });
});

describe("times in requests", () => {
  it("are seconds with a fraction, or milliseconds", () => {
    for (const start of ["0", "1784538000", "1784538000.123", "1784538000123"])
      expect(accepts("ClosedOrders", { start })).toBe(true);
    for (const start of ["", "-1", "2026-07-20T09:00:00Z", "1784538000123.5", "1e9"])
      expect(accepts("ClosedOrders", { start })).toBe(false);
  });
});

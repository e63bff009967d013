/**
 * The requests of python-kraken-sdk when its methods are called with the required arguments only: its defaults are sent too, flags
 * are written as Python prints them, and the nonce comes last.
 */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { TradingOperationId } from "../../../src/contract/index.ts";
import { COMPLIANCE, refusalOf, resultOf, type TradingCaller } from "./trading-caller.ts";
import { openTrading, type TradingVenue } from "./venue.ts";

let trading: TradingVenue;
let caller: TradingCaller;
beforeEach(async () => {
  trading = await openTrading();
  caller = trading.addKey();
});
afterEach(() => trading.venue.sandbox.close());

type PythonFields = Readonly<Record<string, string | number | boolean>>;

/** As `urllib.parse.urlencode` writes it. */
function urlencode(fields: PythonFields): string {
  const printed = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === "boolean" ? (value ? "True" : "False") : String(value),
  ]);
  return new URLSearchParams(printed).toString();
}

let nonces = 178_453_800_000_000_000n;
const HEADERS = { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" };

function post(operation: TradingOperationId, fields: PythonFields = {}) {
  nonces += 1n;
  const nonce = String(nonces);
  return caller.post(operation, {}, { nonce, headers: HEADERS, rawBody: urlencode({ ...fields, nonce }) });
}

const result = async (operation: TradingOperationId, fields: PythonFields = {}) =>
  resultOf(operation, await post(operation, fields));

/** `Trade.create_order`; the compliance fields are its `extra_params`. */
const ORDER = {
  ...{ ordertype: "limit", type: "buy", pair: "BTC/KRW", volume: 0.001 },
  ...{ stptype: "cancel-newest", starttm: 0, validate: false, reduce_only: false, price: 90_000_000 },
  ...COMPLIANCE,
};

it("places an order and looks it up", async () => {
  const { txid } = await result("AddOrder", ORDER);
  const [id] = txid;
  expect(await result("QueryOrders", { txid: id, trades: false, consolidate_taker: true })).toMatchObject({
    [id]: { status: "open" },
  });
  expect((await result("OpenOrders", { trades: false })).open).toHaveProperty(id);
  expect(await result("CancelOrder", { txid: id })).toMatchObject({ count: 1 });
  expect((await result("ClosedOrders", { trades: false, closetime: "both" })).closed).toHaveProperty(id);
  expect(await result("CancelAll")).toMatchObject({ count: 0 });
  expect(await result("CancelAllOrdersAfter", { timeout: 0 })).toMatchObject({ triggerTime: "0" });
});

it("sees its fills", async () => {
  await trading.maker.add({ type: "sell", volume: "1", price: "90000000" });
  await result("AddOrder", ORDER);
  const history = { type: "all", trades: false, ledgers: false, consolidate_taker: true };
  const { trades } = await result("TradesHistory", history);
  expect(Object.keys(trades)).toEqual(["T1"]);
  expect(await result("QueryTrades", { trades: false, txid: "T1" })).toEqual(trades);
  expect(await result("Balance")).toEqual({ KRW: "9909955", BTC: "0.001" });
});

it("reads the rules of a market to round an order to its steps", async () => {
  const pairs = resultOf("AssetPairs", await caller.ask("AssetPairs", { pair: "XBTKRW", aclass_base: "currency" }));
  expect(pairs["BTC/KRW"]).toMatchObject({ pair_decimals: 0, lot_decimals: 8, ordermin: "0.00001", costmin: "5000" });
  for (const info of ["info", "leverage", "fees", "margin"])
    expect(resultOf("AssetPairs", await caller.ask("AssetPairs", { pair: "XBTKRW", info }))).toEqual(pairs);
});

it("sends the multiplier of a rebased asset, which does not exist here", async () => {
  for (const rebase_multiplier of ["rebased", "base"]) {
    expect(await result("Balance", { rebase_multiplier })).toEqual({ KRW: "10000000" });
    const all = { balance: "10000000", hold_trade: "0", unsettled: "0" };
    expect((await result("BalanceEx", { rebase_multiplier })).KRW).toEqual(all);
    expect((await result("OpenOrders", { rebase_multiplier })).open).toEqual({});
    expect((await result("ClosedOrders", { rebase_multiplier, consolidate_taker: false })).closed).toEqual({});
    expect((await result("TradesHistory", { rebase_multiplier })).trades).toEqual({});
    expect((await result("TradeVolume", { rebase_multiplier })).volume).toBe("0");
  }
});

it("gets a refusal for what the service does not have", async () => {
  const refused = async (operation: TradingOperationId, fields: PythonFields) =>
    refusalOf(await post(operation, fields));
  expect(await refused("AddOrder", { ...ORDER, reduce_only: true })).toBe("EGeneral:Invalid arguments:reduce_only");
  expect(await refused("TradesHistory", { ledgers: true })).toBe("EGeneral:Invalid arguments:ledgers");
  expect(await refused("QueryTrades", { txid: "T1", trades: true })).toBe("EGeneral:Invalid arguments:trades");
  expect(await refused("Balance", { rebase_multiplier: "twice" })).toBe("EGeneral:Invalid arguments:rebase_multiplier");
});

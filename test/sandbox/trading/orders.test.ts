import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COMPLIANCE, FORM_TYPE, type Form, formOf, refusalOf, resultOf } from "./trading-caller.ts";
import { openTrading, type TradingVenue } from "./venue.ts";

let trading: TradingVenue;
beforeEach(async () => {
  trading = await openTrading();
});
afterEach(() => trading.venue.sandbox.close());

const placed = () => trading.venue.sandbox.exchange.orders("paper", { limit: 100 }).orders;

async function idOf(reply: Promise<Parameters<typeof resultOf>[1]>): Promise<string> {
  return resultOf("AddOrder", await reply).orderId;
}

async function query(txid: string, fields: Form = {}) {
  return resultOf("QueryOrders", await trading.paper.post("QueryOrders", { txid, ...fields }))[txid];
}

describe("AddOrder", () => {
  it("answers with description, the id under both names, and the settlement", async () => {
    const result = resultOf("AddOrder", await trading.paper.add({ volume: "0.015", userref: "desk-1" }));
    expect(result).toEqual({
      descr: { order: "buy 0.01500000 BTC/KRW @ limit 90000000" },
      txid: [result.orderId],
      orderId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      settlement: { mode: "INSTANT_KRW", expected_settle_time: "T+0", krw_account_linked: true, state: null },
    });
    expect(placed()).toMatchObject([{ orderId: result.orderId, userref: "desk-1", state: "open" }]);
  });

  it.each(["BTC/KRW", "BTCKRW", "btc/krw", "XBTKRW", "XXBTZKRW", "XBT/KRW"])("accepts the pair as %s", async (pair) => {
    const { descr } = resultOf("AddOrder", await trading.paper.add({ pair }));
    expect(descr.order).toBe("buy 0.00100000 BTC/KRW @ limit 90000000");
    expect(placed()).toMatchObject([{ symbol: "BTC/KRW" }]);
  });

  it("accepts the kinds of order of the Open API", async () => {
    const { paper, maker } = trading;
    await maker.add({ type: "sell", volume: "1", price: "100000000" });
    const kinds: [Form, object][] = [
      [{ oflags: "post,fciq" }, { postOnly: true, state: "open", timeInForce: "GTC" }],
      [{ timeinforce: "IOC" }, { timeInForce: "IOC", state: "expired" }],
      [
        { timeinforce: "FOK", price: "100000000" },
        { timeInForce: "FOK", state: "filled" },
      ],
      [
        { settlement_mode: "STANDARD_KRW", cl_ord_id: "a.b_c-1" },
        { settlementMode: "STANDARD_KRW", userref: "a.b_c-1" },
      ],
      [{ leverage: "none", starttm: "0", expiretm: "0", reduce_only: "false", stptype: "cancel-newest" }, {}],
    ];
    for (const [fields, wanted] of kinds) {
      await idOf(paper.add(fields));
      expect(placed()[0]).toMatchObject(wanted);
    }
    await idOf(paper.market({ volume: "0.002" }));
    expect(placed()[0]).toMatchObject({ orderType: "market", volume: 200_000n, amount: null, state: "filled" });
    const { descr } = resultOf("AddOrder", await paper.market({ volume: "50000", oflags: "viqc" }));
    expect(descr.order).toBe("buy 50000.00000000 BTC/KRW @ market (volume in KRW)");
    expect(placed()[0]).toMatchObject({
      orderType: "market",
      volume: null,
      amount: 5_000_000_000_000n,
      state: "filled",
    });
  });

  it("only describes the order with validate, and still refuses an invalid one", async () => {
    const reply = await trading.paper.add({ validate: "true" });
    expect(resultOf("AddOrder", reply)).toEqual({ descr: { order: "buy 0.00100000 BTC/KRW @ limit 90000000" } });
    expect(refusalOf(await trading.paper.add({ validate: "True", volume: "10" }))).toBe("EOrder:Insufficient funds");
    expect(placed()).toEqual([]);
    await idOf(trading.paper.add({ validate: "false" }));
    expect(placed()).toHaveLength(1);
  });

  it.each([
    [["vasp_purpose_code"], "vasp_purpose_code"],
    [["kyc_level", "originator_vasp_id"], "originator_vasp_id, kyc_level"],
    [Object.keys(COMPLIANCE), "vasp_purpose_code, originator_vasp_id, kyc_level, settlement_mode"],
  ])("refuses an order without %j for missing compliance data, with HTTP 200", async (missing, list) => {
    const fields = {
      pair: "BTCKRW",
      type: "buy",
      ordertype: "limit",
      volume: "0.001",
      price: "90000000",
      ...COMPLIANCE,
    };
    const left = Object.entries(fields).filter(([name]) => !missing.includes(name));
    const code = `ECompliance:Missing travel-rule metadata: ${list}`;
    expect(refusalOf(await trading.paper.post("AddOrder", Object.fromEntries(left)))).toBe(code);
    const empty = Object.fromEntries(missing.map((name) => [name, ""]));
    expect(refusalOf(await trading.paper.post("AddOrder", { ...fields, ...empty }))).toBe(code);
    expect(placed()).toEqual([]);
  });

  it.each<[Form, string]>([
    [{ pair: "BTC/USD" }, "EQuery:Unknown asset pair"],
    [{ volume: "10" }, "EOrder:Insufficient funds"],
    [{ volume: "10", kyc_level: "TIER2" }, "ECompliance:KYC level too low"],
    [{ volume: "1", kyc_level: "TIER1" }, "ECompliance:KYC level too low"],
    [{ volume: "0.00001", price: "1000000" }, "EOrder:Order minimum not met"],
    [{ price: "90000001" }, "EOrder:Tick size check failed"],
    [{ price: "0" }, "EOrder:Invalid price"],
    [{ oflags: "post", price: "200000000" }, "EOrder:Post only order"],
    [{ type: "hold" }, "EGeneral:Invalid arguments:type"],
    [{ ordertype: "stop-loss" }, "EGeneral:Invalid arguments:ordertype"],
    [{ ordertype: "market" }, "EGeneral:Invalid arguments:price"],
    [{ volume: "1e-3" }, "EGeneral:Invalid arguments:volume"],
    [{ volume: "-1" }, "EGeneral:Invalid arguments:volume"],
    [{ timeinforce: "GTD" }, "EGeneral:Invalid arguments:timeinforce"],
    [{ oflags: "fcib" }, "EGeneral:Invalid arguments:oflags"],
    [{ oflags: "viqc" }, "EGeneral:Invalid arguments:oflags"],
    [{ oflags: "post", timeinforce: "IOC" }, "EGeneral:Invalid arguments:oflags"],
    [{ userref: "no spaces" }, "EGeneral:Invalid arguments:userref"],
    [{ userref: "a", cl_ord_id: "a" }, "EGeneral:Invalid arguments:cl_ord_id"],
    [{ kyc_level: "TIER9" }, "EGeneral:Invalid arguments:kyc_level"],
    [{ leverage: "5" }, "EGeneral:Invalid arguments:leverage"],
    [{ pric: "1" }, "EGeneral:Invalid arguments:pric"],
    [{ pric: "1", kyc_level: "" }, "EGeneral:Invalid arguments:pric"],
    [{ "close[ordertype]": "limit" }, "EGeneral:Invalid arguments:close?ordertype?"],
  ])("refuses %j: %s", async (fields, code) => {
    await trading.maker.add({ type: "sell", volume: "1", price: "150000000" });
    expect(refusalOf(await trading.paper.add(fields))).toBe(code);
    expect(placed()).toEqual([]);
  });

  it("refuses a used userref if the key rejects duplicates, a halted market, and instant settlement without a KRW account", async () => {
    const { exchange } = trading.venue.sandbox;
    const strict = trading.addKey({ rejectDuplicateUserref: true });
    await idOf(strict.add({ userref: "once" }));
    expect(refusalOf(await strict.add({ userref: "once" }))).toBe("EOrder:Duplicate userref");
    exchange.apply({ type: "setMarketStatus", symbol: "ETH/KRW", status: "halted" }, trading.venue.clock.now);
    expect(refusalOf(await trading.paper.add({ pair: "ETHKRW" }))).toBe("EOrder:Market halted");
    exchange.apply({ type: "createAccount", accountId: "unlinked", krwAccountLinked: false }, trading.venue.clock.now);
    const unlinked = trading.addKey({ accountId: "unlinked" });
    expect(refusalOf(await unlinked.add())).toBe("ECompliance:KRW account not linked");
    expect(refusalOf(await unlinked.add({ settlement_mode: "STANDARD_KRW" }))).toBe("EOrder:Insufficient funds");
  });

  it("refuses a repeated field, and JSON in place of a form", async () => {
    const { paper } = trading;
    const fields = {
      pair: "BTCKRW",
      type: "buy",
      ordertype: "limit",
      volume: "0.001",
      price: "90000000",
      ...COMPLIANCE,
    };
    const rawBody = `nonce=2000000000&${formOf(fields)}&price=91000000`;
    const twice = await paper.post("AddOrder", {}, { nonce: "2000000000", rawBody });
    expect(refusalOf(twice)).toBe("EGeneral:Invalid arguments:price");
    const json = JSON.stringify({ nonce: "2000000001", ...fields });
    const asJson = await paper.post("AddOrder", {}, { nonce: "2000000001", rawBody: json, headers: FORM_TYPE });
    expect(refusalOf(asJson)).toBe("EAPI:Invalid nonce");
    expect(placed()).toEqual([]);
  });
});

describe("CancelOrder", () => {
  it("cancels by id, and returns what was canceled", async () => {
    const id = await idOf(trading.paper.add());
    const canceled = resultOf("CancelOrder", await trading.paper.post("CancelOrder", { txid: id }));
    expect(canceled).toEqual({ count: 1, pending: false, txid: [id] });
    expect(await query(id)).toMatchObject({ status: "canceled" });
  });

  it("cancels every open order with a userref, under either name, and no other", async () => {
    const { paper } = trading;
    const ids = [await idOf(paper.add({ userref: "batch" })), await idOf(paper.add({ userref: "batch" }))];
    const other = await idOf(paper.add({ userref: "other" }));
    const { txid, count } = resultOf("CancelOrder", await paper.post("CancelOrder", { txid: "batch" }));
    expect([count, txid.toSorted()]).toEqual([2, ids.toSorted()]);
    expect(await query(other)).toMatchObject({ status: "open" });
    const last = resultOf("CancelOrder", await paper.post("CancelOrder", { cl_ord_id: "other" }));
    expect(last.txid).toEqual([other]);
  });

  it("is refused for an order that has ended, an unknown one, and another account's", async () => {
    const { paper, maker } = trading;
    const id = await idOf(paper.add({ userref: "mine" }));
    const cancel = async (fields: Form, by = paper) => refusalOf(await by.post("CancelOrder", fields));
    expect(await cancel({ txid: id }, maker)).toBe("EOrder:Unknown order");
    expect(await cancel({ txid: id, pair: "ETHKRW" })).toBe("EOrder:Unknown order");
    expect(await cancel({ txid: "mine", pair: "NOPE" })).toBe("EQuery:Unknown asset pair");
    await paper.post("CancelOrder", { txid: id, pair: "BTCKRW" });
    expect(await cancel({ txid: id })).toBe("EOrder:Order already closed");
    expect(await cancel({ txid: "mine" })).toBe("EOrder:Order already closed");
    expect(await cancel({ txid: "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77" })).toBe("EOrder:Unknown order");
    expect(await cancel({ cl_ord_id: id })).toBe("EOrder:Unknown order");
    expect(await cancel({})).toBe("EGeneral:Invalid arguments:txid");
  });
});

describe("CancelAll", () => {
  it("cancels all orders, or those of one market", async () => {
    const { paper } = trading;
    const btc = [await idOf(paper.add()), await idOf(paper.add())];
    const eth = await idOf(paper.add({ pair: "ETHKRW", volume: "0.1", price: "3000000" }));
    const one = resultOf("CancelAll", await paper.post("CancelAll", { pair: "ETHKRW" }));
    expect(one).toEqual({ count: 1, pending: false, txid: [eth] });
    const { count, txid } = resultOf("CancelAll", await paper.post("CancelAll"));
    expect([count, txid.toSorted()]).toEqual([2, btc.toSorted()]);
    expect(resultOf("CancelAll", await paper.post("CancelAll")).count).toBe(0);
    expect(refusalOf(await paper.post("CancelAll", { pair: "NOPE" }))).toBe("EQuery:Unknown asset pair");
  });
});

describe("CancelAllOrdersAfter", () => {
  const arm = async (timeout: string) =>
    resultOf("CancelAllOrdersAfter", await trading.paper.post("CancelAllOrdersAfter", { timeout }));
  /** Whether anything is open once the clock stands so much later. */
  const openAfter = async (waitMs: number) => {
    trading.venue.clock.now += waitMs;
    const { open } = resultOf("OpenOrders", await trading.paper.post("OpenOrders"));
    return Object.keys(open).length;
  };

  it("cancels all orders when it is not armed again in time", async () => {
    const id = await idOf(trading.paper.add());
    expect(await arm("60")).toEqual({
      currentTime: "2026-07-20T09:00:00.000Z",
      triggerTime: "2026-07-20T09:01:00.000Z",
    });
    expect(await openAfter(59_999)).toBe(1);
    expect(await arm("60")).toMatchObject({ triggerTime: "2026-07-20T09:01:59.999Z" });
    expect(await openAfter(59_999)).toBe(1);
    expect(await openAfter(1)).toBe(0);
    expect(await query(id)).toMatchObject({ status: "canceled", reason: "cancel_timer" });
  });

  it("is disarmed with 0, and is at most a day", async () => {
    await idOf(trading.paper.add());
    await arm("86400");
    expect(await arm("0")).toMatchObject({ triggerTime: "0" });
    expect(await openAfter(90_000_000)).toBe(1);
    for (const timeout of ["86401", "1.5", "-1", ""]) {
      const refused = await trading.paper.post("CancelAllOrdersAfter", { timeout });
      expect(refusalOf(refused)).toBe("EGeneral:Invalid arguments:timeout");
    }
  });
});

describe("an order's record", () => {
  it("has the dialect's fields and the service's own", async () => {
    const { paper, maker, venue } = trading;
    const id = await idOf(paper.add({ volume: "0.003", userref: "desk-1", oflags: "post" }));
    venue.clock.now += 1_500;
    await maker.add({ type: "sell", volume: "0.001", price: "90000000" });
    const { executions, ...row } = await query(id, { trades: "true" });
    expect(executions).toMatchObject([{ ordertxid: id, trade_id: 1, cost: "90000", maker: true }]);
    expect(row).toEqual({
      refid: null,
      userref: "desk-1",
      status: "open",
      reason: null,
      opentm: 1784538000,
      starttm: 0,
      expiretm: 0,
      descr: {
        pair: "BTC/KRW",
        type: "buy",
        ordertype: "limit",
        price: "90000000",
        price2: "0",
        leverage: "none",
        order: "buy 0.00300000 BTC/KRW @ limit 90000000",
        close: "",
      },
      vol: "0.003",
      vol_exec: "0.001",
      cost: "90000",
      fee: "36",
      price: "90000000",
      stopprice: "0",
      limitprice: "0",
      misc: "",
      oflags: "fciq,post",
      trades: ["T1"],
      timeinforce: "GTC",
      fee_currency: "KRW",
      settlement: { mode: "INSTANT_KRW", expected_settle_time: "T+0", krw_account_linked: true, state: "settled" },
      opened_at: "2026-07-20T09:00:00.000Z",
      updated_at: "2026-07-20T09:00:01.500Z",
    });
    venue.clock.now += 250;
    await paper.post("CancelOrder", { txid: id });
    expect(await query(id)).toMatchObject({ status: "canceled", closetm: 1784538001.75, vol_exec: "0.001" });
  });

  it("shows an order by amount in the quote currency, with the flag for it", async () => {
    const { paper, maker } = trading;
    await maker.add({ type: "sell", volume: "1", price: "100000000" });
    const id = await idOf(paper.market({ volume: "50000", oflags: "viqc" }));
    expect(await query(id)).toMatchObject({
      status: "closed",
      vol: "50000",
      vol_exec: "0.0005",
      cost: "50000",
      oflags: "fciq,viqc",
      descr: { ordertype: "market", price: "0" },
    });
    const expired = await idOf(paper.add({ timeinforce: "IOC" }));
    expect(await query(expired)).toMatchObject({ status: "expired", reason: "no_more_liquidity", price: "0" });
  });
});

/**
 * Orders of an assistant at an exchange that speaks Upbit's API, while that does what such an exchange can do wrong. Whatever is said is held against
 * what the exchange has.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { eventually } from "../../fixture/command.ts";
import { PIN } from "../../fixture/command-line.ts";
import { cleanUp } from "../../fixture/program.ts";
import { openTerminal } from "../../fixture/pseudo-terminal.ts";
import { endAssistants } from "../process/assistant.ts";
import { type DeskAtUpbit, openUpbitWorld, type Said, type UpbitWorld, WRITE_TIMEOUT_MS } from "./upbit-desk.ts";

vi.setConfig({ testTimeout: 40_000, hookTimeout: 40_000 });

let world: UpbitWorld;
let desk: DeskAtUpbit;
/** It has nothing open between two tests. */
let behind: DeskAtUpbit;
/** Its order was swallowed when the file began: a person may say so once it cannot be on its way any more. */
let bereft: DeskAtUpbit;
let swallowed: Said;
let swallowedAt: number;

beforeAll(async () => {
  world = await openUpbitWorld();
  [desk, behind, bereft] = await Promise.all([world.desk(), world.desk(), world.desk()]);
  await world.plan({ kind: "swallow" });
  swallowed = await bereft.place("swallowed");
  swallowedAt = Date.now();
});
afterEach(() => world.heal());
afterAll(async () => {
  endAssistants();
  await world?.close();
  await cleanUp();
});

let price = 80_000_000;
/** So that no order is another's twin. */
const elsewhere = () => {
  price += 10_000;
  return { price: String(price) };
};

const NOT_THERE = ["not_placed", "not_sent", "not_sent_yet", "rejected", "denied", "canceled"];

/** Nothing is said that would let anybody order again. */
function expectOpenQuestion({ outcome, state, next_action }: Said): void {
  expect([outcome, state]).toEqual(["unknown", "unknown"]);
  expect(next_action).toContain("get_order");
  expect(next_action).toContain("never sent twice");
}

const found = (from: DeskAtUpbit, userref: string, withinMs = 15_000): Promise<Said> =>
  eventually(async () => {
    const said = await from.call("get_order", { userref });
    expect(NOT_THERE).not.toContain(said.state);
    return said.order === undefined ? undefined : said;
  }, withinMs);

describe("an assistant at Upbit", () => {
  it("looks, orders, changes, fills, cancels and halts, with one order at the exchange for each request", async () => {
    const trader = await world.desk();
    const call: typeof trader.call = (...args) => trader.call(...args);
    expect(await call("get_desk_status")).toMatchObject({
      profile: "upbit",
      venue: "up",
      can_trade: true,
      unit: "KRW",
    });
    expect(await call("get_ticker", { symbols: ["BTC/KRW"] })).toMatchObject({ tickers: [{ symbol: "BTC/KRW" }] });
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
    expect(await call("preview_order", order)).toMatchObject({ valid: true, estimate: { best_ask: "100000000" } });
    expect(await trader.place("by-name")).toMatchObject({ outcome: "accepted", state: "open", userref: "by-name" });
    expect(await call("get_order", { userref: "by-name" })).toMatchObject({
      state: "open",
      order: { userref: "by-name" },
    });
    const moved = await call("replace_order", { userref: "by-name", price: "91000000" });
    expect(moved).toMatchObject({ outcome: "accepted", replaced: { state: "canceled" }, order: { price: "91000000" } });
    expect((await call("get_open_orders")).orders).toMatchObject([{ price: "91000000", state: "open" }]);
    const bought = await call("place_order", {
      ...{ symbol: "BTC/KRW", side: "buy", type: "market" },
      quote_amount: "10000",
    });
    expect(bought).toMatchObject({ outcome: "accepted", isError: false });
    expect(await call("get_trade_history")).toMatchObject({
      trades: [{ price: "100000000", volume: "0.0001", fee: "5" }],
    });
    expect(await call("get_portfolio")).toMatchObject({ totals: { fees: "5" } });
    expect(await call("get_order", { userref: bought.userref })).toMatchObject({ state: "filled" });
    expect(await call("cancel_all_orders")).toMatchObject({ outcome: "accepted", canceled: 1, remaining: 0 });
    expect(await call("halt_trading", { reason: "enough" })).toMatchObject({ isError: false });
    expect(await trader.place("after-halt", elsewhere())).toMatchObject({ outcome: "not_sent", state: "denied" });
    expect(trader.orders().map(({ state }) => state)).toEqual(["filled", "canceled", "canceled"]);
  });
});

describe("an order whose answer is lost at Upbit", () => {
  it("is unknown while it is on its way, and never sent again, until get_order finds it and the log says how late", async () => {
    await world.plan({ kind: "late_delivery", after_ms: 2_500 });
    const where = elsewhere();
    expectOpenQuestion(await desk.place("late", where));
    expect(desk.at("late")).toEqual([]);
    expectOpenQuestion(await desk.place("late", where));
    expect(await desk.call("get_order", { userref: "late" })).toMatchObject({ state: "unknown" });
    expect(await found(desk, "late")).toMatchObject({ state: "open", order: { userref: "late" } });
    expect(desk.at("late")).toHaveLength(1);
    expect(await desk.events("late")).toContain("appeared_late");
    expect(await desk.place("late", where)).toMatchObject({ outcome: "accepted", state: "open" });
    expect(desk.at("late")).toHaveLength(1);
  });

  it.each([
    ["an answer that is no order", { kind: "odd_answer", body: "<html>busy</html>", applied: true }, 1],
    ["half an answer", { kind: "garble" }, 1],
    ["a failure of the exchange after it was taken", { kind: "error", applied: true }, 1],
    ["an id that is said to be used", { kind: "duplicate_id" }, 1],
    ["a second delivery of the same request", { kind: "double_delivery" }, 1],
    ["an answer later than it is waited for", { kind: "latency", latency_ms: WRITE_TIMEOUT_MS + 800 }, 1],
    ["a failure of the exchange before it was taken", { kind: "error" }, 0],
    ["an answer in another's form", { kind: "odd_answer", body: "{}", content_type: "application/json" }, 0],
  ])("is found once where it is there, and unknown where not: %s", async (what, fault, there) => {
    // One without an answer holds others like it back.
    const [userref, where] = [`lost-${what.replaceAll(/\W/g, "-").slice(0, 40)}`, elsewhere()];
    await world.plan(fault);
    const told = await desk.place(userref, where);
    expect(NOT_THERE).not.toContain(told.outcome);
    expect(NOT_THERE).not.toContain(told.state);
    if (there === 1) expect(await found(desk, userref)).toMatchObject({ state: "open" });
    else expectOpenQuestion(told);
    const again = await desk.place(userref, where);
    expect(again).toMatchObject({ outcome: there === 1 ? "accepted" : "unknown" });
    expect(desk.at(userref)).toHaveLength(there);
  });

  it("is taken where the exchange refuses a second delivery of it, and the log says so", async () => {
    const refused = { error: { name: "insufficient_funds_bid", message: "no" } };
    const fault = { kind: "odd_answer", status: 400, applied: true, content_type: "application/json" };
    await world.plan({ ...fault, body: JSON.stringify(refused) });
    expect(await desk.place("refused", elsewhere())).toMatchObject({ outcome: "accepted", state: "open" });
    expect(desk.at("refused")).toHaveLength(1);
    expect(await desk.events("refused")).toContain("refused_and_taken");
  });

  it("is rejected where the exchange refuses it and has none", async () => {
    const told = await desk.place("too-much", { ...elsewhere(), base_volume: "9" });
    expect(told).toMatchObject({ outcome: "rejected", error: { code: "EOrder:Insufficient funds" } });
    expect(desk.at("too-much").filter(({ state }) => state !== "rejected")).toEqual([]);
  });

  it("is there once, and found by the next process, when the server is killed before its answer", async () => {
    const first = await world.desk();
    await world.plan({ kind: "latency", latency_ms: 700 });
    first.place("killed").catch(() => undefined);
    await eventually(async () => ((await unplanned()) ? true : undefined));
    await first.kill();
    const second = await first.again();
    expect(await found(second, "killed")).toMatchObject({ state: "open", order: { userref: "killed" } });
    expect(await second.place("killed")).toMatchObject({ outcome: "accepted", state: "open" });
    expect(second.at("killed")).toHaveLength(1);
  });
});

/** Whether every planned fault has begun. */
async function unplanned(): Promise<boolean> {
  const { faults } = await world.admin.must("GET", "/faults");
  return faults.length === 0;
}

describe("an order that Upbit has taken and does not show", () => {
  it("is not said to be absent while it is not found", async () => {
    await world.plan({ kind: "read_lag", ms: 4_000 });
    expect(await behind.place("lags")).toMatchObject({ outcome: "accepted", state: "open" });
    expect(await behind.call("get_order", { userref: "lags" })).toMatchObject({ state: "open" });
    expect((await behind.call("get_open_orders")).orders).toMatchObject([{ userref: "lags" }]);
    expect(await behind.place("lags")).toMatchObject({ outcome: "accepted", state: "open" });
    expect(await behind.call("cancel_order", { userref: "lags" })).toMatchObject({ state: "open", isError: true });
    expect(await behind.call("cancel_all_orders")).toMatchObject({ canceled: 0, remaining: 1 });
    await eventually(async () => {
      const { remaining } = await behind.call("cancel_all_orders");
      return remaining === 0 ? true : undefined;
    });
    expect(await behind.call("get_order", { userref: "lags" })).toMatchObject({ state: "canceled" });
    expect(behind.at("lags")).toMatchObject([{ state: "canceled" }]);
  });

  it("is listed and canceled with all others where no list ever has it", async () => {
    await world.plan({ kind: "partial_then_vanish" });
    await behind.place("vanishes");
    expect((await behind.call("get_open_orders")).orders).toMatchObject([{ userref: "vanishes", state: "open" }]);
    expect(await behind.call("cancel_all_orders")).toMatchObject({ outcome: "accepted", remaining: 0 });
    expect(await behind.call("get_order", { userref: "vanishes" })).toMatchObject({ state: "canceled" });
    expect(behind.at("vanishes")).toMatchObject([{ state: "canceled" }]);
  });

  it("is listed where a list ends in its middle", async () => {
    const names = ["half-1", "half-2", "half-3", "half-4"];
    for (const name of names) await behind.place(name, elsewhere());
    await world.plan({ kind: "half_list", method: "GET", path: "/v1/orders/open", count: 20 });
    const { orders = [] } = await behind.call("get_open_orders");
    expect(new Set(orders.map(({ userref }) => userref))).toEqual(new Set(names));
    expect(await behind.call("cancel_all_orders")).toMatchObject({ canceled: 4, remaining: 0 });
  });

  it("is not said to be absent once it is canceled and not shown any more", async () => {
    await behind.place("omitted");
    await world.plan({ kind: "omit_canceled", method: "GET", path: "/v1/order*", count: 50 });
    const told = await behind.call("cancel_order", { userref: "omitted" });
    expect(told).toMatchObject({ outcome: "accepted", order: { userref: "omitted" } });
    const { error } = await behind.call("get_order", { userref: "omitted" });
    expect(error?.message).toMatch(/has taken this order.*does not say that it is gone/);
    expect(await behind.place("omitted")).toMatchObject({ outcome: "unknown" });
    await world.heal();
    expect(await behind.call("get_order", { userref: "omitted" })).toMatchObject({ state: "canceled" });
    expect(behind.at("omitted")).toHaveLength(1);
  });
});

describe("a desk that Upbit shuts out", () => {
  it("sends nothing until that is over, cancels neither, and says so", async () => {
    await behind.place("rests", elsewhere());
    await world.plan({ kind: "ban", status: 418, for_ms: 60_000, path: "/v1/*" });
    const first = await behind.place("first", elsewhere());
    expect(first).toMatchObject({ outcome: "not_sent", error: { code: "EAPI:Rate limit exceeded" } });
    // Whatever came now would be taken.
    await world.heal();
    expect(await behind.place("second", elsewhere())).toMatchObject({ outcome: "not_sent" });
    const cancel = await behind.call("cancel_order", { userref: "rests" });
    expect(cancel).toMatchObject({ outcome: "not_sent", isError: true });
    expect(cancel.error?.message).toMatch(/shut .* out/i);
    const status = await behind.call("get_desk_status");
    expect(status).toMatchObject({ can_trade: false, isError: true });
    expect(status.error?.message).toMatch(/shut .* out/i);
    expect(["first", "second", "rests"].map((name) => behind.at(name).length)).toEqual([0, 0, 1]);
    expect(behind.at("rests")).toMatchObject([{ state: "open" }]);
  });
});

/** A person at a terminal, who is asked for the PIN. */
async function typed(words: readonly string[], questions: readonly string[]): Promise<void> {
  const window = openTerminal(words, { home: bereft.home });
  for (const question of questions) {
    await window.see(question);
    window.type(`${PIN}\r`);
  }
  expect(await window.ended).toMatchObject({ code: 0 });
}

describe("an order that Upbit never got", () => {
  it("stays unknown with what was found out, until a person says that it was not placed", async () => {
    expectOpenQuestion(swallowed);
    const looked = await eventually(async () => {
      const said = await bereft.call("get_order", { userref: "swallowed" });
      return (said.evidence?.lookups ?? 0) >= 2 ? said : undefined;
    });
    expect(looked).toMatchObject({ state: "unknown", evidence: { in_open_list: false, locked_explained: true } });
    expectOpenQuestion(await bereft.place("swallowed"));
    // Twice what is waited for an answer, and ten seconds: it may be on its way for so long.
    await pause(Math.max(0, swallowedAt + 2 * WRITE_TIMEOUT_MS + 10_500 - Date.now()));
    expect(await bereft.call("get_order", { userref: "swallowed" })).toMatchObject({ state: "unknown" });
    await typed(["pin"], ["New PIN (6", "New PIN again"]);
    await typed(["settle", "swallowed", "not-placed"], ["PIN: "]);
    expect(await bereft.call("get_order", { userref: "swallowed" })).toMatchObject({ state: "not_placed" });
    expect(await bereft.events("swallowed")).toContain("settled_by_person");
    expect(bereft.orders()).toEqual([]);
  });
});

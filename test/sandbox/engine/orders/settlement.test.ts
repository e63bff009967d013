import { beforeEach, describe, expect, it } from "vitest";
import { type Engine, restoreEngine } from "../../../../src/sandbox/engine/index.ts";
import type { PlaceCommand, SettlementRecord } from "../../../../src/sandbox/model/index.ts";
import { BTC, balance, coins, krw, order, place, placed, stateText, T0, testEngine } from "../exchange-kit.ts";

/** `T0` is six in the evening in Korea. */
const MIDNIGHT = T0 + 6 * 3_600_000;
const START = krw(10_000_000);

let engine: Engine;
beforeEach(() => {
  engine = testEngine("ann", "bob");
});

const standard = { settlementMode: "STANDARD_KRW" } as const;

/** Ann sells one unit to Bob for 1,000 won. @returns her proceeds, which are less the fee */
function sell(terms: Partial<PlaceCommand> = standard, at = T0): { orderId: string; proceeds: bigint } {
  place(engine, { accountId: "bob", side: "buy", price: krw(1_000), volume: coins(10_000) }, at);
  const sold = order({ accountId: "ann", side: "sell", volume: coins(10_000), ...terms });
  const { orderId, executedValue, fee } = placed(engine.apply(sold, at));
  return { orderId, proceeds: executedValue - fee };
}

const passTime = (at: number) => void engine.apply({ type: "passTime" }, at);
const link = (linked: boolean, at = T0) => void engine.apply({ type: "linkKrwAccount", accountId: "ann", linked }, at);
const won = () => balance(engine, "ann", "KRW");
const states = (accountId: string, orderId?: string): SettlementRecord["state"][] =>
  engine.settlements(accountId, orderId).map(({ state }) => state);

describe("proceeds of INSTANT_KRW", () => {
  it("are settled and can be withdrawn at once", () => {
    const { orderId, proceeds } = sell({ settlementMode: "INSTANT_KRW" });
    expect(won()).toEqual({ available: START + proceeds, locked: 0n, withdrawable: START + proceeds });
    expect(engine.settlements("ann")).toEqual([
      {
        ...{ accountId: "ann", orderId, tradeSeq: 1, symbol: "BTC/KRW", mode: "INSTANT_KRW" },
        ...{ asset: "KRW", amount: proceeds, state: "settled", dueAt: T0, endedAt: T0 },
      },
    ]);
  });

  it("fail to settle without a linked KRW account, and stay until one is linked", () => {
    link(false);
    const { proceeds } = sell({ settlementMode: "INSTANT_KRW" });
    expect(states("ann")).toEqual(["failed"]);
    expect(won().withdrawable).toBe(START);
    link(true);
    expect(won().withdrawable).toBe(START + proceeds);
    expect(states("ann")).toEqual(["failed"]);
  });
});

describe("proceeds of STANDARD_KRW", () => {
  it("can be withdrawn from the next midnight in Korea on, not a millisecond earlier", () => {
    const { orderId, proceeds } = sell();
    const pending = { orderId, state: "pending", dueAt: MIDNIGHT, endedAt: null };
    expect(engine.settlements("ann", orderId)).toMatchObject([pending]);
    expect(engine.isDue(MIDNIGHT - 1)).toBe(false);
    passTime(MIDNIGHT - 1);
    expect(won()).toEqual({ available: START + proceeds, locked: 0n, withdrawable: START });
    expect(engine.isDue(MIDNIGHT)).toBe(true);
    passTime(MIDNIGHT);
    expect(won().withdrawable).toBe(START + proceeds);
    expect(engine.settlements("ann", orderId)).toMatchObject([{ ...pending, state: "settled", endedAt: MIDNIGHT }]);
  });

  it("wait for the next midnight when the fill is at midnight itself", () => {
    sell(standard, MIDNIGHT);
    expect(engine.settlements("ann")).toMatchObject([{ dueAt: MIDNIGHT + 86_400_000 }]);
  });

  it("can be traded at once; what was spent of them releases nothing later", () => {
    engine = testEngine("bob");
    engine.apply({ type: "createAccount", accountId: "ann", krwAccountLinked: true }, T0);
    engine.apply({ type: "deposit", accountId: "ann", asset: "BTC", amount: krw(1) }, T0);
    const { proceeds } = sell();
    place(engine, { accountId: "bob", side: "sell", price: krw(500), volume: coins(10_000) });
    const bought = place(engine, { accountId: "ann", side: "buy", amount: krw(500) });
    const left = proceeds - bought.executedValue - bought.fee;
    expect(won()).toEqual({ available: left, locked: 0n, withdrawable: 0n });
    passTime(MIDNIGHT);
    expect(won()).toEqual({ available: left, locked: 0n, withdrawable: left });
  });

  it("are the base asset for a buyer, each fill on its own day", () => {
    const resting = { accountId: "ann", side: "buy" as const, price: krw(1_000), ...standard };
    const { orderId } = place(engine, { ...resting, volume: coins(20_000) });
    place(engine, { accountId: "bob", side: "sell", volume: coins(5_000) });
    place(engine, { accountId: "bob", side: "sell", volume: coins(15_000) }, MIDNIGHT + 1);
    expect(balance(engine, "ann", "BTC").withdrawable).toBe(krw(1_000));
    passTime(MIDNIGHT + 1);
    expect(states("ann", orderId)).toEqual(["settled", "pending"]);
    expect(balance(engine, "ann", "BTC").withdrawable).toBe(krw(1_000) + coins(5_000));
    passTime(MIDNIGHT + 86_400_000);
    expect(balance(engine, "ann", "BTC").withdrawable).toBe(krw(1_000) + coins(20_000));
    expect(states("bob", orderId)).toEqual([]);
  });

  it("fail to settle when the account is unlinked by then, and stay until it is linked again", () => {
    const { proceeds } = sell();
    link(false);
    passTime(MIDNIGHT);
    expect(states("ann")).toEqual(["failed"]);
    expect(won()).toEqual({ available: START + proceeds, locked: 0n, withdrawable: START });
    passTime(MIDNIGHT + 86_400_000);
    expect(states("ann")).toEqual(["failed"]);
    link(true, MIDNIGHT + 86_400_001);
    expect(won().withdrawable).toBe(START + proceeds);
    link(false, MIDNIGHT + 86_400_002);
    link(true, MIDNIGHT + 86_400_003);
    expect(won().withdrawable).toBe(START + proceeds);
  });

  it("are settled when the account was unlinked only for a while", () => {
    sell();
    link(false);
    link(true);
    passTime(MIDNIGHT);
    expect(states("ann")).toEqual(["settled"]);
  });

  it("are neither lost nor settled twice by a restart in between", () => {
    const { proceeds } = sell();
    link(false);
    sell({ settlementMode: "INSTANT_KRW" });
    link(true);
    sell(standard, T0 + 1);
    engine = restoreEngine(JSON.parse(stateText(engine)));
    expect(states("ann")).toEqual(["pending", "failed", "pending"]);
    expect(engine.isDue(MIDNIGHT - 1)).toBe(false);
    passTime(MIDNIGHT);
    engine = restoreEngine(JSON.parse(stateText(engine)));
    passTime(MIDNIGHT + 86_400_000);
    expect(states("ann")).toEqual(["settled", "failed", "settled"]);
    expect(won().withdrawable).toBe(START + 3n * proceeds);
  });

  it("have events when settlement begins and ends, with the withdrawable balance", () => {
    engine.recordEvents(true);
    const { proceeds } = sell();
    const settlementEvents = () =>
      engine.takeEvents().events.flatMap((event) => (event.kind === "settlement" ? [event.settlement] : []));
    expect(settlementEvents()).toMatchObject([
      { accountId: "bob", state: "settled" },
      { accountId: "ann", state: "pending", amount: proceeds },
    ]);
    passTime(MIDNIGHT);
    const withdrawable = START + proceeds;
    expect(engine.takeEvents()).toEqual({
      events: [
        { kind: "settlement", settlement: engine.settlements("ann")[0] },
        {
          kind: "balance",
          accountId: "ann",
          asset: "KRW",
          ...{ available: withdrawable, locked: 0n, withdrawable, unsettled: 0n },
        },
      ],
      at: MIDNIGHT,
    });
  });

  it("do not exist for house accounts", () => {
    expect(BTC.takerFeeRate).toBeGreaterThan(0n);
    sell();
    expect(engine.settlements("house-fees")).toEqual([]);
    expect(engine.settlements("nobody")).toEqual([]);
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import { type Engine, restoreEngine } from "../../../../src/sandbox/engine/index.ts";
import { balance, coins, krw, place, refused, stateText, T0, testEngine } from "../exchange-kit.ts";

let engine: Engine;
beforeEach(() => {
  engine = testEngine("ann", "bob");
});

const rest = (accountId: string, symbol = "BTC/KRW") =>
  place(engine, { accountId, symbol, side: "sell", price: krw(2_000), volume: coins(5_000) }).orderId;
const arm = (timeoutMs: number, at = T0, accountId = "ann") =>
  engine.apply({ type: "armCancelTimer", accountId, timeoutMs }, at);
const passTime = (at: number) => void engine.apply({ type: "passTime" }, at);
const open = (accountId: string) => engine.orders(accountId, { states: ["open"], limit: 10 }).orders.length;

describe("a cancel timer", () => {
  it("cancels all orders of its account when it is due, with the reason, and no others", () => {
    const orders = [rest("ann"), rest("ann", "ETH/KRW")];
    rest("bob");
    expect(arm(60_000).ok).toBe(true);
    expect(engine.cancelTimer("ann")).toBe(T0 + 60_000);
    expect(engine.isDue(T0 + 59_999)).toBe(false);
    passTime(T0 + 59_999);
    expect(open("ann")).toBe(2);
    passTime(T0 + 60_000);
    for (const orderId of orders)
      expect(engine.order("ann", orderId)).toMatchObject({ state: "canceled", reason: "cancel_timer" });
    expect(balance(engine, "ann", "BTC").locked).toBe(0n);
    expect(open("bob")).toBe(1);
    expect(engine.cancelTimer("ann")).toBeNull();
  });

  it("fires once: orders placed afterwards stay", () => {
    arm(1_000);
    passTime(T0 + 1_000);
    rest("ann");
    passTime(T0 + 86_400_000);
    expect(open("ann")).toBe(1);
  });

  it("starts again whenever it is armed, and is off with 0", () => {
    rest("ann");
    arm(10_000);
    arm(10_000, T0 + 9_000);
    passTime(T0 + 18_999);
    expect(open("ann")).toBe(1);
    arm(0, T0 + 18_999);
    expect(engine.cancelTimer("ann")).toBeNull();
    passTime(T0 + 86_400_000);
    expect(open("ann")).toBe(1);
  });

  it("changes nothing when it is off already, or invalid", () => {
    const before = stateText(engine);
    expect(arm(0).ok).toBe(true);
    for (const timeoutMs of [-1, 0.5, Number.NaN, 86_400_001])
      expect(refused(arm(timeoutMs))).toMatchObject({ code: "EGeneral:Invalid arguments", field: "timeoutMs" });
    expect(refused(arm(1_000, T0, "nobody")).field).toBe("accountId");
    expect(refused(arm(1_000, T0, "house-maker")).field).toBe("accountId");
    expect(stateText(engine)).toBe(before);
    expect(arm(86_400_000).ok).toBe(true);
  });

  it("fires in time after a restart", () => {
    rest("ann");
    arm(10_000);
    engine = restoreEngine(JSON.parse(stateText(engine)));
    expect(engine.cancelTimer("ann")).toBe(T0 + 10_000);
    passTime(T0 + 10_000);
    expect(open("ann")).toBe(0);
  });
});

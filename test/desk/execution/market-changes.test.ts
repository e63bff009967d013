/**
 * A market that changed a moment ago: an order that is to be moved stays where the new one could not go, and what the exchange refuses makes old
 * whatever was known of its markets, for all who look.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { apiClass, units } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST, type Rewrite } from "../../fixture/fault-proxy.ts";
import { approveShown } from "../../fixture/person.ts";
import { unwrap } from "../../fixture/result.ts";
import {
  atVenue,
  BUY,
  cancels,
  open,
  openDeskPerTest,
  placed,
  policy,
  replace,
  seat,
  sent,
  set,
  world,
} from "./changed-orders.ts";

openDeskPerTest({ patient: true });
afterEach(() => {
  vi.restoreAllMocks();
});

const MARKETS = /^GET \/v1\/markets/;

function mark(status: "halted" | "trading" | "delisting"): void {
  const done = world.sandbox.exchange.apply({ type: "setMarketStatus", symbol: "BTC/KRW", status }, Date.now());
  if (!done.ok) throw new Error(done.message);
}

const COARSE = { tick_size: "5000", tick_bands: [{ from_price: "0", tick_size: "5000" }] };

/** From now on the exchange lists the market with other rules. */
function rule(change: Readonly<Record<string, unknown>>): void {
  const listed: Rewrite = (body) => {
    const { markets, ...rest } = JSON.parse(body) as { markets: { symbol: string }[] };
    const changed = markets.map((market) => (market.symbol === "BTC/KRW" ? { ...market, ...change } : market));
    return JSON.stringify({ ...rest, markets: changed });
  };
  world.proxy.plan(MARKETS, listed, 1_000);
}

/** Something happens once the new order is judged and written down, right before the old one is canceled. */
function beforeCancel(happens: () => unknown): void {
  const record = world.store.journal.record.bind(world.store.journal);
  vi.spyOn(world.store.journal, "record").mockImplementationOnce(async (intent) => {
    const recorded = await record(intent);
    // As where the calls before the cancel had to wait for room.
    world.clock.skewMs += 2_000;
    await happens();
    return recorded;
  });
}

function withdrawAll(asset: string): void {
  const { exchange, accountId } = world.sandbox;
  const amount = exchange.balances(accountId).find((each) => each.asset === asset)?.withdrawable ?? 0n;
  const done = exchange.apply({ type: "withdraw", accountId, asset, amount }, Date.now());
  if (!done.ok) throw new Error(done.message);
}

describe("an order that is to be moved stays where it is", () => {
  it.each(["halted", "delisting"] as const)("when the market is %s since a moment ago", async (status) => {
    const { orderId } = await placed();
    mark(status);
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      outcome: "not_sent",
      error: { code: "EOrder:Market halted", message: expect.stringContaining("Nothing was sent") },
    });
    expect([sent(), cancels(), atVenue(orderId)?.state]).toEqual([1, 0, "open"]);
  });

  it.each([
    ["tick", COARSE, { price: "49001000" }, "EOrder:Tick size check failed"],
    ["least value", { min_notional: "190000" }, { base_volume: "0.0036" }, "EOrder:Order minimum not met"],
  ] as const)("when the %s of the market has changed", async (_, change, move, code) => {
    const { orderId } = await placed();
    rule(change);
    expect(await replace({ orderId, ...move })).toMatchObject({ outcome: "not_sent", error: { code } });
    expect([sent(), cancels(), atVenue(orderId)?.state]).toEqual([1, 0, "open"]);
  });

  it("when less is left of it by now than the market takes", async () => {
    const { orderId } = await placed();
    const old = world.rest("sell", "50000000", "0.00399");
    expect(old.state).toBe("filled");
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      outcome: "not_sent",
      error: { code: "EOrder:Order minimum not met" },
    });
    expect([cancels(), atVenue(orderId)?.state]).toEqual([0, "open"]);
  });

  it.each([
    ["the market is halted", () => mark("halted"), "EOrder:Market halted"],
    ["its rules have changed", () => rule(COARSE), "EOrder:Tick size check failed"],
    ["the money is gone", () => withdrawAll("KRW"), "EOrder:Insufficient funds"],
  ] as const)("when %s between the judgement and the cancel", async (_, happens, code) => {
    const { orderId } = await placed();
    beforeCancel(happens);
    const report = await replace({ orderId, price: "50501000", base_volume: "0.008" });
    expect(report).toMatchObject({
      outcome: "not_sent",
      state: "not_placed",
      replaced: { order_id: orderId, state: "open" },
      error: { code },
    });
    expect([sent(), cancels(), atVenue(orderId)?.state]).toEqual([1, 0, "open"]);
    // And can be moved once it is possible again.
    mark("trading");
    world.proxy.heal();
    world.clock.skewMs += 1_000;
    expect(await replace({ orderId, base_volume: "0.003" })).toMatchObject({ outcome: "accepted" });
    expect(open()).toHaveLength(1);
  });

  it("when the market is halted while a person is asked", async () => {
    set({ mode: "confirm" });
    policy.value = ok({ ...(await unwrap(Promise.resolve(policy.value))), approveBy: ["pin"] });
    const { order, intent_id: first = "" } = await seat.desk.place({ ...BUY, userref: "mine" });
    expect(order).toBeUndefined();
    const { order: old } = await approveShown(seat.desk, first);
    const orderId = old?.orderId ?? "";
    const asked = await replace({ orderId, price: "49000000" });
    expect(asked.state).toBe("awaiting_approval");
    mark("halted");
    expect(await approveShown(seat.desk, asked.intent_id ?? "")).toMatchObject({
      outcome: "not_sent",
      error: { code: "EOrder:Market halted" },
    });
    expect([cancels(), atVenue(orderId)?.state]).toEqual([0, "open"]);
  });
});

describe("an order that the exchange refuses", () => {
  it("makes what is known of the markets old: every path sees the halt at once", async () => {
    const { orderId } = await placed();
    const known = await unwrap(seat.desk.markets());
    expect(known.find(({ symbol }) => symbol === "BTC/KRW")?.status).toBe("trading");
    mark("halted");
    const refused = await seat.desk.place({ ...BUY, base_volume: "0.005" });
    expect(refused).toMatchObject({ outcome: "rejected", error: { code: "EOrder:Market halted" } });
    expect(sent()).toBe(2);
    const markets = await unwrap(seat.desk.markets());
    expect(markets.find(({ symbol }) => symbol === "BTC/KRW")?.status).toBe("halted");
    expect(await seat.desk.place({ ...BUY, base_volume: "0.006" })).toMatchObject({
      outcome: "not_sent",
      error: { code: "EOrder:Market halted" },
    });
    expect(await unwrap(seat.desk.preview(BUY))).toMatchObject({
      valid: false,
      problems: [{ code: "EOrder:Market halted" }],
    });
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({ error: { code: "EOrder:Market halted" } });
    expect([sent(), cancels()]).toEqual([2, 0]);
  });

  it("shows in what the status says can be bought", async () => {
    const before = await seat.desk.status();
    expect(before.largest_buy).not.toBe("0");
    for (const { symbol } of await unwrap(seat.desk.markets()))
      world.sandbox.exchange.apply({ type: "setMarketStatus", symbol, status: "halted" }, Date.now());
    await seat.desk.place(BUY);
    expect((await seat.desk.status()).largest_buy).toBe("0");
  });

  it("is not undone by a list that was on its way before", async () => {
    await placed();
    const markets = Reflect.get(apiClass().prototype, "markets") as () => Promise<unknown>;
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    vi.spyOn(apiClass().prototype, "markets").mockImplementationOnce(async function (this: unknown) {
      const answer = await markets.call(this);
      await held;
      return answer as never;
    });
    const before = world.proxy.deliveries(MARKETS);
    world.clock.skewMs += 11_000;
    const early = seat.desk.markets();
    await vi.waitFor(() => expect(world.proxy.deliveries(MARKETS)).toBe(before + 1));
    world.clock.skewMs -= 11_000;
    mark("halted");
    expect(await seat.desk.place({ ...BUY, base_volume: "0.005" })).toMatchObject({ outcome: "rejected" });
    goOn();
    await early;
    const now = await unwrap(seat.desk.markets());
    expect(now.find(({ symbol }) => symbol === "BTC/KRW")?.status).toBe("halted");
  });

  it("when refused for anything but the market, costs no look at the markets, and changes nothing", async () => {
    await placed();
    const before = world.proxy.deliveries(MARKETS);
    world.proxy.plan(ORDER_POST, "limited");
    await seat.desk.place({ ...BUY, base_volume: "0.005" });
    await seat.desk.markets();
    expect(world.proxy.deliveries(MARKETS)).toBe(before);
    expect(open()).toHaveLength(1);
    expect(units("0.004")).toBe(open()[0]?.volume);
  });
});

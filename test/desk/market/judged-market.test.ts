import { describe, expect, it } from "vitest";
import { failed, localFault, ok } from "../../../src/contract/index.ts";
import { DeskContext, type DeskParts } from "../../../src/desk/core/context.ts";
import type { IntentRecord } from "../../../src/desk/index.ts";
import { judgedMarket } from "../../../src/desk/market/judged-market.ts";
import { BOOK, NOW_MS, POLICY } from "../risk/policy-question.ts";

const SYMBOL = "BTC/KRW";

function open(intentId: string, price: string): IntentRecord {
  const order = { symbol: SYMBOL, side: "buy", type: "limit", price, volume: "1" } as const;
  const body = { order, environment: "sandbox", keyId: "k", digest: "d" } as const;
  const sent = {
    state: "open",
    nonce: "1",
    orderId: intentId,
    held: "1",
    unit: "KRW",
    isLive: true,
    sentAtMs: 1,
  } as const;
  return { intentId, account: "a", userref: intentId, body, createdAtMs: 1, updatedAtMs: 1, ...sent };
}

const TRADE = { trade_id: "1", symbol: SYMBOL, side: "buy", price: "100", volume: "1" } as const;
const FAULT = localFault("ELocal:Venue unreachable");

/** What the stream has of each, and how old that is. */
type Followed = Readonly<Record<"book" | "trades", number | undefined>>;

/** A desk whose journal answers one reading after the other, and the steps that were taken. */
function contextOf(
  readings: readonly (readonly IntentRecord[] | undefined)[],
  fails?: "book" | "trades",
  followed?: Followed,
) {
  const steps: string[] = [];
  const left = [...readings];
  const read = async () => {
    steps.push("own");
    const intents = left.shift();
    return intents === undefined ? failed(FAULT) : ok(intents);
  };
  const answer = <T>(name: "book" | "trades", value: T) => {
    steps.push(name);
    return fails === name ? failed(FAULT) : ok(value);
  };
  const isoNow = new Date(NOW_MS).toISOString();
  const follow = <T>(name: "book" | "trades", value: T) => {
    const ageMs = followed?.[name];
    if (ageMs === undefined) return undefined;
    steps.push(`${name} of the stream`);
    return { ...value, atMs: NOW_MS - ageMs };
  };
  const stream = {
    book: () => follow("book", { ...BOOK, symbol: SYMBOL }),
    trades: () => follow("trades", { trades: [{ ...TRADE, time: isoNow }] }),
  };
  const parts = {
    ...(followed === undefined ? {} : { stream }),
    clock: { now: () => NOW_MS },
    journal: { openOrExecuted: read },
    venue: {
      clockOffsetMs: () => undefined,
      orderbook: async () => answer("book", { ...BOOK, symbol: SYMBOL }),
      trades: async () => answer("trades", [{ ...TRADE, time: isoNow }]),
    },
  };
  return { context: new DeskContext(parts as unknown as DeskParts), steps };
}

describe("what an order is judged by", () => {
  it("leaves out the orders that came while the book was asked for, and those that went", async () => {
    const { context, steps } = contextOf([
      [open("went", "100"), open("stays", "101")],
      [open("stays", "101"), open("came", "102")],
    ]);
    const seen = await judgedMarket(context, SYMBOL, POLICY);
    expect(steps).toEqual(["own", "book", "trades", "own"]);
    expect(seen.ok && seen.value.ownOrders !== "too many" && seen.value.ownOrders.map(({ price }) => price)).toEqual([
      "100",
      "101",
      "102",
    ]);
    expect(seen.ok && seen.value.tradedPrice?.toString()).toBe("100");
  });

  it("reads the own orders once, and last, where the stream has all else at that moment", async () => {
    const { context, steps } = contextOf([[open("came", "102")]], undefined, { book: 0, trades: 0 });
    const seen = await judgedMarket(context, SYMBOL, POLICY);
    expect(steps).toEqual(["book of the stream", "trades of the stream", "own"]);
    expect(seen).toMatchObject({ ok: true, value: { ownOrders: [{ price: "102" }], own: { length: 1 } } });
    expect(seen.ok && seen.value.tradedPrice?.toString()).toBe("100");
  });

  it.each([
    ["no trades", { book: 0, trades: undefined }],
    ["old trades", { book: 0, trades: POLICY.bookMaxAgeMs }],
    ["an old book", { book: POLICY.bookMaxAgeMs, trades: 0 }],
  ])("reads them twice where the stream has %s", async (_, followed) => {
    const { context, steps } = contextOf([[open("went", "100")], [open("came", "102")]], undefined, followed);
    const seen = await judgedMarket(context, SYMBOL, POLICY);
    expect(steps.filter((step) => !step.endsWith("stream"))).toEqual([
      "own",
      expect.stringMatching(/^(book|trades)$/),
      "own",
    ]);
    expect(seen).toMatchObject({ value: { ownOrders: [{ price: "100" }, { price: "102" }] } });
  });

  it("does not ask for trades where the collar is off", async () => {
    const { context, steps } = contextOf([[], []]);
    const seen = await judgedMarket(context, SYMBOL, { ...POLICY, priceCollar: "off" });
    expect(seen).toMatchObject({ ok: true, value: { ownOrders: [], tradedPrice: undefined } });
    expect(steps).toEqual(["own", "book", "own"]);
  });

  it("tells when the own orders are too many to be known, whenever they were", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => open(String(index), "100"));
    for (const readings of [
      [many, []],
      [[], many],
    ])
      expect(await judgedMarket(contextOf(readings).context, SYMBOL, POLICY)).toMatchObject({
        value: { ownOrders: "too many" },
      });
    const fewer = contextOf([many.slice(1), []]).context;
    expect(await judgedMarket(fewer, SYMBOL, POLICY)).toMatchObject({ value: { ownOrders: { length: 999 } } });
  });

  it("is a fault where any of it cannot be had", async () => {
    const cases = [contextOf([undefined]), contextOf([[]]), contextOf([[], []], "book"), contextOf([[], []], "trades")];
    for (const { context } of cases)
      expect(await judgedMarket(context, SYMBOL, POLICY)).toEqual({ ok: false, fault: FAULT });
  });
});

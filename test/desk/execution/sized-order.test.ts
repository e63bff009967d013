/** Sizes as people say them: a share of what there is, or KRW at a price. What they come to, and that it stays that. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type Market, ok } from "../../../src/contract/index.ts";
import { parseShare, quantity, type Rate } from "../../../src/decimal/index.ts";
import { ofAvailable } from "../../../src/desk/execution/sized-order.ts";
import type { OrderRequest, WriteReport } from "../../../src/desk/index.ts";
import { has, ONE, units } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { market as MARKET } from "../../fixture/order-sample.ts";
import { sealShown } from "../../fixture/person.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

openWorldPerTest();

const text = (count: bigint): string => {
  const digits = count.toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, "");
};
const shareOf = (percent: string): Rate => {
  const parsed = parseShare(percent);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
};

const SELL: OrderRequest = { symbol: "BTC/KRW", side: "sell", type: "market", base_volume: "50%" };
const BUY: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "100%" };
const LIMIT = { type: "limit", price: "150000000" } as const;

/** The account's balance becomes another, by no order of this desk. */
function withdraw(asset: string, amount: string): void {
  const { exchange, accountId } = world.sandbox;
  const done = exchange.apply({ type: "withdraw", accountId, asset, amount: units(amount) }, Date.now());
  if (!done.ok) throw new Error(done.message);
}
const volumes = () => world.orders().map(({ volume }) => text(volume ?? 0n));

describe("a share of what is available", () => {
  let market: Market;
  beforeAll(() => {
    market = { ...MARKET, maker_fee_rate: "0.0004", taker_fee_rate: "0.0005" } as Market;
  });
  const shares = fc.bigInt(1n, 10n ** 10n).map((count) => `${text(count)}%`);
  const balances = fc.bigInt(0n, 10n ** 20n).map(text);
  const steps = fc.integer({ min: 0, max: 8 });

  it("takes the most coins on the step that is not more than the share", () => {
    fc.assert(
      fc.property(shares, balances, steps, (given, available, volume_decimals) => {
        const asked = { asked: "base_volume", given } as const;
        const { size } = ofAvailable({ ...market, volume_decimals }, SELL, asked, { share: shareOf(given), available });
        const part = quantity(available).scale(shareOf(given));
        const step = quantity(volume_decimals === 0 ? "1" : `0.${"1".padStart(volume_decimals, "0")}`);
        expect(quantity(size).lte(part)).toBe(true);
        expect(quantity(size).plus(step).gt(part)).toBe(true);
        expect(quantity(size).decimals()).toBeLessThanOrEqual(volume_decimals);
      }),
    );
  });

  /** By whole numbers alone, of 10^-18: price × volume × 1.0005, and the percentage of the balance. */
  const costOf = (volume: bigint, at: bigint) => volume * at * 100_050_000n * 100n;
  const fundsOf = (given: string, available: string) => units(available) * units(given.slice(0, -1));

  it("buys for KRW with the fee in it: never more than the share, and a step more would be", () => {
    const prices = fc.bigInt(1n, 10n ** 9n);
    fc.assert(
      fc.property(shares, balances, prices, steps, (given, available, price, volume_decimals) => {
        const asked = { asked: "quote_amount", given } as const;
        const request: OrderRequest = { ...BUY, type: "limit", price: String(price) };
        const { size, field } = ofAvailable({ ...market, volume_decimals }, request, asked, {
          share: shareOf(given),
          available,
        });
        expect(field).toBe("base_volume");
        const step = 10n ** BigInt(8 - volume_decimals);
        expect(units(size) % step).toBe(0n);
        expect(costOf(units(size), price) <= fundsOf(given, available)).toBe(true);
        expect(costOf(units(size) + step, price) > fundsOf(given, available)).toBe(true);
      }),
    );
  });

  it("comes, for KRW at the market, to whole won that its fee can be paid with", () => {
    fc.assert(
      fc.property(shares, balances, (given, available) => {
        const asked = { asked: "quote_amount", given } as const;
        const { size } = ofAvailable(market, BUY, asked, { share: shareOf(given), available });
        const withFee = (won: bigint) => won * 100_050_000n * 10n ** 10n <= fundsOf(given, available);
        expect(size).toMatch(/^\d+$/);
        expect(withFee(BigInt(size))).toBe(true);
        expect(withFee(BigInt(size) + 1n)).toBe(false);
      }),
    );
  });

  it.runIf(has("told"))("passes at the exchange when it is everything, at the market and at a price", async () => {
    withdraw("KRW", "1234567");
    world.rest("sell", "150000000", "0.01");
    world.rest("sell", "150500000", "5");
    const all = await seat.desk.place({ ...BUY, ...LIMIT, quote_amount: "100%" });
    expect(all).toMatchObject({ outcome: "accepted", state: "partially_filled" });
    // 8 765 433 / (150 000 000 × 1.0005)
    expect(all.order?.volume).toBe("0.05840701");
    expect(all.sizing).toBe(
      "quote_amount 100% came to base_volume 0.05840701: 100% of the ₩8,765,433 available, with the fee in it, rounded down",
    );
    await seat.desk.cancelAll();
    const rest = await seat.desk.place(BUY);
    expect(rest).toMatchObject({ outcome: "accepted", state: "filled" });
    const left = world.sandbox.exchange.balances(world.sandbox.accountId).find(({ asset }) => asset === "KRW");
    expect((left?.available ?? 0n) < 2n * ONE + 150_000_000n).toBe(true);
    const sold = await seat.desk.place({ ...SELL, ...LIMIT, price: "160000000", base_volume: "100%" });
    expect(sold).toMatchObject({ outcome: "accepted", state: "open" });
  });

  it("sends nothing when it is next to nothing: less than the minimum", async () => {
    const none = await seat.desk.place({ ...SELL, symbol: "ETH/KRW" });
    expect(none).toMatchObject({
      state: "denied",
      error: { code: "EOrder:Order minimum not met", field: "base_volume" },
    });
    const tiny = await seat.desk.place({ ...BUY, quote_amount: "0.04%" });
    expect(tiny).toMatchObject({
      state: "denied",
      error: { code: "EOrder:Order minimum not met", field: "quote_amount" },
    });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
  });
});

describe("a repetition", () => {
  it.runIf(has("told"))(
    "names the first order when the userref is the same, whatever the balance is by then",
    async () => {
      world.rest("buy", "140000000", "5");
      const first = await seat.desk.place({ ...SELL, userref: "half" });
      expect(first).toMatchObject({ outcome: "accepted", state: "filled", order: { volume: "0.5" } });
      const again = await seat.desk.place({ ...SELL, userref: "half" });
      expect(again).toMatchObject({ intent_id: first.intent_id, order: { volume: "0.5" }, sizing: first.sizing });
      expect(again.warnings.join()).toContain("requested before");
      const restarted = await world.seat();
      expect(await restarted.desk.place({ ...SELL, userref: "half" })).toMatchObject({ intent_id: first.intent_id });
      expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
      // Another share under it is another order.
      const other = await seat.desk.place({ ...SELL, base_volume: "60%", userref: "half" });
      expect(other).toMatchObject({ state: "denied", error: { code: "ELocal:Userref in use" } });
      expect(volumes()).toEqual(["0.5"]);
    },
  );

  it.runIf(has("proof"))(
    "sends the first size when the userref is the same and that one is proven not placed",
    async () => {
      world.rest("buy", "140000000", "5");
      world.proxy.plan(ORDER_POST, "swallow");
      expect(await seat.desk.place({ ...SELL, userref: "half" })).toMatchObject({ state: "not_placed" });
      withdraw("BTC", "0.2");
      expect(await seat.desk.place({ ...SELL, userref: "half" })).toMatchObject({ order: { volume: "0.5" } });
    },
  );

  it("names that one when, without a userref, nobody was told its outcome: half of what is left is not meant", async () => {
    world.rest("buy", "140000000", "5");
    const doomed = await world.seat({ crashAt: "answered" });
    void doomed.desk.place(SELL);
    await doomed.died;
    expect(volumes()).toEqual(["0.5"]);
    const first = (await unwrap(world.store.journal.unresolvedOrUnacknowledged("paper", ["submitting"], 9)))[0]
      ?.intentId;
    expect(first).toBeTypeOf("string");
    const again = await seat.desk.place(SELL);
    expect(again).toMatchObject({
      outcome: "accepted",
      intent_id: first,
      duplicate_of: first,
      order: { volume: "0.5" },
    });
    expect(again.error).toBeUndefined();
    expect(volumes()).toEqual(["0.5"]);
    // Told of it, whoever asks once more wants half of what is left.
    expect(await seat.desk.place(SELL)).toMatchObject({ order: { volume: "0.25" } });
  });

  it("places, for a draft, what was previewed, not the share anew", async () => {
    world.rest("buy", "140000000", "5");
    const preview = await seat.desk.preview(SELL);
    if (!preview.ok) throw new Error(preview.fault.message);
    expect(preview.value).toMatchObject({ valid: true, order: { base_volume: "0.5" } });
    withdraw("BTC", "0.3");
    const draft_id = preview.value.draft_id ?? "";
    const placed = await seat.desk.place({ draft_id });
    expect(placed).toMatchObject({ order: { volume: "0.5" }, sizing: expect.stringContaining("50% of the 1 BTC") });
    expect(await seat.desk.place({ draft_id })).toMatchObject({ intent_id: placed.intent_id });
  });
});

describe("a person's yes", () => {
  const confirming = () =>
    world.seat({ policy: changeablePolicy({ ...LOOSE, mode: "confirm", approvalDrift: LOOSE.approvalDrift }) });
  const answered = async (
    request: OrderRequest,
    answer: OrderRequest,
  ): Promise<{ asked: WriteReport; report: WriteReport }> => {
    world.rest("buy", "140000000", "5");
    const { desk } = await confirming();
    const asked = await desk.place(request, "window");
    expect(asked).toMatchObject({ state: "awaiting_approval", approval: { order: { volume: "0.5" } } });
    const seal = await sealShown(desk, asked.intent_id ?? "", request, "window");
    if (!seal.ok) throw new Error(seal.fault.message);
    withdraw("BTC", "0.4");
    const report = await desk.answerApproval({ seal: seal.value, said: "yes", request: answer, session: "window" });
    return { asked, report };
  };

  it("is to the volume that was shown, not to the share of what is there by then", async () => {
    const { asked, report } = await answered(SELL, SELL);
    expect(report).toMatchObject({ outcome: "accepted", intent_id: asked.intent_id, order: { volume: "0.5" } });
    expect(volumes()).toEqual(["0.5"]);
  });

  it.each([
    ["another share", { ...SELL, base_volume: "60%" }],
    ["a share of another side", { ...BUY, quote_amount: "50%" }],
    ["half at a price", { ...SELL, ...LIMIT }],
  ])("does not count for %s", async (_, other) => {
    const { report } = await answered(SELL, other);
    expect(report).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Approval mismatch" } });
    expect(world.orders()).toEqual([]);
  });

  it("is asked for once: half, requested again while it waits, is the one that waits", async () => {
    world.rest("buy", "140000000", "5");
    const { desk } = await confirming();
    const asked = await desk.place(SELL);
    withdraw("BTC", "0.4");
    const again = await desk.place(SELL);
    expect(again).toMatchObject({ state: "awaiting_approval", intent_id: asked.intent_id });
    expect(await desk.pending()).toMatchObject(ok({ pending: [{ order: { volume: "0.5" } }] }));
  });
});

it("a share is no size of an order that is changed: what is open is locked, not available", async () => {
  const open = await seat.desk.place({ ...SELL, ...LIMIT, base_volume: "0.1" });
  const orderId = open.order?.orderId ?? "";
  const changed = await seat.desk.replace({ orderId, base_volume: "50%" });
  expect(changed).toMatchObject({ outcome: "not_sent", state: "denied", error: { field: "base_volume" } });
  expect(world.orders()).toMatchObject([{ state: "open" }]);
});

/** What holds for any numbers: their look, the price units, and that money is neither made nor lost. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { double } from "../../../../src/sandbox/venue-kit/json-text.ts";
import { deposit, openUpbit, refusal, type Upbit, type UpbitClient } from "./upbit-client.ts";

const SCALE = 8;
const ONE = 10n ** BigInt(SCALE);

/** Counts of 1e-8 of a decimal, exponents included. */
function unitsOf(text: string): bigint {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^(-?)(\d+)\.?(\d*)(?:E(-?\d+))?$/.exec(text) ?? [];
  const zeros = SCALE + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const units = zeros >= 0 ? digits * 10n ** BigInt(zeros) : digits / 10n ** BigInt(-zeros);
  return sign === "-" ? -units : units;
}

function textOf(units: bigint): string {
  return `${units / ONE}.${String(units % ONE).padStart(SCALE, "0")}`.replace(/\.?0+$/, "");
}

describe("a double", () => {
  it("is the decimal that it was, in Java's form", () => {
    const most = 10n ** 17n - 1n;
    fc.assert(
      fc.property(fc.bigInt({ min: -most, max: most }), fc.nat(3), (number, more) => {
        const units = number * 10n ** BigInt(more);
        const { text } = double(units);
        expect(unitsOf(text)).toBe(units);
        expect(text).toMatch(/^-?(0\.0|[1-9]\.(0|\d*[1-9])E(-[4-9]|[7-9]|1\d)|(0\.0{0,2}[1-9]|[1-9]\d{0,6}\.)\d*)$/);
        expect(String(JSON.parse(text))).toBe(String(Number(text)));
      }),
    );
  });

  it("has no more digits than a double keeps", () => {
    expect(double(123_456_789_012_345_678_901n).text).toBe("1.2345678901234567E12");
  });
});

/** The venue's page of May 2026, and below 100 what clients quote: from a price on, the unit. */
const UNITS = [
  ["1000000", "1000"],
  ["500000", "500"],
  ["100000", "100"],
  ["50000", "50"],
  ["10000", "10"],
  ["5000", "5"],
  ["100", "1"],
  ["10", "0.1"],
  ["1", "0.01"],
  ["0.1", "0.001"],
  ["0.01", "0.0001"],
  ["0.001", "0.00001"],
  ["0.0001", "0.000001"],
].map(([from = "", unit = ""]) => [unitsOf(from), unitsOf(unit)] as const);

function unitAt(price: bigint): bigint {
  return UNITS.find(([from]) => from <= price)?.[1] ?? 1n;
}

describe("an exchange over HTTP", () => {
  let upbit: Upbit;
  let paper: UpbitClient;
  let maker: UpbitClient;
  beforeAll(async () => {
    upbit = await openUpbit({ limits: { venueRateFactor: 1_000_000 } });
    ({ paper, maker } = upbit);
  });
  afterAll(async () => {
    await upbit.venue.sandbox.close();
    expect(upbit.venue.defects).toEqual([]);
  });

  it("takes a price on its unit and no other", async () => {
    deposit(upbit.venue, "paper", "KRW", 10n ** 12n * ONE);
    const band = fc.constantFrom(
      ...UNITS.map(([from, unit], index) => ({ from, unit, next: UNITS[index - 1]?.[0] ?? 3n * from })),
    );
    const price = band.chain(({ from, unit, next }) =>
      fc.tuple(fc.bigInt({ min: from / unit, max: (next - 1n) / unit }), fc.constantFrom(0n, 0n, 1n, 2n, 5n)).map(
        // A half or a tenth of a unit beside it.
        ([count, beside]) => count * unit + (beside * unit) / 10n,
      ),
    );
    const market = (units: bigint): readonly [code: string, decimals: number] =>
      units >= 100n * ONE ? ["KRW-BTC", 8] : units >= 10n * ONE ? ["KRW-HBAR", 7] : ["KRW-SHIB", 2];
    await fc.assert(
      fc.asyncProperty(price, async (units) => {
        const [code, volumeDecimals] = market(units);
        const step = 10n ** BigInt(SCALE - volumeDecimals);
        const volume = ((6_000n * ONE * ONE) / units / step + 1n) * step;
        const order = { market: code, price: textOf(units), volume: textOf(volume) };
        const reply = await paper.order(order);
        const isOnUnit = units % unitAt(units) === 0n;
        const outcome = reply.status === 201 ? [201, reply.json.price] : refusal(reply);
        expect(outcome).toEqual(isOnUnit ? [201, textOf(units)] : [400, "invalid_price_bid"]);
      }),
      { numRuns: 200 },
    );
    for (;;) if ((await paper.delete("orders/open", { count: "300" })).json.success.count === 0) break;
  });

  it("makes no money and loses none, and locks what open orders say", async () => {
    deposit(upbit.venue, "paper", "BTC", 10n * ONE);
    const before = await totals();
    const order = fc.record({
      by: fc.constantFrom("paper", "maker"),
      side: fc.constantFrom("bid", "ask"),
      kind: fc.constantFrom("limit", "limit", "ioc", "fok", "post_only", "market", "best"),
      level: fc.integer({ min: -5, max: 5 }),
      volume: fc.bigInt({ min: 10_000n, max: 5_000_000n }),
      cancels: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 5, maxLength: 20 }), async (orders) => {
        for (const { by, side, kind, level, volume, cancels } of orders) {
          const client = by === "paper" ? paper : maker;
          const price = textOf(BigInt(90_000 + level) * 1_000n * ONE);
          const total = textOf((volume * BigInt(90_000 + level)) / 100_000n);
          await client.order({ side, ...fieldsOf(kind, side, { price, volume: textOf(volume), total }) });
          if (cancels === 0) await client.delete("orders/open", { count: "1" });
        }
        expect(await totals()).toEqual(before);
        for (const client of [paper, maker]) await expectLocked(client);
        for (const client of [paper, maker]) await expectAddsUp(client);
      }),
      { numRuns: 12 },
    );
  });

  /** What both accounts have of won and coins, with the fees that they paid. */
  async function totals(): Promise<Record<string, string>> {
    const sums = new Map<string, bigint>();
    const add = (name: string, text: string) => sums.set(name, (sums.get(name) ?? 0n) + unitsOf(text));
    for (const client of [paper, maker]) {
      for (const { currency, balance, locked } of (await client.get("accounts")).json) {
        add(currency, balance);
        add(currency, locked);
      }
      for (const path of ["orders/open", "orders/closed"])
        for (const { paid_fee } of (await client.get(path, { limit: path.endsWith("open") ? "100" : "1000" })).json)
          add("KRW", paid_fee);
    }
    return Object.fromEntries([...sums].map(([name, sum]) => [name, textOf(sum)]));
  }

  async function expectLocked(client: UpbitClient): Promise<void> {
    const locked = { bid: 0n, ask: 0n };
    for (const { side, locked: text } of (await client.get("orders/open")).json) locked[side as "bid"] += unitsOf(text);
    const { json } = await client.get("orders/chance", { market: "KRW-BTC" });
    expect([unitsOf(json.bid_account.locked), unitsOf(json.ask_account.locked)]).toEqual([locked.bid, locked.ask]);
  }

  async function expectAddsUp(client: UpbitClient): Promise<void> {
    for (const { uuid } of (await client.get("orders/closed", { limit: "5" })).json) {
      const { json } = await client.get("order", { uuid });
      const sum = (name: "volume" | "funds"): bigint =>
        json.trades.reduce((total: bigint, trade: Record<string, string>) => total + unitsOf(trade[name] ?? ""), 0n);
      expect([sum("volume"), json.trades.length]).toEqual([unitsOf(json.executed_volume), json.trades_count]);
      if (json.volume !== undefined)
        expect(unitsOf(json.volume)).toBe(unitsOf(json.executed_volume) + unitsOf(json.remaining_volume));
      expect(unitsOf(json.paid_fee)).toBeLessThanOrEqual(sum("funds") / 2_000n);
      expect(unitsOf(json.paid_fee)).toBeGreaterThan(sum("funds") / 2_000n - BigInt(json.trades_count) - 1n);
    }
  }
});

interface Sizes {
  readonly price: string;
  readonly volume: string;
  readonly total: string;
}

function fieldsOf(kind: string, side: string, { price, volume, total }: Sizes): Record<string, string> {
  const isBuy = side === "bid";
  if (kind === "market")
    return isBuy ? { ord_type: "price", price: total, volume: "" } : { ord_type: "market", price: "", volume };
  if (kind === "best") {
    const best = { ord_type: "best", time_in_force: "ioc" };
    return isBuy ? { ...best, price: total, volume: "" } : { ...best, price: "", volume };
  }
  return { price, volume, time_in_force: kind === "limit" ? "" : kind };
}

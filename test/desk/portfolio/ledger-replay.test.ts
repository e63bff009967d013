/** What is computed from marks of a real store, held against a computation from all fills at once: to the last digit, and to the last bit of its state. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failed, localFault } from "../../../src/contract/index.ts";
import { Fraction } from "../../../src/decimal/index.ts";
import type { BalanceSighting, FillLedger, LedgerFill } from "../../../src/desk/index.ts";
import { totalsOf } from "../../../src/desk/index.ts";
import { basesBetween, CostBooks, NO_TOTALS } from "../../../src/desk/portfolio/cost-basis.ts";
import { FillSums, NO_FILLS, SUMS, totalsBetween } from "../../../src/desk/portfolio/fill-sums.ts";
import { NOW, replay, supply } from "../../../src/desk/portfolio/ledger-replay.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { unwrap } from "../../fixture/result.ts";
import { keptFills } from "../../store/fill.ts";
import { freshCosts, inOrder } from "./fresh-costs.ts";
import { text } from "./random-history.ts";

const METHODS = ["average", "fifo"] as const;
const PACE = { page: 4, lastingEvery: 7, newestAfter: 2 };
const END = { doneToMs: undefined };

let dir: string;
let store: Store<string, unknown>;
const reopen = async (name = "hoga.db"): Promise<void> => {
  store?.close();
  const parts = { clock: { now: () => 1, sleep: async () => {} }, random: () => 0.5 };
  store = await openStore({ path: join(dir, name) }, parts);
};
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "hoga-replay-"));
  await reopen();
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

const figure = (max: bigint) => fc.bigInt({ min: 1n, max }).map(text);
/** Few milliseconds and numbers, so that some come twice, and many at once. */
const fillOf = fc.record({
  tradeId: fc.integer({ min: 1, max: 120 }).map(String),
  orderId: fc.constantFrom("a", "b"),
  symbol: fc.constantFrom("BTC/KRW", "BTC/KRW", "ETH/KRW", "ETH/BTC"),
  side: fc.constantFrom("buy" as const, "buy" as const, "sell" as const),
  price: figure(10n ** 10n),
  volume: figure(10n ** 9n),
  value: figure(10n ** 10n),
  fee: figure(10n ** 8n),
  feeCurrency: fc.constantFrom("KRW", "KRW", "BTC", "ETH", "HGA"),
  atMs: fc.integer({ min: 1, max: 40 }),
});
const moment = fc.integer({ min: 0, max: 45 });
/** Mostly less than the fills have left. */
const sightingOf = fc.record({
  asset: fc.constantFrom("BTC", "ETH", "KRW", "HGA"),
  total: figure(10n ** 9n),
  atMs: fc.integer({ min: 1, max: 45 }),
  sinceMs: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
});
const step = fc.oneof(
  fc.record({
    type: fc.constant("see" as const),
    account: fc.constantFrom("a", "b"),
    sightings: fc.array(sightingOf, { maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant("keep" as const),
    account: fc.constantFrom("a", "b"),
    fills: fc.array(fillOf, { maxLength: 12 }),
  }),
  fc.record({ type: fc.constant("look" as const), account: fc.constantFrom("a", "b"), fromMs: moment, forMs: moment }),
  fc.record({ type: fc.constant("reopen" as const) }),
);

interface Look {
  readonly account: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const digits = (figureOf: Fraction): string => figureOf.rounded(8, "half_even");

/** Everything that a portfolio shows of a period, from marks, and from all fills. */
async function bothViews(ledger: FillLedger, look: Look, method: (typeof METHODS)[number]) {
  const { account, fromMs, toMs } = look;
  const fills = await keptFills(store.fills, account, 7);
  const begin = (kept?: string) => new CostBooks(method, "KRW", kept, 2);
  const at = [fromMs - 1, toMs, NOW];
  const replayed = await unwrap(replay({ ledger, account, kind: method, begin, at, pace: PACE }));
  const [opening = NO_TOTALS, closing = NO_TOTALS, now = NO_TOTALS] = replayed.totals;
  const books = replayed.computation;
  const state = books.toText();
  const bases = basesBetween(opening, closing, now);
  const sightings = await unwrap(ledger.sightings(account));
  const fresh = freshCosts(fills, method, { fromMs, toMs }, sightings);
  const whole = new CostBooks(method, "KRW");
  enterAll(whole, fills, sightings);
  // Of everything a third went without a fill.
  const gone = new Map(
    [...bases.byAsset].map(([asset, { held }]) => [asset, held.volume.share(Fraction.of("1"), Fraction.of("3"))]),
  );
  if (books.rereading !== undefined) await unwrap(supply({ ledger, account }, books.rereading, gone));
  const shownBy = ({ byAsset, unpricedFees }: typeof bases, without: typeof fresh.without) => ({
    unpricedFees,
    assets: [...byAsset].map(([asset, { held, realized, fees, uncostedSold }]) => {
      const left = without(asset, gone.get(asset) ?? Fraction.ZERO);
      const figures = [held.volume, held.cost, held.bareCost, realized, fees, uncostedSold, left.volume, left.cost];
      return [asset, ...figures.map(digits)];
    }),
  });
  return {
    replayed: [state, shownBy(bases, (asset, volume) => books.without(asset, volume))],
    fresh: [whole.toText(), shownBy(fresh.bases, fresh.without)],
  };
}

function enterAll(
  computation: CostBooks | FillSums,
  fills: readonly LedgerFill[],
  sightings: readonly BalanceSighting[],
): void {
  for (const event of inOrder(fills, sightings))
    if ("total" in event) computation.see(event);
    else computation.enter(event);
}

async function bothSums(ledger: FillLedger, { account, fromMs, toMs }: Look, symbol: string | undefined) {
  const fills = await keptFills(ledger, account, 7);
  const replayed = await unwrap(replay({ ledger, account, ...SUMS, at: [fromMs - 1, toMs], pace: PACE }));
  const [opening = NO_FILLS, closing = NO_FILLS] = replayed.totals;
  const whole = new FillSums();
  const sightings = await unwrap(ledger.sightings(account));
  const isMeant = ({ atMs }: { readonly atMs: number }): boolean => atMs <= toMs;
  enterAll(whole, fills.filter(isMeant), sightings.filter(isMeant));
  const ofPeriod = fills.filter(
    (fill) => fill.atMs >= fromMs && fill.atMs <= toMs && (symbol ?? fill.symbol) === fill.symbol,
  );
  return {
    replayed: [replayed.computation.toText(), totalsBetween(opening, closing, symbol)],
    fresh: [whole.toText(), totalsOf(ofPeriod.map((fill) => ({ ...fill, fee_currency: fill.feeCurrency })))],
  };
}

async function expectSame(look: Look): Promise<void> {
  for (const method of METHODS) {
    const { replayed, fresh } = await bothViews(store.fills, look, method);
    expect(replayed).toEqual(fresh);
  }
  for (const symbol of [undefined, "ETH/BTC"]) {
    const { replayed, fresh } = await bothSums(store.fills, look, symbol);
    expect(replayed).toEqual(fresh);
  }
}

const WHOLE = { account: "a", fromMs: 0, toMs: NOW };
const buy = (n: number, more: Partial<LedgerFill> = {}): LedgerFill => {
  const amounts = { price: "100", volume: "1", value: "100", fee: "1", feeCurrency: "KRW" };
  return { tradeId: String(n), orderId: "o", symbol: "BTC/KRW", side: "buy", ...amounts, atMs: n, ...more };
};
const many = (count: number) => Array.from({ length: count }, (_, at) => buy(at + 1));
const marks = async (kind = "average") => {
  const found: number[] = [];
  for (let toMs = NOW; ; ) {
    const mark = await unwrap(store.fills.mark("a", kind, toMs));
    if (mark === undefined) return found;
    found.unshift(mark.toMs);
    toMs = mark.toMs - 1;
  }
};

describe("a replay from marks", () => {
  it("agrees with all fills and balances at once: late ones, some twice, two accounts, another process", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
        run += 1;
        await reopen(`${run}.db`);
        for (const each of steps) {
          if (each.type === "reopen") await reopen(`${run}.db`);
          else if (each.type === "see") await unwrap(store.fills.keepSightings(each.account, each.sightings, 1));
          else if (each.type === "keep") await unwrap(store.fills.keep(each.account, each.fills, END));
          else await expectSame({ account: each.account, fromMs: each.fromMs, toMs: each.fromMs + each.forMs });
        }
        await expectSame(WHOLE);
        await expectSame({ ...WHOLE, account: "b" });
      }),
      // A smaller example would take longer to find than the test may.
      { numRuns: 150, endOnFailure: true },
    );
    expect(run).toBe(150);
  }, 120_000);

  it("reads what is newer than its last mark, and keeps one of the newest besides those that last", async () => {
    await unwrap(store.fills.keep("a", many(41), END));
    await expectSame(WHOLE);
    expect(await marks()).toEqual([7, 14, 21, 28, 35, 40]);
    await unwrap(
      store.fills.keep(
        "a",
        [42, 43, 44].map((n) => buy(n)),
        END,
      ),
    );
    const read: number[] = [];
    const ledger: FillLedger = {
      ...store.fills,
      page: async (...asked) => {
        const page = await store.fills.page(...asked);
        read.push(...(page.ok ? page.value.map(({ atMs }) => atMs) : []));
        return page;
      },
    };
    const begin = (kept?: string) => new CostBooks("average", "KRW", kept);
    await unwrap(replay({ ledger, account: "a", kind: "average", begin, at: [NOW], pace: PACE }));
    expect(read).toEqual([41, 42, 43, 44]);
    expect(await marks()).toEqual([7, 14, 21, 28, 35, 42]);
  });

  it("keeps the newest mark also where the last page is full", async () => {
    await unwrap(store.fills.keep("a", many(40), END));
    await expectSame(WHOLE);
    expect(await marks()).toEqual([7, 14, 21, 28, 35, 39]);
  });

  it("goes back to the mark before a fill that comes late", async () => {
    await unwrap(store.fills.keep("a", many(41), END));
    await expectSame(WHOLE);
    await unwrap(store.fills.keep("a", [buy(99, { atMs: 20, price: "900", value: "900" })], END));
    expect(await marks()).toEqual([7, 14]);
    await expectSame(WHOLE);
  });

  it("takes what was seen to be gone, also of purchases that are read again for it, and goes on from marks", async () => {
    await unwrap(store.fills.keep("a", many(41), END));
    await expectSame(WHOLE);
    const seen = { asset: "BTC", total: "2", sinceMs: undefined };
    await unwrap(store.fills.keepSightings("a", [{ ...seen, atMs: 30 }], 30));
    expect(await marks()).toEqual([7, 14, 21, 28]);
    await expectSame(WHOLE);
    await unwrap(store.fills.keepSightings("a", [{ ...seen, atMs: 41 }], 41));
    const more = Array.from({ length: 20 }, (_, at) => buy(at + 42));
    await unwrap(store.fills.keep("a", more, END));
    await expectSame(WHOLE);
    const begin = (kept?: string) => new CostBooks("fifo", "KRW", kept, 2);
    const { totals } = await unwrap(replay({ ledger: store.fills, account: "a", kind: "fifo", begin, at: [NOW] }));
    expect(totals[0]?.byAsset.get("BTC")?.held.volume.rounded(8, "half_even")).toBe("22");
  });

  it("reads purchases again also for what a page sells after something went in the middle of it", async () => {
    const sale = (n: number, volume: string) => buy(n, { side: "sell", volume, value: `${volume}00` });
    // The sales of a page are read for before what is gone between them is known.
    await unwrap(store.fills.keep("a", [...many(13), sale(15, "1"), sale(17, "1")], END));
    await unwrap(store.fills.keepSightings("a", [{ asset: "BTC", total: "11", atMs: 16, sinceMs: undefined }], 16));
    await expectSame(WHOLE);
    const { replayed } = await bothViews(store.fills, WHOLE, "fifo");
    expect(replayed[1]).toMatchObject({
      assets: [["BTC", "10", "1010", "1000", "-4", "15", "0", "6.66666667", "673.33333333"]],
    });
  });

  it("is read again where a fill comes late meanwhile, and keeps no mark that lacks it", async () => {
    await unwrap(store.fills.keep("a", many(41), END));
    let late: LedgerFill[] = [buy(99, { atMs: 1, price: "900", value: "900" })];
    const ledger: FillLedger = {
      ...store.fills,
      page: async (...asked) => {
        const page = await store.fills.page(...asked);
        await unwrap(store.fills.keep("a", late.splice(0), END));
        return page;
      },
    };
    const { replayed } = await bothViews(ledger, WHOLE, "fifo");
    late = [];
    const { fresh } = await bothViews(store.fills, WHOLE, "fifo");
    expect(replayed).toEqual(fresh);
    await expectSame(WHOLE);
  });

  it("reads purchases again that are sold: of what is in memory all, one less, one more", async () => {
    await unwrap(store.fills.keep("a", many(30), END));
    await expectSame(WHOLE);
    for (const [at, volume] of [1, 3, 2, 1, 4, 3, 1, 5].entries()) {
      await unwrap(store.fills.keep("a", [buy(31 + at, { side: "sell", volume: String(volume) })], END));
      await expectSame(WHOLE);
    }
    expect(await marks("fifo")).toEqual(expect.arrayContaining([7, 14, 21, 28]));
  });

  it("needs no mark: where none can be kept it begins at the first fill", async () => {
    await unwrap(store.fills.keep("a", many(41), END));
    const ledger: FillLedger = {
      ...store.fills,
      keepMark: async () => failed(localFault("ELocal:Store unavailable")),
    };
    for (let look = 0; look < 2; look++) {
      const { replayed, fresh } = await bothViews(ledger, WHOLE, "fifo");
      expect(replayed).toEqual(fresh);
    }
    expect(await marks("fifo")).toEqual([]);
  });

  it("is not a mark of one account where two are found to be one", async () => {
    await unwrap(store.accounts.accountOf(["key"], "a", 1));
    await unwrap(store.accounts.accountOf(["other key"], "b", 1));
    await unwrap(
      store.fills.keep(
        "a",
        Array.from({ length: 40 }, (_, at) => buy(2 * at + 1)),
        END,
      ),
    );
    await unwrap(
      store.fills.keep(
        "b",
        Array.from({ length: 40 }, (_, at) => buy(2 * at + 2)),
        END,
      ),
    );
    for (const account of ["a", "b"]) await expectSame({ ...WHOLE, account });
    expect(await unwrap(store.accounts.accountOf(["key", "other key"], "a", 2))).toBe("a");
    expect(await keptFills(store.fills, "a")).toHaveLength(80);
    for (const account of ["a", "b"]) await expectSame({ ...WHOLE, account });
  });
});

/**
 * Sums what all fills moved, what they were bought and sold for, and what of the balances they do not explain, from the first one on.
 * Pure. Entry point: `FillSums`.
 *
 * Invariant: exact; what a period has is what its end has more than its beginning (`totalsBetween`).
 * Source: decision 0059.
 */
import { Fraction } from "../../decimal/index.ts";
import type { FeeTotal, FillTotals } from "../model/reports.ts";
import type { BalanceSighting, LedgerFill } from "../ports/fill-ledger.ts";
import type { Computation } from "./ledger-replay.ts";
import { movementsOf } from "./movements.ts";
import { exacts, RunningUnexplained, textsOf, type Unexplained, type UnexplainedState } from "./unexplained.ts";

interface FeeSum {
  readonly amount: Fraction;
  /** Tells whether a period had any, also where they came to nothing. */
  readonly count: number;
}

interface MarketSums {
  readonly buys: Fraction;
  readonly sells: Fraction;
  /** Keyed by currency. */
  readonly fees: ReadonlyMap<string, FeeSum>;
}

export interface SumsTotals {
  readonly byMarket: ReadonlyMap<string, MarketSums>;
  /** Holds, by asset, what came in, less what went out. */
  readonly moved: ReadonlyMap<string, Fraction>;
  /** The time of the first fill. */
  readonly firstMs: number | undefined;
  /** Holds what came without a fill, less what went: undefined where the account was not seen yet. */
  readonly unexplained: Unexplained | undefined;
}

/** The JSON of it. */
interface SumsState {
  readonly markets: readonly (readonly [symbol: string, buys: string, sells: string, fees: readonly FeeState[]])[];
  readonly moved: readonly (readonly [asset: string, by: string])[];
  readonly firstMs?: number | undefined;
  readonly unexplained?: UnexplainedState | undefined;
}
type FeeState = readonly [currency: string, amount: string, count: number];

const NO_FEE: FeeSum = { amount: Fraction.ZERO, count: 0 };
const NO_SUMS: MarketSums = { buys: Fraction.ZERO, sells: Fraction.ZERO, fees: new Map() };
export const NO_FILLS: SumsTotals = {
  byMarket: new Map(),
  moved: new Map(),
  firstMs: undefined,
  unexplained: undefined,
};

export class FillSums implements Computation<SumsTotals> {
  readonly rereading = undefined;
  readonly #byMarket: Map<string, RunningSums>;
  readonly #moved: Map<string, Fraction>;
  #firstMs: number | undefined;
  readonly #unexplained: RunningUnexplained;

  /** @param text what was kept of them; none: from the first fill on */
  constructor(text = '{"markets":[],"moved":[]}') {
    const { markets, moved, firstMs, unexplained } = JSON.parse(text) as SumsState;
    this.#unexplained = new RunningUnexplained(unexplained);
    this.#byMarket = new Map(
      markets.map(([symbol, buys, sells, fees]) => [symbol, new RunningSums(exact(buys), exact(sells), fees)]),
    );
    this.#moved = exacts(moved);
    this.#firstMs = firstMs;
  }

  toText(): string {
    const state: SumsState = {
      markets: [...this.#byMarket].map(([symbol, { buys, sells, fees }]) => [
        symbol,
        buys.exactText(),
        sells.exactText(),
        [...fees].map(([currency, { amount, count }]) => [currency, amount.exactText(), count]),
      ]),
      moved: textsOf(this.#moved),
      firstMs: this.#firstMs,
      unexplained: this.#unexplained.toState(),
    };
    return JSON.stringify(state);
  }

  totals(): SumsTotals {
    const byMarket = [...this.#byMarket].map(([symbol, { buys, sells, fees }]): [string, MarketSums] => [
      symbol,
      { buys, sells, fees: new Map(fees) },
    ]);
    return {
      byMarket: new Map(byMarket),
      moved: new Map(this.#moved),
      firstMs: this.#firstMs,
      unexplained: this.#unexplained.totals(),
    };
  }

  enter(fill: LedgerFill): void {
    this.#firstMs ??= fill.atMs;
    const sums = this.#byMarket.get(fill.symbol) ?? new RunningSums();
    this.#byMarket.set(fill.symbol, sums);
    sums.enter(fill);
    addMovements(this.#moved, fill);
    this.#unexplained.enter(fill);
  }

  see(sighting: BalanceSighting): void {
    this.#unexplained.see(sighting, this.#moved.get(sighting.asset) ?? Fraction.ZERO);
  }
}

class RunningSums implements MarketSums {
  buys: Fraction;
  sells: Fraction;
  readonly fees: Map<string, FeeSum>;

  constructor(buys = Fraction.ZERO, sells = Fraction.ZERO, fees: readonly FeeState[] = []) {
    this.buys = buys;
    this.sells = sells;
    this.fees = new Map(fees.map(([currency, amount, count]) => [currency, { amount: exact(amount), count }]));
  }

  enter({ side, value, fee, feeCurrency }: LedgerFill): void {
    if (side === "buy") this.buys = this.buys.plus(Fraction.of(value));
    else this.sells = this.sells.plus(Fraction.of(value));
    const { amount, count } = this.fees.get(feeCurrency) ?? NO_FEE;
    this.fees.set(feeCurrency, { amount: amount.plus(Fraction.of(fee)), count: count + 1 });
  }
}

export function addMovements(moved: Map<string, Fraction>, fill: LedgerFill): void {
  for (const { asset, by } of movementsOf(fill)) moved.set(asset, moved.get(asset)?.plus(by) ?? by);
}

/** To be replayed. */
export const SUMS = { kind: "sums/2", begin: (text?: string): FillSums => new FillSums(text) };

/** @param symbol of one market; all without */
export function totalsBetween(opening: SumsTotals, closing: SumsTotals, symbol: string | undefined): FillTotals {
  let [buys, sells] = [Fraction.ZERO, Fraction.ZERO];
  const fees = new Map<string, Fraction>();
  for (const [market, to] of closing.byMarket) {
    if (market !== (symbol ?? market)) continue;
    const from = opening.byMarket.get(market) ?? NO_SUMS;
    buys = buys.plus(to.buys.minus(from.buys));
    sells = sells.plus(to.sells.minus(from.sells));
    for (const [currency, { amount, count }] of to.fees) {
      const before = from.fees.get(currency) ?? NO_FEE;
      if (count === before.count) continue;
      fees.set(currency, (fees.get(currency) ?? Fraction.ZERO).plus(amount.minus(before.amount)));
    }
  }
  const shown = new Map([...fees].map(([currency, amount]) => [currency, plain(amount)]));
  return { buy_value: plain(buys), sell_value: plain(sells), fees: feeTotals(shown) };
}

/** In the order of their names. */
export function feeTotals(fees: ReadonlyMap<string, string>): readonly FeeTotal[] {
  return [...fees].sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, amount]) => ({ currency, amount }));
}

function exact(text: string): Fraction {
  return Fraction.ofExactText(text);
}

/** Sums of amounts have no more decimals than these. */
function plain(sum: Fraction): string {
  return sum.rounded(8, "half_even");
}

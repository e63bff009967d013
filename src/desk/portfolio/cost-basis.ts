/**
 * What the fills of an account say of each coin: how much of it is held at which cost, and what was earned and paid in a period. Pure.
 * Entry point: `costBases`.
 *
 * Invariants: exact; nothing is guessed. A sell of more than was bought takes the rest from what has no known cost, and earns nothing
 * that is known. What comes in for another coin than KRW has no known cost, and what goes out for one is gone at its cost. A fee in the coin
 * makes less of it come in, or more go out; a fee in KRW is part of the cost, or of the proceeds.
 *
 * Source: decision 0028; service.md#fill.
 */
import { Fraction } from "../../decimal/index.ts";
import type { LedgerFill } from "../ports/fill-ledger.ts";
import { type CostMethod, createLots, type Lot, type Lots } from "./lots.ts";

/** Unix milliseconds, both included. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface CostBasis {
  /** What the fills leave, at its cost. */
  readonly held: Lot;
  /** Of the period, in KRW, after fees. */
  readonly realized: Fraction;
  /** Of the period, in KRW; those in the coin at the price of their fill. */
  readonly fees: Fraction;
  /** Sold in the period and never bought: what it earned is not known. */
  readonly uncostedSold: Fraction;
  /** Takes out what is gone and nobody sold. @returns what is left */
  without(volume: Fraction): Lot;
}

/** A fee in what its fill has no price in KRW for. */
export interface UnpricedFee {
  readonly asset: string;
  readonly amount: Fraction;
}

export interface CostBases {
  readonly byAsset: ReadonlyMap<string, CostBasis>;
  readonly unpricedFees: readonly UnpricedFee[];
}

/** @param fills in the order of their times */
export function costBases(fills: readonly LedgerFill[], method: CostMethod, span: Span): CostBases {
  const books = new Books(method, span);
  for (const fill of fills) books.enter(fill);
  return books;
}

class Books implements CostBases {
  readonly byAsset = new Map<string, Book>();
  readonly unpricedFees: UnpricedFee[] = [];
  readonly #method: CostMethod;
  readonly #span: Span;

  constructor(method: CostMethod, span: Span) {
    this.#method = method;
    this.#span = span;
  }

  enter(fill: LedgerFill): void {
    const [base = "", quote = ""] = fill.symbol.split("/");
    const book = this.#book(base);
    const fee = Fraction.of(fill.fee);
    const feeIn = (asset: string): Fraction => (fill.feeCurrency === asset ? fee : Fraction.ZERO);
    const deal: Deal = { fill, krwFee: feeIn("KRW"), coinFee: feeIn(base) };
    if (fill.feeCurrency !== "KRW" && (fill.feeCurrency !== base || quote !== "KRW")) this.#unpriced(fill, fee);
    if (![base, quote, "KRW"].includes(fill.feeCurrency)) this.#book(fill.feeCurrency).remove(fee, fill.atMs);
    if (quote !== "KRW") this.#exchange(deal, { base, quote, quoteFee: feeIn(quote) });
    else if (fill.side === "buy") book.buy(deal);
    else book.sell(deal);
  }

  /** In a market of another coin: what comes in has no known cost in KRW. */
  #exchange({ fill, krwFee, coinFee }: Deal, { base, quote, quoteFee }: OtherMarket): void {
    const [volume, value] = [Fraction.of(fill.volume), Fraction.of(fill.value)];
    this.#book(base).charge(krwFee, fill.atMs);
    if (fill.side === "sell") this.#book(base).remove(volume.plus(coinFee), fill.atMs);
    else this.#book(quote).remove(value.plus(quoteFee), fill.atMs);
  }

  #unpriced({ feeCurrency: asset, atMs }: LedgerFill, amount: Fraction): void {
    const { fromMs, toMs } = this.#span;
    if (!amount.isZero() && atMs >= fromMs && atMs <= toMs) this.unpricedFees.push({ asset, amount });
  }

  #book(asset: string): Book {
    const found = this.byAsset.get(asset) ?? new Book(createLots(this.#method), this.#span);
    this.byAsset.set(asset, found);
    return found;
  }
}

/** A fill, and its fee in KRW or in the coin. */
interface Deal {
  readonly fill: LedgerFill;
  readonly krwFee: Fraction;
  readonly coinFee: Fraction;
}

interface OtherMarket {
  readonly base: string;
  readonly quote: string;
  readonly quoteFee: Fraction;
}

/**
 * One coin. What the period earned is its proceeds less what it cost: what was held before, and what was bought, but for what is held at
 * its end. So two fractions make the sum, not one for each sell.
 */
class Book implements CostBasis {
  fees = Fraction.ZERO;
  uncostedSold = Fraction.ZERO;
  readonly #lots: Lots;
  readonly #span: Span;
  /** The cost of what was held when the period began and when it was over. */
  #opening: Fraction | undefined;
  #closing: Fraction | undefined;
  #earned = Fraction.ZERO;

  constructor(lots: Lots, span: Span) {
    this.#lots = lots;
    this.#span = span;
  }

  get held(): Lot {
    return this.#lots.total();
  }

  get realized(): Fraction {
    if (this.#opening === undefined) return Fraction.ZERO;
    return this.#earned.minus(this.#opening).plus(this.#closing ?? this.held.cost);
  }

  buy(deal: Deal): void {
    const { fill, krwFee, coinFee } = deal;
    const isCounted = this.#countFees(deal);
    const value = Fraction.of(fill.value);
    const volume = Fraction.of(fill.volume).minus(coinFee);
    const cost = value.plus(krwFee);
    // Without the fee, what came in cost its price.
    const bareCost = coinFee.isZero() ? value : Fraction.of(fill.price).times(volume);
    // A fee may take all of it, and more.
    if (volume.cmp(Fraction.ZERO) > 0) this.#lots.add({ volume, cost, bareCost });
    else this.#lots.take(smaller(Fraction.ZERO.minus(volume), this.#lots.volume));
    if (isCounted) this.#earned = this.#earned.minus(cost);
  }

  sell(deal: Deal): void {
    const { fill, krwFee, coinFee } = deal;
    const isCounted = this.#countFees(deal);
    const gone = Fraction.of(fill.volume).plus(coinFee);
    const known = smaller(gone, this.#lots.volume);
    this.#lots.take(known);
    if (!isCounted) return;
    const proceeds = Fraction.of(fill.value).minus(krwFee);
    const isAll = known.cmp(gone) === 0;
    this.#earned = this.#earned.plus(isAll ? proceeds : proceeds.share(known, gone)).bounded();
    if (!isAll) this.uncostedSold = this.uncostedSold.plus(gone.minus(known));
  }

  /** At its cost, and nothing was earned by it. */
  remove(volume: Fraction, atMs: number): void {
    const isCounted = this.#enter(atMs);
    const cost = this.#lots.take(smaller(volume, this.#lots.volume));
    if (isCounted) this.#earned = this.#earned.plus(cost).bounded();
  }

  /** A fee of what was neither bought nor sold for KRW: no cost, and no proceeds, that it is part of. */
  charge(krwFee: Fraction, atMs: number): void {
    if (this.#enter(atMs)) this.fees = this.fees.plus(krwFee);
  }

  without(volume: Fraction): Lot {
    this.#closing ??= this.held.cost;
    this.#lots.take(smaller(volume, this.#lots.volume));
    return this.held;
  }

  /** Notes where the period begins and ends. @returns whether this is in it */
  #enter(atMs: number): boolean {
    const { fromMs, toMs } = this.#span;
    if (atMs < fromMs) return false;
    if (atMs <= toMs) {
      this.#opening ??= this.held.cost;
      return true;
    }
    this.#closing ??= this.held.cost;
    return false;
  }

  #countFees({ fill, krwFee, coinFee }: Deal): boolean {
    const isCounted = this.#enter(fill.atMs);
    if (!isCounted) return false;
    this.charge(krwFee, fill.atMs);
    if (!coinFee.isZero()) this.fees = this.fees.plus(Fraction.of(fill.price).times(Fraction.of(fill.fee)));
    return true;
  }
}

function smaller(a: Fraction, b: Fraction): Fraction {
  return a.cmp(b) <= 0 ? a : b;
}

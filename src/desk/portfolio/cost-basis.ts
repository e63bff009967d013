/**
 * Reads from the fills of an account, for each coin, how much of it is held at which cost, and what was earned and paid in a period. Pure.
 * Entry points: `CostBooks`, fill by fill, and `basesBetween`, of a period.
 *
 * Invariants: exact; nothing is guessed. Where less was seen than the fills had left, the rest was gone by then. A sell of more than was bought takes the rest from what has no known cost, and earns nothing
 * that is known. What comes in for something else than the unit of account has no known cost, and what goes out for one is gone at its cost. A fee in the coin
 * makes less of it come in, or more go out; a fee in the unit is part of the cost, or of the proceeds. What the books say after a fill depends on it and
 * those before it alone, so books that go on from what was kept of them (`toText`) say the same to the last digit.
 *
 * Source: decision 0028, decision 0059; service.md#fill.
 */
import type { Unit } from "../../contract/index.ts";
import { Fraction } from "../../decimal/index.ts";
import type { BalanceSighting, LedgerFill, LedgerPlace } from "../ports/fill-ledger.ts";
import type { Computation, Rereading } from "./ledger-replay.ts";
import { type CostMethod, createLots, type Lot, type Lots, type LotsState, type PlacedLot } from "./lots.ts";

/** Unix milliseconds, both included. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface CostBasis {
  /** Holds what the fills leave, at its cost. */
  readonly held: Lot;
  /** Sums the period, in the unit of account, after fees. */
  readonly realized: Fraction;
  /** Sums the period, in the unit; those in the coin at the price of their fill. */
  readonly fees: Fraction;
  /** Sold in the period and never bought: what it earned is not known. */
  readonly uncostedSold: Fraction;
}

export interface CostBases {
  readonly byAsset: ReadonlyMap<string, CostBasis>;
  /** In what fees of the period were paid for which their fills have no price in the unit. */
  readonly unpricedFees: readonly string[];
}

/** Takes for a period its part of what was counted from the first fill on: what its end has more than its beginning. */
export function basesBetween(opening: CostTotals, closing: CostTotals, now: CostTotals): CostBases {
  const byAsset = new Map<string, CostBasis>();
  for (const [asset, { held }] of now.byAsset) {
    const [from, to] = [opening.byAsset.get(asset) ?? NOTHING, closing.byAsset.get(asset) ?? NOTHING];
    byAsset.set(asset, {
      held,
      realized: to.realized.minus(from.realized),
      fees: to.fees.minus(from.fees),
      uncostedSold: to.uncostedSold.minus(from.uncostedSold),
    });
  }
  const isOfPeriod = (asset: string) => closing.unpricedFees.get(asset) !== opening.unpricedFees.get(asset);
  return { byAsset, unpricedFees: [...closing.unpricedFees.keys()].filter(isOfPeriod) };
}

/** Holds what was counted from the first fill on. */
export interface CostTotals {
  readonly byAsset: ReadonlyMap<string, CostBasis>;
  /** Counts the fees. */
  readonly unpricedFees: ReadonlyMap<string, number>;
}

const NO_LOT: Lot = { volume: Fraction.ZERO, cost: Fraction.ZERO, bareCost: Fraction.ZERO };
const NOTHING: CostBasis = { held: NO_LOT, realized: Fraction.ZERO, fees: Fraction.ZERO, uncostedSold: Fraction.ZERO };
export const NO_TOTALS: CostTotals = { byAsset: new Map(), unpricedFees: new Map() };

/** The JSON of it. */
interface BooksState {
  readonly books: readonly (readonly [asset: string, state: BookState])[];
  readonly unpricedFees: readonly (readonly [asset: string, count: number])[];
}

/** What is counted by a method in a unit: of each there are books of their own. */
export function costsBy(method: CostMethod, unit: Unit) {
  return { kind: `${method}/2/${unit}`, begin: (text?: string): CostBooks => new CostBooks(method, unit, text) };
}

export class CostBooks implements Computation<CostTotals>, Rereading {
  readonly rereading: Rereading | undefined;
  readonly unit: Unit;
  readonly #byAsset: Map<string, Book>;
  readonly #unpricedFees: Map<string, number>;
  readonly #newBook: (state?: BookState) => Book;

  /**
   * @param text what was kept of them; none: from the first fill on
   * @param window purchases of a coin that stay in memory
   */
  constructor(method: CostMethod, unit: Unit, text?: string, window?: number) {
    this.unit = unit;
    this.#newBook = (state) => new Book(createLots(method, state?.lots, window), state);
    this.rereading = method === "fifo" ? this : undefined;
    const { books, unpricedFees }: BooksState =
      text === undefined ? { books: [], unpricedFees: [] } : (JSON.parse(text) as BooksState);
    this.#byAsset = new Map(books.map(([asset, state]) => [asset, this.#newBook(state)]));
    this.#unpricedFees = new Map(unpricedFees);
  }

  toText(): string {
    const state: BooksState = {
      books: [...this.#byAsset].map(([asset, book]) => [asset, book.toState()]),
      unpricedFees: [...this.#unpricedFees],
    };
    return JSON.stringify(state);
  }

  totals(): CostTotals {
    const byAsset = new Map([...this.#byAsset].map(([asset, book]): [string, CostBasis] => [asset, book.totals()]));
    return { byAsset, unpricedFees: new Map(this.#unpricedFees) };
  }

  enter(fill: LedgerFill): void {
    const [base = "", quote = ""] = fill.symbol.split("/");
    const book = this.#book(base);
    const deal = dealOf(fill, this.unit);
    const fee = Fraction.of(fill.fee);
    const { unit } = this;
    if (fill.feeCurrency !== unit && (fill.feeCurrency !== base || quote !== unit)) this.#unpriced(fill, fee);
    if (![base, quote, unit].includes(fill.feeCurrency)) this.#book(fill.feeCurrency).remove(fee);
    const quoteFee = fill.feeCurrency === quote ? fee : Fraction.ZERO;
    if (quote !== unit) this.#exchange(deal, { base, quote, quoteFee });
    else if (fill.side === "buy") book.buy(deal);
    else book.sell(deal);
  }

  /** Lets go at its cost what is gone by then and nobody sold; nothing was earned by it. */
  see(sighting: BalanceSighting): void {
    const gone = this.goneBy(sighting);
    if (gone !== undefined) this.#book(sighting.asset).remove(gone);
  }

  goneBy({ asset, total }: BalanceSighting): Fraction | undefined {
    const gone = this.#byAsset.get(asset)?.lots.volume.minus(Fraction.of(total));
    return gone === undefined || gone.isNegative() || gone.isZero() ? undefined : gone;
  }

  /** Takes out what is gone and nobody sold. @returns what is left */
  without(asset: string, volume: Fraction): Lot {
    return this.#book(asset).without(volume);
  }

  wantedFor(asset: string, volume: Fraction): LedgerPlace | undefined {
    return this.#byAsset.get(asset)?.lots.wantedFor(volume);
  }

  supply(asset: string, fills: readonly LedgerFill[]): void {
    const lots = fills.flatMap((fill) => boughtBy(dealOf(fill, this.unit)) ?? []);
    this.#byAsset.get(asset)?.lots.supply(lots, fills.at(-1));
  }

  trim(): void {
    for (const { lots } of this.#byAsset.values()) lots.trim();
  }

  /** In a market of another coin: what comes in has no known cost. */
  #exchange({ fill, unitFee, coinFee }: Deal, { base, quote, quoteFee }: OtherMarket): void {
    const [volume, value] = [Fraction.of(fill.volume), Fraction.of(fill.value)];
    this.#book(base).charge(unitFee);
    if (fill.side === "sell") this.#book(base).remove(volume.plus(coinFee));
    else this.#book(quote).remove(value.plus(quoteFee));
  }

  #unpriced({ feeCurrency: asset }: LedgerFill, amount: Fraction): void {
    if (!amount.isZero()) this.#unpricedFees.set(asset, (this.#unpricedFees.get(asset) ?? 0) + 1);
  }

  #book(asset: string): Book {
    const found = this.#byAsset.get(asset) ?? this.#newBook();
    this.#byAsset.set(asset, found);
    return found;
  }
}

/** A fill, and its fee in the unit of account or in the coin. */
interface Deal {
  readonly fill: LedgerFill;
  readonly unitFee: Fraction;
  readonly coinFee: Fraction;
}

interface OtherMarket {
  readonly base: string;
  readonly quote: string;
  readonly quoteFee: Fraction;
}

interface BookState {
  readonly lots: LotsState;
  readonly earned: string;
  readonly fees: string;
  readonly uncostedSold: string;
}

/**
 * Keeps one coin. What it earned is its proceeds less what it cost: what was bought, but for what is held. So two fractions make the sum,
 * not one for each sell.
 */
class Book {
  readonly lots: Lots;
  #fees = Fraction.ZERO;
  #uncostedSold = Fraction.ZERO;
  /** The proceeds, less all that was paid. */
  #earned = Fraction.ZERO;

  constructor(lots: Lots, state?: BookState) {
    this.lots = lots;
    if (state === undefined) return;
    this.#fees = Fraction.ofExactText(state.fees);
    this.#uncostedSold = Fraction.ofExactText(state.uncostedSold);
    this.#earned = Fraction.ofExactText(state.earned);
  }

  toState(): BookState {
    return {
      lots: this.lots.toState(),
      earned: this.#earned.exactText(),
      fees: this.#fees.exactText(),
      uncostedSold: this.#uncostedSold.exactText(),
    };
  }

  totals(): CostBasis {
    const held = this.lots.total();
    return {
      held,
      realized: this.#earned.plus(held.cost),
      fees: this.#fees,
      uncostedSold: this.#uncostedSold,
    };
  }

  buy(deal: Deal): void {
    const { fill, unitFee, coinFee } = deal;
    this.#countFees(deal);
    const lot = boughtBy(deal);
    // A fee may take all of it, and more.
    if (lot === undefined) {
      const less = coinFee.minus(Fraction.of(fill.volume));
      this.lots.take(smaller(less, this.lots.volume));
    } else this.lots.add(lot);
    this.#earned = this.#earned.minus(lot?.cost ?? Fraction.of(fill.value).plus(unitFee));
  }

  sell(deal: Deal): void {
    const { fill, unitFee, coinFee } = deal;
    this.#countFees(deal);
    const gone = Fraction.of(fill.volume).plus(coinFee);
    const known = smaller(gone, this.lots.volume);
    this.lots.take(known);
    const proceeds = Fraction.of(fill.value).minus(unitFee);
    const isAll = known.cmp(gone) === 0;
    this.#earned = this.#earned.plus(isAll ? proceeds : proceeds.share(known, gone)).bounded();
    if (!isAll) this.#uncostedSold = this.#uncostedSold.plus(gone.minus(known));
  }

  /** At its cost, and nothing was earned by it. */
  remove(volume: Fraction): void {
    const cost = this.lots.take(smaller(volume, this.lots.volume));
    this.#earned = this.#earned.plus(cost).bounded();
  }

  /** A fee of what was neither bought nor sold for the unit: no cost, and no proceeds, that it is part of. */
  charge(unitFee: Fraction): void {
    this.#fees = this.#fees.plus(unitFee);
  }

  without(volume: Fraction): Lot {
    this.lots.take(smaller(volume, this.lots.volume));
    return this.lots.total();
  }

  #countFees({ fill, unitFee, coinFee }: Deal): void {
    this.charge(unitFee);
    if (!coinFee.isZero()) this.#fees = this.#fees.plus(Fraction.of(fill.price).times(Fraction.of(fill.fee)));
  }
}

function dealOf(fill: LedgerFill, unit: Unit): Deal {
  const [base = ""] = fill.symbol.split("/");
  const feeIn = (asset: string): Fraction => (fill.feeCurrency === asset ? Fraction.of(fill.fee) : Fraction.ZERO);
  return { fill, unitFee: feeIn(unit), coinFee: feeIn(base) };
}

/** Tells what a buy brings; undefined where its fee takes all of it. */
function boughtBy({ fill, unitFee, coinFee }: Deal): PlacedLot | undefined {
  const { atMs, tradeId, orderId } = fill;
  const value = Fraction.of(fill.value);
  const volume = Fraction.of(fill.volume).minus(coinFee);
  if (volume.cmp(Fraction.ZERO) <= 0) return undefined;
  // Without the fee, what came in cost its price.
  const bareCost = coinFee.isZero() ? value : Fraction.of(fill.price).times(volume);
  return { volume, cost: value.plus(unitFee), bareCost, at: { atMs, tradeId, orderId } };
}

function smaller(a: Fraction, b: Fraction): Fraction {
  return a.cmp(b) <= 0 ? a : b;
}

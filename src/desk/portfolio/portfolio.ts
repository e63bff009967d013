/**
 * The portfolio: what is held, what it cost, what it is worth, what was earned. Entry point: `portfolioOf`.
 *
 * Invariants: exact until shown, then rounded once, half-even; totals are rounded sums, not sums of rounded. What the fills do not explain
 * of a balance has no cost. Where a balance has less than the fills left, the rest is gone at its cost, and nothing was earned by it.
 *
 * Source: decision 0028.
 */
import { type Balance, ok, type Result, type Ticker } from "../../contract/index.ts";
import { Fraction } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { PortfolioAsset, PortfolioRequest, PortfolioView } from "../model/portfolio-report.ts";
import { type AccountBooks, readBooks } from "./account-books.ts";
import { type CostBases, type CostBasis, costBases, type Span } from "./cost-basis.ts";
import { equityOf } from "./equity.ts";
import { spanOf } from "./period.ts";

const DECIMALS = 8;
const PERCENT_DECIMALS = 4;
const HUNDRED = Fraction.of("100");

export async function portfolioOf(context: DeskContext, request: PortfolioRequest): Promise<Result<PortfolioView>> {
  const { clock, timeZone, venue } = context.parts;
  const { method = "average", withEquity = false } = request;
  const span = spanOf(request, clock.now(), timeZone);
  if (!span.ok) return span;
  const books = await readBooks(context);
  if (!books.ok) return books;
  const tickers = await venue.tickers();
  if (!tickers.ok) return tickers;
  const nowMs = clock.now();
  const { fromMs, toMs } = span.value;
  // What was executed while it was read is in a period that ends now.
  const isOpen = request.toMs === undefined;
  const counted = { fromMs, toMs: isOpen ? Number.MAX_SAFE_INTEGER : toMs };
  const { positions, bases } = positionsOf(books.value, tickers.value, { method, span: counted });
  const equity = withEquity
    ? await equityOf(context, {
        fills: books.value.fills,
        positions,
        span: { fromMs, toMs: isOpen ? nowMs : toMs },
        nowMs,
      })
    : undefined;
  if (equity?.ok === false) return equity;
  return ok({
    assets: positions.map(assetView),
    totals: {
      value_krw: shown(total(positions, ({ value }) => value)),
      cost_krw: shown(total(positions, ({ cost }) => cost)),
      unrealized_krw: shown(total(positions, ({ unrealized }) => unrealized)),
      realized_krw: shown(total(positions, ({ realized }) => realized)),
      fees_krw: shown(total(positions, ({ fees }) => fees)),
    },
    period: {
      name: request.fromMs === undefined && isOpen ? (request.period ?? "all") : null,
      from: fromMs === 0 ? null : new Date(fromMs).toISOString(),
      to: new Date(isOpen ? nowMs : toMs).toISOString(),
    },
    method,
    as_of: new Date(nowMs).toISOString(),
    warnings: warningsOf(positions, bases, books.value.settled),
    ...(equity === undefined ? {} : { equity: equity.value }),
    ...context.stamp(),
  });
}

/** One asset in exact numbers. */
export interface Position {
  readonly asset: string;
  readonly volume: Fraction;
  readonly available: string;
  /** Of what has a known cost. */
  readonly costed: Fraction;
  readonly cost: Fraction;
  readonly bareCost: Fraction;
  readonly uncosted: Fraction;
  /** Undefined where there is no price. */
  readonly value: Fraction | undefined;
  readonly unrealized: Fraction | undefined;
  readonly realized: Fraction;
  readonly fees: Fraction;
  readonly uncostedSold: Fraction;
}

export interface Counting {
  readonly method: "average" | "fifo";
  readonly span: Span;
}

/** What is held now, and what was of anything in the period. */
export function positionsOf(
  { balances, fills }: Pick<AccountBooks, "balances" | "fills">,
  tickers: readonly Ticker[],
  { method, span }: Counting,
): { readonly positions: readonly Position[]; readonly bases: CostBases } {
  const bases = costBases(fills, method, span);
  const gone = [...bases.byAsset.keys()]
    .filter((asset) => !balances.some((balance) => balance.asset === asset))
    .sort()
    .map((asset) => ({ asset, total: "0", available: "0" }));
  const positions = [...balances, ...gone].map((balance) =>
    positionOf(balance, bases.byAsset.get(balance.asset), priceOf(balance.asset, tickers)),
  );
  return { positions: positions.filter(isOfInterest), bases };
}

function positionOf(
  { asset, total, available }: Pick<Balance, "asset" | "total" | "available">,
  basis: CostBasis | undefined,
  last: Fraction | undefined,
): Position {
  const volume = Fraction.of(total);
  const none = Fraction.ZERO;
  const known = {
    realized: basis?.realized ?? none,
    fees: basis?.fees ?? none,
    uncostedSold: basis?.uncostedSold ?? none,
  };
  const common = { asset, volume, available, value: last?.times(volume), ...known };
  if (asset === "KRW" || basis === undefined) {
    const nothing = { costed: none, cost: none, bareCost: none, unrealized: undefined };
    return { ...common, ...nothing, uncosted: asset === "KRW" ? none : volume };
  }
  const missing = basis.held.volume.minus(volume);
  const held = missing.isNegative() ? basis.held : basis.without(missing);
  const { cost, bareCost } = held;
  const unrealized = held.volume.isZero() ? undefined : last?.times(held.volume).minus(cost);
  return { ...common, costed: held.volume, cost, bareCost, unrealized, uncosted: volume.minus(held.volume) };
}

/** Undefined where there is no KRW market, or nothing was traded in it. */
function priceOf(asset: string, tickers: readonly Ticker[]): Fraction | undefined {
  if (asset === "KRW") return Fraction.of("1");
  const last = tickers.find(({ symbol }) => symbol === `${asset}/KRW`)?.last ?? undefined;
  return last === undefined ? undefined : Fraction.of(last);
}

function isOfInterest({ volume, realized, fees, uncostedSold }: Position): boolean {
  return [volume, realized, fees, uncostedSold].some((figure) => !figure.isZero());
}

function total(positions: readonly Position[], figure: (position: Position) => Fraction | undefined): Fraction {
  return positions.reduce((sum, position) => sum.plus(figure(position) ?? Fraction.ZERO), Fraction.ZERO);
}

function assetView(position: Position): PortfolioAsset {
  const { asset, available, costed, cost, bareCost, unrealized, value } = position;
  const each = (krw: Fraction) => (costed.isZero() ? null : shown(ONE.times(krw).share(ONE, costed)));
  const percent = cost.isZero() ? undefined : unrealized?.times(HUNDRED).share(ONE, cost);
  return {
    asset,
    volume: shown(position.volume),
    available,
    average_price: each(bareCost),
    average_cost: each(cost),
    value_krw: value === undefined ? null : shown(value),
    unrealized_krw: unrealized === undefined ? null : shown(unrealized),
    unrealized_pct: percent?.rounded(PERCENT_DECIMALS, "half_even") ?? null,
    realized_krw: shown(position.realized),
    fees_krw: shown(position.fees),
    uncosted_volume: shown(position.uncosted),
  };
}

const ONE = Fraction.of("1");

function shown(figure: Fraction): string {
  return figure.rounded(DECIMALS, "half_even");
}

function warningsOf(positions: readonly Position[], { unpricedFees }: CostBases, settled: boolean): readonly string[] {
  const sold = positions.filter(({ uncostedSold }) => !uncostedSold.isZero());
  const unvalued = positions.filter(({ value, volume }) => value === undefined && !volume.isZero());
  const fees = [...new Set(unpricedFees.map(({ asset }) => asset))];
  return [
    ...sold.map(
      ({ asset, uncostedSold }) =>
        `${shown(uncostedSold)} ${asset} that had no known cost were sold in the period: what that earned is not known, and in no profit.`,
    ),
    ...unvalued.map(({ asset }) => `${asset} has no price in KRW: it is in no value.`),
    ...fees.map(
      (asset) => `Fees were paid in ${asset}, for which their fills have no price in KRW: they are in no figure.`,
    ),
    ...(settled ? [] : ["The balances moved while they were read: ask again for figures of one moment."]),
  ];
}

/**
 * The portfolio: what is held, what it cost, what it is worth, what was earned. Entry point: `portfolioOf`.
 *
 * Invariants: exact until shown, then rounded once, half-even; totals are rounded sums, not sums of rounded. What the fills do not explain
 * of a balance has no cost. Where a balance has less than the fills left, the rest is gone at its cost since it was first seen so, and nothing was
 * earned by it.
 *
 * Source: decision 0028, decision 0059.
 */
import { type Balance, defined, ok, type Result, type Ticker, type Unit } from "../../contract/index.ts";
import { Fraction } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { localTime } from "../core/local-time.ts";
import type { HistoryReading } from "../model/history-reading.ts";
import type { PortfolioAsset, PortfolioRequest, PortfolioTotals, PortfolioView } from "../model/portfolio-report.ts";
import { type AccountBooks, readBooks } from "./account-books.ts";
import { basesBetween, type CostBases, type CostBasis, costsBy, NO_TOTALS, type Span } from "./cost-basis.ts";
import { equityOf } from "./equity.ts";
import { type HistoryReader, historyText, unreadIn, unreadText } from "./history-reader.ts";
import { NOW, replay, supply } from "./ledger-replay.ts";
import type { CostMethod, Lot } from "./lots.ts";
import { noteBalances } from "./note-balances.ts";
import { spanOf } from "./period.ts";
import type { Unexplained } from "./unexplained.ts";

const DECIMALS = 8;
const PERCENT_DECIMALS = 4;
const HUNDRED = Fraction.of("100");

export async function portfolioOf(
  context: DeskContext,
  history: HistoryReader,
  request: PortfolioRequest,
): Promise<Result<PortfolioView>> {
  const { clock, timeZone, venue } = context.parts;
  const { method = "average", withEquity = false } = request;
  const span = spanOf(request, clock.now(), timeZone);
  if (!span.ok) return span;
  const { onProgress } = request;
  const books = await readBooks(context, (account) => history.catchUp(account, { onProgress }));
  if (!books.ok) return books;
  const tickers = await venue.tickers();
  if (!tickers.ok) return tickers;
  const nowMs = clock.now();
  const { fromMs, toMs } = span.value;
  // What was executed while it was read is in a period that ends now.
  const isOpen = request.toMs === undefined;
  const { history: reading, settled } = books.value;
  const noted = reading === undefined && settled ? await noteBalances(context, books.value) : ok(undefined);
  if (!noted.ok) return noted;
  const counting = { method, span: { fromMs, toMs: isOpen ? NOW : toMs } };
  const costs = reading === undefined ? await costsOf(context, books.value, counting) : ok(NO_COSTS);
  if (!costs.ok) return costs;
  const { bases } = costs.value;
  // What is held may be from any of them.
  const unread =
    reading === undefined ? await unreadIn(context, books.value.account, { fromMs: 0, toMs: nowMs }) : NONE;
  if (!unread.ok) return unread;
  const positions = positionsOf(books.value, costs.value, { tickers: tickers.value, unit: context.unit });
  const equity =
    withEquity && reading === undefined
      ? await equityOf(context, {
          account: books.value.account,
          positions,
          span: { fromMs, toMs: isOpen ? nowMs : toMs },
          nowMs,
        })
      : undefined;
  if (equity?.ok === false) return equity;
  return ok({
    assets: positions.map((position) => ({ ...assetView(position), ...(reading === undefined ? {} : NOT_READ) })),
    totals: totalsView(positions, reading),
    period: {
      name: request.fromMs === undefined && isOpen ? (request.period ?? "all") : null,
      from: fromMs === 0 ? null : new Date(fromMs).toISOString(),
      to: new Date(isOpen ? nowMs : toMs).toISOString(),
      timezone: localTime(nowMs, timeZone).timezone,
    },
    method,
    as_of: new Date(nowMs).toISOString(),
    warnings: [
      ...readingWarning(reading),
      ...unreadText(context, unread.value),
      ...unsureText(
        noted.value,
        positions.filter(({ asset }) => asset !== context.unit),
        counting.span,
      ),
      ...warningsOf(positions, bases, { settled, unit: context.unit }),
      ...(equity?.value.warnings ?? []),
    ],
    ...defined({ reading, equity: equity?.value.points, unread: unread.value.join(",") || undefined }),
    ...context.stamp(),
  });
}

const NONE = ok<readonly string[]>([]);

function totalsView(positions: readonly Position[], reading: HistoryReading | undefined): PortfolioTotals {
  const sum = (figure: (position: Position) => Fraction | undefined): string => shown(total(positions, figure));
  const value = sum((position) => position.value);
  if (reading !== undefined) return { value, cost: null, unrealized: null, realized: null, fees: null };
  return {
    value,
    cost: sum(({ cost }) => cost),
    unrealized: sum(({ unrealized }) => unrealized),
    realized: sum(({ realized }) => realized),
    fees: sum(({ fees }) => fees),
  };
}

/** Stands for an asset before all fills are read: half a history would give figures that look right. */
const NOT_READ = { realized: null, fees: null, uncosted_volume: null } as const;

/** Holds one asset in exact numbers. */
export interface Position {
  readonly asset: string;
  readonly volume: Fraction;
  readonly available: string;
  /** Counts what has a known cost. */
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

interface Counting {
  readonly method: CostMethod;
  readonly span: Span;
}

/** Holds what the fills say of each coin, and what of it is left where a balance has less. */
export interface Costs {
  readonly bases: CostBases;
  readonly without: (asset: string, volume: Fraction) => Lot;
}

async function costsOf(
  { unit, parts: { fills: ledger } }: DeskContext,
  { account, balances }: AccountBooks,
  { method, span: { fromMs, toMs } }: Counting,
): Promise<Result<Costs>> {
  const at = [fromMs - 1, toMs, NOW];
  const replayed = await replay({ ledger, account, ...costsBy(method, unit), at });
  if (!replayed.ok) return replayed;
  const { totals, computation: books } = replayed.value;
  const [opening = NO_TOTALS, closing = NO_TOTALS, now = NO_TOTALS] = totals;
  const bases = basesBetween(opening, closing, now);
  const { rereading } = books;
  const supplied =
    rereading === undefined ? ok(undefined) : await supply({ ledger, account }, rereading, goneOf(bases, balances));
  return supplied.ok ? ok({ bases, without: (asset, volume) => books.without(asset, volume) }) : supplied;
}

const NO_COSTS: Costs = {
  bases: { byAsset: new Map(), unpricedFees: [] },
  without: (asset) => {
    throw new Error(`nothing is known of ${asset}`);
  },
};

/** Tells what the fills left and a balance does not have. */
function goneOf({ byAsset }: CostBases, balances: AccountBooks["balances"]): ReadonlyMap<string, Fraction> {
  const gone = new Map<string, Fraction>();
  for (const [asset, { held }] of byAsset) {
    const missing = held.volume.minus(Fraction.of(balances.find((each) => each.asset === asset)?.total ?? "0"));
    if (!missing.isNegative() && !missing.isZero()) gone.set(asset, missing);
  }
  return gone;
}

/** What the market says of the assets, in the unit of account. */
interface Prices {
  readonly tickers: readonly Ticker[];
  readonly unit: Unit;
}

/** Lists what is held now, and what was of anything in the period. */
export function positionsOf(
  { balances }: Pick<AccountBooks, "balances">,
  { bases, without }: Costs,
  prices: Prices,
): readonly Position[] {
  const missing = goneOf(bases, balances);
  const gone = [...bases.byAsset.keys()]
    .filter((asset) => !balances.some((balance) => balance.asset === asset))
    .sort()
    .map((asset) => ({ asset, total: "0", available: "0" }));
  const positions = [...balances, ...gone].map((balance) => {
    const basis = bases.byAsset.get(balance.asset);
    const less = missing.get(balance.asset);
    const held = less === undefined || balance.asset === prices.unit ? basis?.held : without(balance.asset, less);
    return positionOf(balance, basis && held && { ...basis, held }, prices);
  });
  return positions.filter(isOfInterest);
}

function positionOf(
  { asset, total, available }: Pick<Balance, "asset" | "total" | "available">,
  basis: CostBasis | undefined,
  prices: Prices,
): Position {
  const last = priceOf(asset, prices);
  const isUnit = asset === prices.unit;
  const volume = Fraction.of(total);
  const none = Fraction.ZERO;
  const known = {
    realized: basis?.realized ?? none,
    fees: basis?.fees ?? none,
    uncostedSold: basis?.uncostedSold ?? none,
  };
  const common = { asset, volume, available, value: last?.times(volume), ...known };
  if (isUnit || basis === undefined) {
    const nothing = { costed: none, cost: none, bareCost: none, unrealized: undefined };
    return { ...common, ...nothing, uncosted: isUnit ? none : volume };
  }
  const { held } = basis;
  const { cost, bareCost } = held;
  const unrealized = held.volume.isZero() ? undefined : last?.times(held.volume).minus(cost);
  return { ...common, costed: held.volume, cost, bareCost, unrealized, uncosted: volume.minus(held.volume) };
}

/** Undefined where there is no market in the unit, or nothing was traded in it. */
function priceOf(asset: string, { tickers, unit }: Prices): Fraction | undefined {
  if (asset === unit) return Fraction.of("1");
  const last = tickers.find(({ symbol }) => symbol === `${asset}/${unit}`)?.last ?? undefined;
  return last === undefined ? undefined : Fraction.of(last);
}

/** What is held is worth in the unit of account, as the total of a portfolio counts it: what has no price is in no value. */
export function worthOf(balances: readonly Pick<Balance, "asset" | "total">[], prices: Prices): Fraction {
  return balances.reduce(
    (sum, { asset, total: held }) => sum.plus(priceOf(asset, prices)?.times(Fraction.of(held)) ?? Fraction.ZERO),
    Fraction.ZERO,
  );
}

function isOfInterest({ volume, realized, fees, uncostedSold }: Position): boolean {
  return [volume, realized, fees, uncostedSold].some((figure) => !figure.isZero());
}

function total(positions: readonly Position[], figure: (position: Position) => Fraction | undefined): Fraction {
  return positions.reduce((sum, position) => sum.plus(figure(position) ?? Fraction.ZERO), Fraction.ZERO);
}

function assetView(position: Position): PortfolioAsset {
  const { asset, available, costed, cost, bareCost, unrealized, value } = position;
  const each = (whole: Fraction) => (costed.isZero() ? null : shown(ONE.times(whole).share(ONE, costed)));
  const percent = cost.isZero() ? undefined : unrealized?.times(HUNDRED).share(ONE, cost);
  return {
    asset,
    volume: shown(position.volume),
    available,
    average_price: each(bareCost),
    average_cost: each(cost),
    value: value === undefined ? null : shown(value),
    unrealized: unrealized === undefined ? null : shown(unrealized),
    unrealized_pct: percent?.rounded(PERCENT_DECIMALS, "half_even") ?? null,
    realized: shown(position.realized),
    fees: shown(position.fees),
    uncosted_volume: shown(position.uncosted),
  };
}

const ONE = Fraction.of("1");

function shown(figure: Fraction): string {
  return figure.rounded(DECIMALS, "half_even");
}

function readingWarning(reading: HistoryReading | undefined): readonly string[] {
  return reading === undefined ? [] : [`Cost and profit are not known yet: ${historyText(reading)} Ask again.`];
}

/** Warns where what was bought for one price went, and what for another stayed, or the other way round. */
function unsureText(
  noted: Unexplained | undefined,
  positions: readonly Position[],
  { fromMs, toMs }: Span,
): readonly string[] {
  return [...(noted?.unsure ?? [])].flatMap(([asset, atMs]) => {
    const position = positions.find((each) => each.asset === asset);
    const isMeant = position?.costed.isZero() === false || (atMs >= fromMs && atMs <= toMs);
    const seen = new Date(atMs).toISOString();
    return isMeant
      ? [
          `${asset} left the account without a fill, and was traded meanwhile: before or after which trade is not known, it counts as gone at ${seen}, and cost and profit of ${asset} with it.`,
        ]
      : [];
  });
}

/** Whether the balances stood still while they were read, and in what they are valued. */
interface Moment {
  readonly settled: boolean;
  readonly unit: Unit;
}

function warningsOf(
  positions: readonly Position[],
  { unpricedFees }: CostBases,
  { settled, unit }: Moment,
): readonly string[] {
  const sold = positions.filter(({ uncostedSold }) => !uncostedSold.isZero());
  const unvalued = positions.filter(({ value, volume }) => value === undefined && !volume.isZero());
  return [
    ...sold.map(
      ({ asset, uncostedSold }) =>
        `${shown(uncostedSold)} ${asset} that had no known cost were sold in the period: what that earned is not known, and in no profit.`,
    ),
    ...unvalued.map(({ asset }) => `${asset} has no price in ${unit}: it is in no value.`),
    ...unpricedFees.map(
      (asset) => `Fees were paid in ${asset}, for which their fills have no price in ${unit}: they are in no figure.`,
    ),
    ...(settled ? [] : ["The balances moved while they were read: ask again for figures of one moment."]),
  ];
}

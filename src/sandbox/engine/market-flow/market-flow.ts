/**
 * The simulated market flow: a fair price on a random walk, a maker that quotes around it, takers that trade. Entry points:
 * `runTick`, `fundHouse`, `updateQuotes`.
 *
 * Invariants: its orders pass the same checks and matching as everybody's; it draws on the state's own random numbers alone, so
 * the same seed and times give the same markets. Quotes stay while they are near enough to the fair price, so that a tick costs
 * a few orders per market and not a new book.
 */
import type { Side } from "../../../contract/index.ts";
import { type MarketRule, ONE, type PlaceCommand, type Units } from "../../model/index.ts";
import { ceilTo, floorTo, notionalOf, stepFor, tickAt } from "../market/pricing.ts";
import { cancelRestingOrder, type Executed, executeOrder } from "../orders/execution.ts";
import { checkOrder } from "../orders/order-checks.ts";
import { HOUSE, type State } from "../state/exchange-state.ts";
import type { MarketState } from "../state/market-state.ts";
import type { Tempo } from "./tempo.ts";

/** Quoted price levels per side; a level is canceled when the price has moved it this many levels further out. */
export const QUOTED_LEVELS = 16;
const SPARE_LEVELS = 6;

/** Quotes are at least one ten-thousandth of the price apart; otherwise the book would span a few won only. */
const GAP_DIVISOR = 10_000n;
/** The fair price stays within a fifth of the anchor; the tick is that of a quarter above, so that it is valid in the whole range. */
const RANGE_DIVISOR = 5n;
const TICK_RANGE_DIVISOR = 4n;

/** Time is counted in steps, a tick at speed 1; a faster flow makes the same steps more often. */
const STEP_MS = 500;
const LONGEST_STEPS = 600;

const LEVEL_NOTIONAL = 4_000_000n * ONE;
const LEVEL_NOTIONAL_SPREAD = 8_000_000;
const LEVEL_NOTIONAL_GROWTH = 500_000n * ONE;
const THIN_NOTIONAL = 1_500_000n * ONE;
const SMALLEST_TAKE = 6_000;
const LARGEST_TAKE = 12_000_000;

/** In won, and the same value in every other asset: so much that the house never runs out. */
const HOUSE_WEALTH = 1_000_000_000_000_000n * ONE;

export function fundHouse(state: State): void {
  for (const accountId of [HOUSE.maker, HOUSE.taker]) {
    const quotes = new Set([...state.markets.values()].map(({ rule }) => rule.quote));
    for (const asset of quotes) state.ledger.deposit(accountId, asset, HOUSE_WEALTH);
    for (const { rule } of state.markets.values())
      state.ledger.deposit(accountId, rule.base, (HOUSE_WEALTH * ONE) / rule.anchorPrice);
  }
}

/** One tick in all trading markets. Prices move with the time since the tick before. */
export function runTick(state: State, tempo: Tempo, levels = QUOTED_LEVELS): void {
  const elapsed = Math.floor((state.now - state.lastTickAt) / STEP_MS);
  const steps = Math.min(Math.max(elapsed, 1), LONGEST_STEPS);
  state.lastTickAt = state.now;
  for (const market of state.markets.values()) {
    if (market.status !== "trading") continue;
    market.flow.fairPrice = withinRange(tempo.price(state, market, steps), market.rule);
    updateQuotes(state, market, levels);
    const takers = tempo.takers(state, market, steps);
    for (let count = 0; count < takers; count += 1) placeTakerOrder(state, market);
  }
}

function withinRange(wanted: Units, { anchorPrice }: MarketRule): Units {
  const range = anchorPrice / RANGE_DIVISOR;
  const [lowest, highest] = [anchorPrice - range, anchorPrice + range];
  return wanted < lowest ? lowest : wanted > highest ? highest : wanted;
}

/** The distance between quoted prices: fixed for a market, so that quotes stay on one grid and can be kept. */
function gapOf(rule: MarketRule): Units {
  const tick = tickAt(rule, rule.anchorPrice + rule.anchorPrice / TICK_RANGE_DIVISOR);
  return ceilTo(rule.anchorPrice / GAP_DIVISOR, tick) || tick;
}

/** Cancels the maker's quotes that no longer fit the fair price, and places the missing ones. */
export function updateQuotes(state: State, market: MarketState, levels: number): void {
  const { rule, flow } = market;
  const gap = gapOf(rule);
  const bid = floorTo(flow.fairPrice, gap);
  const reach = gap * BigInt(levels + SPARE_LEVELS);
  // Cancel first, so that the maker never trades with itself.
  for (const orderId of flow.quotes.values()) {
    const order = state.orders.get(orderId);
    if (order === undefined) continue;
    const distance = order.side === "buy" ? bid - order.price : order.price - (bid + gap);
    if (distance < 0n || distance > reach || isThin(order)) cancelRestingOrder(state, order);
  }
  for (let level = 0; level < levels; level += 1) {
    const away = gap * BigInt(level);
    for (const side of ["buy", "sell"] as const) {
      const price = side === "buy" ? bid - away : bid + gap + away;
      if (price > 0n && !flow.quotes.has(price)) quoteLevel(state, market, side, price, level);
    }
  }
}

function isThin(order: Executed["order"]): boolean {
  return notionalOf(order.price, order.remaining) < THIN_NOTIONAL;
}

function quoteLevel(state: State, market: MarketState, side: Side, price: Units, level: number): void {
  const chance = BigInt(state.random.below(LEVEL_NOTIONAL_SPREAD)) * ONE;
  const notional = LEVEL_NOTIONAL + chance + LEVEL_NOTIONAL_GROWTH * BigInt(level);
  const order = placeForHouse(state, market, { accountId: HOUSE.maker, side, price, notional });
  if (order?.state === "open") market.flow.quotes.set(price, order.orderId);
}

/** Places a market order; small ones are far more frequent than large ones. */
function placeTakerOrder(state: State, market: MarketState): void {
  const { random } = state;
  const side = random.below(2) === 0 ? "buy" : "sell";
  const chance = random.below(1_000);
  const won = SMALLEST_TAKE + Math.floor((chance * chance * chance * (LARGEST_TAKE / 1_000_000)) / 1_000);
  placeForHouse(state, market, { accountId: HOUSE.taker, side, price: null, notional: BigInt(won) * ONE });
}

interface HouseOrder {
  readonly accountId: string;
  readonly side: Side;
  readonly price: Units | null;
  readonly notional: Units;
}

/** @returns undefined when the exchange refuses the order, as the house has no privileges in the book. */
function placeForHouse(state: State, market: MarketState, order: HouseOrder): Executed["order"] | undefined {
  const { rule, flow } = market;
  const { accountId, side, price, notional } = order;
  const command: PlaceCommand = {
    type: "place",
    accountId,
    keyId: null,
    orderId: `house-${state.houseOrderSeq + 1}`,
    symbol: rule.symbol,
    side,
    orderType: price === null ? "market" : "limit",
    price,
    volume: floorTo((notional * ONE) / (price ?? flow.fairPrice), stepFor(rule.volumeDecimals)),
    amount: null,
    timeInForce: price === null ? "IOC" : "GTC",
    postOnly: false,
    userref: null,
    settlementMode: "INSTANT_KRW",
  };
  const checked = checkOrder(state, command, state.now);
  if (!checked.ok) return undefined;
  state.houseOrderSeq += 1;
  return executeOrder(state, checked).order;
}

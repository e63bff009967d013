/**
 * Executes checked orders: matches them, lets the rest of them rest, and ends them. Entry points: `executeOrder`,
 * `cancelRestingOrder`.
 *
 * Invariants: an open limit order holds exactly `holdFor` its remaining volume, an ended one nothing; an ended order never
 * changes again; the book is never left crossed. Source: service.md#order-states, service.md#terminal-states.
 */
import { LIMITS } from "../../../contract/index.ts";
import type { FillRecord, Millis, OrderRecord, OrderTerms, PlaceCommand, TradeRecord } from "../../model/index.ts";
import { InvariantError, invariant } from "../core/invariant.ts";
import { feeOn, holdFor } from "../market/pricing.ts";
import type { LiveOrder } from "../rows/live-order.ts";
import {
  addFill,
  addOrder,
  HOUSE,
  marketOf,
  ownerOf,
  recordBookChange,
  removeFromOpen,
  type State,
} from "../state/exchange-state.ts";
import type { MarketState } from "../state/market-state.ts";
import { crosses, type Match, otherSide, type Plan } from "./match-plan.ts";
import { type AcceptedOrder, rejectsDuplicates, userrefKey } from "./order-checks.ts";
import { settleFill } from "./settlement.ts";

/** Why the exchange ended an order: values of `OrderRecord.reason`. */
const REASON = {
  selfTrade: "self_trade_prevented",
  fillOrKill: "fill_or_kill_not_filled",
  noLiquidity: "no_more_liquidity",
} as const;

export interface Executed {
  readonly order: LiveOrder;
  /** The fills of the incoming order. */
  readonly fills: readonly FillRecord[];
}

/** Adds the order, matches it as planned, and lets the rest of it rest or ends it. */
export function executeOrder(state: State, accepted: AcceptedOrder): Executed {
  const { command, market, plan, hold } = accepted;
  rememberUserref(state, command);
  const order = addOrder(state, newRecord(command, state.now));
  changeHold(state, market, order, hold);
  state.recorder?.order(order, "created");
  const killed = command.timeInForce === "FOK" && !plan.complete;
  const fills: FillRecord[] = [];
  if (!killed) for (const match of plan.matches) fills.push(trade(state, market, order, match));
  if (fills.length > 0 && !plan.complete) state.recorder?.order(order, "executed");
  finishOrder(state, market, order, plan, killed);
  return { order, fills };
}

type End = "filled" | "canceled" | "expired";

/** Ends an open order, releases what it holds and removes it from the open ones. */
function endOrder(state: State, market: MarketState, order: LiveOrder, end: End, reason: string | null): void {
  if (order.state !== "open")
    throw new InvariantError(`order ${order.orderId} is ${order.state}, not to become ${end}`);
  changeHold(state, market, order, 0n);
  order.end(end, reason, state.now);
  state.recorder?.order(order, end);
  removeFromOpen(state, market, order);
}

/** Cancels a resting order. @param reason given where the exchange cancels it, not its owner */
export function cancelRestingOrder(state: State, order: LiveOrder, reason: string | null = null): void {
  const market = marketOf(state, order.symbol);
  recordOrderChange(state, market, order);
  market.book.remove(order);
  endOrder(state, market, order, "canceled", reason);
}

/** Ends the order after its matches, or lets it rest. */
function finishOrder(state: State, market: MarketState, order: LiveOrder, plan: Plan, killed: boolean): void {
  const { orderType, timeInForce } = order;
  if (plan.complete) endOrder(state, market, order, "filled", null);
  else if (plan.selfTrade) endOrder(state, market, order, "canceled", REASON.selfTrade);
  else if (killed) endOrder(state, market, order, "expired", REASON.fillOrKill);
  else if (orderType === "market" || timeInForce === "IOC")
    endOrder(state, market, order, "expired", REASON.noLiquidity);
  else rest(state, market, order);
}

function rest(state: State, market: MarketState, order: LiveOrder): void {
  const against = market.book.best(otherSide(order.side));
  invariant(against === undefined || !crosses(order.side, order.price, against), "a resting order crosses the book");
  market.book.add(order);
  const level = market.book.levelOf(order);
  if (level !== undefined) recordBookChange(state, market, order.side, level, level.volume - order.remaining);
}

/** To be called before a resting order is reduced or removed. */
function recordOrderChange(state: State, market: MarketState, order: LiveOrder): void {
  const level = market.book.levelOf(order);
  if (level !== undefined) recordBookChange(state, market, order.side, level, level.volume);
}

function trade(state: State, market: MarketState, taker: LiveOrder, { maker, volume, value }: Match): FillRecord {
  const { rule, book, tape } = market;
  const [makerFee, takerFee] = [feeOn(value, rule.makerFeeRate), feeOn(value, rule.takerFeeRate)];
  const takerBuys = taker.side === "buy";
  state.tradeSeq += 1;
  state.ledger.applyTrade({
    buyer: takerBuys ? taker.accountId : maker.accountId,
    seller: takerBuys ? maker.accountId : taker.accountId,
    feeAccount: HOUSE.fees,
    base: rule.base,
    quote: rule.quote,
    volume,
    value,
    buyerFee: takerBuys ? takerFee : makerFee,
    sellerFee: takerBuys ? makerFee : takerFee,
  });
  recordOrderChange(state, market, maker);
  book.reduce(maker, volume);
  if (!taker.byAmount) taker.remaining -= volume;
  const printed: TradeRecord = {
    tradeSeq: state.tradeSeq,
    symbol: rule.symbol,
    price: maker.price,
    volume,
    time: state.now,
    takerSide: taker.side,
  };
  tape.print(printed, value);
  state.recorder?.trade(printed);
  fill(state, market, maker, { printed, value, liquidity: "maker", fee: makerFee });
  if (maker.remaining === 0n) endOrder(state, market, maker, "filled", null);
  else state.recorder?.order(maker, "executed");
  return fill(state, market, taker, { printed, value, liquidity: "taker", fee: takerFee });
}

interface Execution extends Pick<FillRecord, "value" | "liquidity" | "fee"> {
  readonly printed: TradeRecord;
}

/** Adds one side of a trade to its order and releases what the order no longer needs. */
function fill(state: State, market: MarketState, order: LiveOrder, execution: Execution): FillRecord {
  const { orderId, accountId, side, userref } = order;
  const { printed, value, liquidity, fee } = execution;
  const { tradeSeq, symbol, price, volume, time } = printed;
  order.execute(volume, value, fee, state.now);
  // The ledger has taken this from the locked amount already.
  order.hold -= side === "buy" ? value + fee : volume;
  if (order.orderType === "limit")
    changeHold(state, market, order, holdFor(market.rule, side, order.price, order.remaining));
  const entry: FillRecord = {
    tradeSeq,
    orderId,
    accountId,
    userref,
    symbol,
    side,
    price,
    volume,
    value,
    liquidity,
    fee,
    time,
  };
  if (!order.house) {
    addFill(state, order, entry);
    state.recorder?.fill(entry);
    settleFill(state, ownerOf(state, order), order.settlementMode, entry);
  }
  return entry;
}

/** Changes what the order holds; locks or releases the difference. */
function changeHold(state: State, { rule }: MarketState, order: LiveOrder, hold: bigint): void {
  const held = order.hold;
  if (hold === held) return;
  const asset = order.side === "buy" ? rule.quote : rule.base;
  if (hold > held) state.ledger.hold(order.accountId, asset, hold - held);
  else state.ledger.release(order.accountId, asset, held - hold);
  order.hold = hold;
}

/** Written field by field: an object spread would be the most expensive step of an order. */
function newRecord(terms: OrderTerms, now: Millis): OrderRecord {
  return {
    orderId: terms.orderId,
    accountId: terms.accountId,
    keyId: terms.keyId,
    symbol: terms.symbol,
    side: terms.side,
    orderType: terms.orderType,
    price: terms.price,
    volume: terms.volume,
    amount: terms.amount,
    timeInForce: terms.timeInForce,
    postOnly: terms.postOnly,
    userref: terms.userref,
    settlementMode: terms.settlementMode,
    createdAt: now,
    executedVolume: 0n,
    executedValue: 0n,
    fee: 0n,
    state: "open",
    reason: null,
    updatedAt: now,
  };
}

/** Records the use of a userref, and drops those last used more than 24 hours ago. */
function rememberUserref(state: State, { keyId, userref }: PlaceCommand): void {
  if (userref === null || !rejectsDuplicates(state, keyId)) return;
  const key = userrefKey(keyId, userref);
  state.userrefs.delete(key);
  state.userrefs.set(key, state.now);
  for (const [known, usedAt] of state.userrefs) {
    if (state.now - usedAt < LIMITS.userrefWindowMs) break;
    state.userrefs.delete(known);
  }
}

/**
 * Executes checked orders: matches them, lets the rest of them rest, and ends them. Entry points: `executeOrder`,
 * `cancelRestingOrder`.
 *
 * Invariants: an open limit order holds exactly `holdFor` its remaining volume, an ended one nothing; an ended order never
 * changes again; the book is never left crossed. Source: service.md#order-states, service.md#terminal-states.
 */
import { LIMITS, ORDER_TRAITS, type Side } from "../../../contract/index.ts";
import type {
  FillRecord,
  Millis,
  OrderRecord,
  OrderTerms,
  PlaceCommand,
  TradeRecord,
  Units,
} from "../../model/index.ts";
import { InvariantError } from "../core/invariant.ts";
import { feeOn, holdFor } from "../market/pricing.ts";
import type { LiveOrder } from "../memory/index.ts";
import type { Account } from "../state/account-state.ts";
import {
  addFill,
  addOrder,
  marketOf,
  ownerOf,
  recordBookChange,
  removeFromOpen,
  type State,
} from "../state/exchange-state.ts";
import type { Balance } from "../state/ledger.ts";
import type { MarketState } from "../state/market-state.ts";
import { crosses, type Match, otherSide, type Plan } from "./match-plan.ts";
import { type AcceptedOrder, rejectsDuplicates, userrefKey, wouldCross } from "./order-checks.ts";
import { settleFill } from "./settlement.ts";

/** Why the exchange ended an order: values of `OrderRecord.reason`. */
const REASON = {
  selfTrade: "self_trade_prevented",
  fillOrKill: "fill_or_kill_not_filled",
  noLiquidity: "no_more_liquidity",
  postOnly: "post_only_would_match",
} as const;

export interface Executed {
  readonly order: LiveOrder;
  /** The fills of the incoming order. */
  readonly fills: readonly FillRecord[];
}

const NO_FILLS: readonly FillRecord[] = Object.freeze([]);

/** Adds the order, matches it as planned, and lets the rest of it rest or ends it. */
export function executeOrder(state: State, accepted: AcceptedOrder): Executed {
  const { command, market, account, plan, hold } = accepted;
  rememberUserref(state, command);
  const order = addOrder(state, newRecord(command, state.now), account);
  if (hold > 0n) state.ledger.hold(fundsOf(state, market, account, command.side), hold);
  state.recorder?.order(order, "created");
  const killed = command.timeInForce === "FOK" && !plan.complete;
  const incoming: Incoming = { order, account, side: command.side, command, held: hold };
  const matched = plan.matches.length > 0 && !killed && !wouldCross(command, plan);
  const fills = matched ? plan.matches.map((match) => trade(state, market, incoming, match)) : NO_FILLS;
  if (matched && !plan.complete) state.recorder?.order(order, "executed");
  finishOrder(state, market, incoming, plan, killed);
  return { order, fills };
}

/** An open order, whose it is, and what is locked for it. */
interface Held {
  readonly order: LiveOrder;
  readonly account: Account;
  readonly side: Side;
  held: Units;
}

/** An order on its way through the book. */
interface Incoming extends Held {
  readonly command: PlaceCommand;
}

/** The balance that an order of the side is paid from. */
function fundsOf({ ledger }: State, { base, quote }: MarketState, { holder }: Account, side: Side): Balance {
  return ledger.balanceOf(holder, side === "buy" ? quote : base);
}

type End = "filled" | "canceled" | "expired";

/** Ends an open order, releases what it holds and removes it from the open ones. */
function endOrder(state: State, market: MarketState, ending: Held, end: End, reason: string | null): void {
  const { order, account, side, held } = ending;
  if (!order.isOpen) throw new InvariantError(`order ${order.orderId} is ${order.state}, not to become ${end}`);
  if (held !== 0n) state.ledger.release(fundsOf(state, market, account, side), held);
  order.end(end, reason, state.now);
  state.recorder?.order(order, end);
  removeFromOpen(state, market, account, order);
}

/** Cancels a resting order. @param reason given where the exchange cancels it, not its owner */
export function cancelRestingOrder(state: State, order: LiveOrder, reason: string | null = null): void {
  const { side, price, remaining } = order;
  const market = marketOf(state, order.symbol);
  const account = ownerOf(state, order);
  recordOrderChange(state, market, side, order);
  market.book.remove(order);
  const ending: Held = { order, account, side, held: holdFor(market.rule, side, price, remaining) };
  endOrder(state, market, ending, "canceled", reason);
}

/** Ends the order after its matches, or lets it rest. */
function finishOrder(state: State, market: MarketState, incoming: Incoming, plan: Plan, killed: boolean): void {
  const { orderType, timeInForce } = incoming.command;
  if (wouldCross(incoming.command, plan)) endOrder(state, market, incoming, "canceled", REASON.postOnly);
  else if (plan.complete) endOrder(state, market, incoming, "filled", null);
  else if (plan.selfTrade) endOrder(state, market, incoming, "canceled", REASON.selfTrade);
  else if (killed) endOrder(state, market, incoming, "expired", REASON.fillOrKill);
  else if (!ORDER_TRAITS[orderType].mayRest || timeInForce === "IOC")
    endOrder(state, market, incoming, "expired", REASON.noLiquidity);
  else rest(state, market, incoming);
}

function rest(state: State, market: MarketState, { order, command }: Incoming): void {
  const { side } = command;
  const { book } = market;
  const price = command.price ?? order.price;
  const against = book.best(otherSide(side));
  if (against !== undefined && crosses(side, price, against))
    throw new InvariantError("a resting order crosses the book");
  const { remaining } = order;
  const level = book.add(order, price, remaining);
  recordBookChange(state, market, side, level, book.levels.volume(level) - remaining);
}

/** To be called before a resting order is reduced or removed. */
function recordOrderChange(state: State, market: MarketState, side: Side, { level }: LiveOrder): void {
  if (level !== undefined) recordBookChange(state, market, side, level, market.book.levels.volume(level));
}

function trade(state: State, market: MarketState, taker: Incoming, { maker, volume, value }: Match): FillRecord {
  const { rule, book, tape, base, quote } = market;
  const { side: takerSide } = taker.command;
  const takerBuys = takerSide === "buy";
  const [makerFee, takerFee] = [feeOn(value, rule.makerFeeRate), feeOn(value, rule.takerFeeRate)];
  const makerAccount = ownerOf(state, maker);
  const { price } = maker;
  const makerSide = otherSide(takerSide);
  const held = holdFor(rule, makerSide, price, maker.remaining);
  const resting: Held = { order: maker, account: makerAccount, side: makerSide, held };
  state.tradeSeq += 1;
  state.ledger.applyTrade({
    buyer: takerBuys ? taker.account.holder : makerAccount.holder,
    seller: takerBuys ? makerAccount.holder : taker.account.holder,
    feeHolder: state.feeHolder,
    base,
    quote,
    volume,
    value,
    buyerFee: takerBuys ? takerFee : makerFee,
    sellerFee: takerBuys ? makerFee : takerFee,
  });
  recordOrderChange(state, market, resting.side, maker);
  book.reduce(maker, volume);
  if (!taker.order.byAmount) taker.order.remaining -= volume;
  const { tradeSeq, now: time } = state;
  const printed: TradeRecord = { tradeSeq, symbol: rule.symbol, price, volume, time, takerSide };
  tape.print(printed, value);
  state.recorder?.trade(printed);
  fill(state, market, resting, { printed, value, liquidity: "maker", fee: makerFee });
  if (maker.remaining === 0n) endOrder(state, market, resting, "filled", null);
  else state.recorder?.order(maker, "executed");
  return fill(state, market, taker, { printed, value, liquidity: "taker", fee: takerFee });
}

interface Execution extends Pick<FillRecord, "value" | "liquidity" | "fee"> {
  readonly printed: TradeRecord;
}

/** Adds one side of a trade to its order and releases what the order no longer needs. */
function fill(state: State, market: MarketState, filled: Held, execution: Execution): FillRecord {
  const { order, account, side } = filled;
  const { printed, value, liquidity, fee } = execution;
  const { tradeSeq, symbol, price, volume, time } = printed;
  order.execute(volume, value, fee, time);
  // The ledger has taken this from the locked amount already.
  filled.held -= side === "buy" ? value + fee : volume;
  if (ORDER_TRAITS[order.orderType].isPriced) releaseSurplus(state, market, filled);
  const { orderId, userref } = order;
  const entry: FillRecord = {
    tradeSeq,
    orderId,
    accountId: account.accountId,
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
  if (account.house) return entry;
  addFill(account, order, entry);
  state.recorder?.fill(entry);
  settleFill(state, market, account, order.settlementMode, entry);
  return entry;
}

/** Releases what a limit order holds beyond what the rest of it needs. */
function releaseSurplus(state: State, market: MarketState, filled: Held): void {
  const { order, account, side, held } = filled;
  const needed = holdFor(market.rule, side, order.price, order.remaining);
  const surplus = held - needed;
  if (surplus < 0n) throw new InvariantError(`order ${order.orderId} needs more than it holds`);
  if (surplus > 0n) state.ledger.release(fundsOf(state, market, account, side), surplus);
  filled.held = needed;
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

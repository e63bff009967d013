/**
 * Checks an incoming order, without effect. Entry point: `checkOrder`.
 *
 * Invariant: the checks have one order of precedence, so that an order with several faults is always refused for the same one:
 * account, symbol, combination of fields, market status, price, volume, minimum, number of open orders, userref, post-only,
 * KYC level, funds.
 *
 * Source: service.md#order-combinations, service.md#market-limits, service.md#kyc-level, service.md#error-codes; `contract/order.ts`.
 */
import { KYC_LEVEL_OVER_KRW, KYC_LEVELS, LIMITS, ORDER_TRAITS, type Side } from "../../../contract/index.ts";
import { type MarketRule, type Millis, ONE, type PlaceCommand, type Refusal, type Units } from "../../model/index.ts";
import { badArgument, refusal } from "../core/command.ts";
import { neighbours, notionalOf, stepFor, tickAt, unitsText, withHighestFee } from "../market/pricing.ts";
import type { Account } from "../state/account-state.ts";
import type { State } from "../state/exchange-state.ts";
import type { MarketState } from "../state/market-state.ts";
import { otherSide, type Plan, planMatches } from "./match-plan.ts";

/** A checked order, with the plan of its matches. Execution accepts nothing else. */
export interface AcceptedOrder {
  readonly ok: true;
  readonly command: PlaceCommand;
  readonly account: Account;
  readonly market: MarketState;
  readonly plan: Plan;
  /** What is locked before the first match. */
  readonly hold: Units;
}

type Check = Refusal | undefined;

/** @param now the exchange's clock, not earlier than any earlier command. */
export function checkOrder(state: State, command: PlaceCommand, now: Millis): AcceptedOrder | Refusal {
  const account = state.accounts.get(command.accountId);
  if (account === undefined) return badArgument("accountId", `no account ${command.accountId}`);
  if (state.orders.has(command.orderId) || state.archive?.has(command.orderId) === true)
    return badArgument("orderId", `order ${command.orderId} exists`);
  const market = state.markets.get(command.symbol);
  if (market === undefined) return refusal("EQuery:Unknown asset pair", `no market ${command.symbol}`, "symbol");
  const { rule } = market;
  const { price, volume } = command;
  // Of a limit order that has the right fields; asked for by several checks.
  const notional = price === null || volume === null ? null : notionalOf(price, volume);
  const refused =
    checkShape(command) ??
    checkStatus(market) ??
    checkPrice(rule, command) ??
    checkVolume(rule, command) ??
    checkMinimum(market, command, notional) ??
    checkOpenOrders(account, command) ??
    checkUserref(state, command, now);
  if (refused !== undefined) return refused;
  const plan = planMatches(market, command, account);
  const unfit = checkPlan(market, command, plan) ?? checkKycLevel(rule, command, plan, notional);
  if (unfit !== undefined) return unfit;
  const hold = holdOf(rule, command, plan, notional);
  return checkFunds(state, market, account, command, hold) ?? { ok: true, command, account, market, plan, hold };
}

/** The combinations of fields the contract allows, checked here because not every order arrives by REST. */
function checkShape(command: PlaceCommand): Check {
  const { orderType, price, volume, amount, postOnly, timeInForce } = command;
  if (volume !== null && volume <= 0n) return badArgument("volume", "volume must be above zero");
  if (amount !== null && amount <= 0n) return badArgument("amount", "amount must be above zero");
  const { isPriced, mayRest, takesAmount } = ORDER_TRAITS[orderType];
  if (isPriced && price === null) return badArgument("price", `a ${orderType} order needs price`);
  if (!isPriced && price !== null) return badArgument("price", `a ${orderType} order takes no price`);
  if (takesAmount && (volume === null) === (amount === null))
    return badArgument("volume", `a ${orderType} order takes exactly one of volume and amount`);
  if (!takesAmount && volume === null) return badArgument("volume", `a ${orderType} order needs volume`);
  if (!takesAmount && amount !== null)
    return badArgument("amount", `a ${orderType} order takes volume and price, no amount`);
  if (!postOnly) return undefined;
  if (!mayRest) return badArgument("post_only", `a ${orderType} order cannot be post-only`);
  return timeInForce === "GTC" ? undefined : badArgument("post_only", "a post-only order rests: use GTC");
}

function checkStatus({ rule, status }: MarketState): Check {
  if (status === "trading") return undefined;
  return refusal("EOrder:Market halted", `${rule.symbol} is ${status} and takes no new orders; cancels work`);
}

function checkPrice(rule: MarketRule, { price }: PlaceCommand): Check {
  if (price === null) return undefined;
  if (price <= 0n) return refusal("EOrder:Invalid price", "price must be above zero", "price");
  return checkStep("price", price, tickAt(rule, price), "tick");
}

function checkVolume(rule: MarketRule, { volume }: PlaceCommand): Check {
  return volume === null ? undefined : checkStep("volume", volume, stepFor(rule.volumeDecimals), "step");
}

function checkStep(field: string, units: Units, step: Units, word: string): Check {
  if (units % step === 0n) return undefined;
  const nearest = neighbours(units, step).map(unitsText).join(" and ");
  const message = `${field} ${unitsText(units)} is not on the ${word} of ${unitsText(step)}; nearest valid: ${nearest}`;
  return refusal("EOrder:Tick size check failed", message, field);
}

/** A market order by volume is valued at the best opposite price, else at the last price. @param limited the notional of a limit order */
function checkMinimum(market: MarketState, command: PlaceCommand, limited: Units | null): Check {
  const { minVolume, minNotional } = market.rule;
  const { volume, amount, side } = command;
  if (amount !== null) return amount < minNotional ? tooSmall("amount", amount, minNotional, "amount") : undefined;
  if (volume === null) return undefined;
  if (volume < minVolume) return tooSmall("volume", volume, minVolume, "volume");
  const notional = limited ?? notionalAtMarket(market, side, volume);
  return notional !== null && notional < minNotional
    ? tooSmall("volume", notional, minNotional, "notional")
    : undefined;
}

function notionalAtMarket({ book, tape }: MarketState, side: Side, volume: Units): Units | null {
  const price = book.best(otherSide(side)) ?? tape.last;
  return price === null ? null : notionalOf(price, volume);
}

function tooSmall(field: string, has: Units, minimum: Units, what: string): Refusal {
  const message = `${what} ${unitsText(has)} is below the minimum of ${unitsText(minimum)}`;
  return refusal("EOrder:Order minimum not met", message, field);
}

/** The limit applies only to orders that may rest, so that an account at its limit can still trade. */
function checkOpenOrders(account: Account, command: PlaceCommand): Check {
  const mayRest = ORDER_TRAITS[command.orderType].mayRest && command.timeInForce === "GTC";
  if (!mayRest || account.house || account.open.size < LIMITS.openOrdersMax) return undefined;
  return refusal("EOrder:Orders limit exceeded", `${account.open.size} orders are open, the most there may be`);
}

/** The key of `State.userrefs`; a key id contains no line feed. */
export function userrefKey(keyId: string, userref: string): string {
  return `${keyId}\n${userref}`;
}

/** Whether a key rejects a userref that it used before. */
export function rejectsDuplicates(state: State, keyId: string | null): keyId is string {
  return keyId !== null && state.keys.get(keyId)?.rejectDuplicateUserref === true;
}

function checkUserref(state: State, { keyId, userref }: PlaceCommand, now: Millis): Check {
  if (userref === null || !rejectsDuplicates(state, keyId)) return undefined;
  const usedAt = state.userrefs.get(userrefKey(keyId, userref));
  if (usedAt === undefined || now - usedAt >= LIMITS.userrefWindowMs) return undefined;
  return refusal("EOrder:Duplicate userref", `userref ${userref} was used within the last 24 hours`, "userref");
}

function checkPlan({ rule, book }: MarketState, command: PlaceCommand, plan: Plan): Check {
  if (wouldCross(command, plan) && command.whenCrossing !== "cancel") {
    const best = book.best(otherSide(command.side)) ?? 0n;
    const message = `a ${command.side} at ${unitsText(command.price ?? 0n)} would match at ${unitsText(best)}`;
    return refusal("EOrder:Post only order", message, "price");
  }
  if (plan.complete && plan.volume === 0n) {
    const message = `amount ${unitsText(command.amount ?? 0n)} buys less than the smallest step of ${rule.base}`;
    return refusal("EOrder:Order minimum not met", message, "amount");
  }
  return undefined;
}

/** Tells of a post-only order that it would not rest. */
export function wouldCross({ postOnly }: PlaceCommand, { matches, selfTrade }: Plan): boolean {
  return postOnly && (matches.length > 0 || selfTrade);
}

/** A limit order counts at its own price, as it may still trade all of it; a market order by what it would trade. */
function checkKycLevel(rule: MarketRule, command: PlaceCommand, plan: Plan, limited: Units | null): Check {
  const { kycLevel, amount } = command;
  if (kycLevel === undefined || rule.quote !== "KRW") return undefined;
  const value = limited ?? amount ?? plan.value;
  const needed = KYC_LEVELS.findLast((level) => level !== "TIER1" && value > BigInt(KYC_LEVEL_OVER_KRW[level]) * ONE);
  if (needed === undefined || KYC_LEVELS.indexOf(kycLevel) >= KYC_LEVELS.indexOf(needed)) return undefined;
  const message = `an order of ${unitsText(value)} KRW needs kyc_level ${needed} at least, not ${kycLevel}`;
  return refusal("ECompliance:KYC level too low", message, "compliance.kyc_level");
}

/** What is locked before the first match: for a market order the planned matches with their fees. */
function holdOf(rule: MarketRule, { side, volume }: PlaceCommand, plan: Plan, limited: Units | null): Units {
  if (side === "sell") return limited === null || volume === null ? plan.volume : volume;
  return limited === null ? plan.value + plan.takerFee : withHighestFee(rule, limited);
}

function checkFunds(
  { ledger }: State,
  { rule, base, quote }: MarketState,
  { holder }: Account,
  { side, volume }: PlaceCommand,
  hold: Units,
): Check {
  // A seller must own the whole volume, even where the book would not take all of it.
  const needed = side === "sell" ? (volume ?? hold) : hold;
  const balance = ledger.find(holder, side === "buy" ? quote : base);
  const available = balance === undefined ? 0n : ledger.availableOf(balance);
  if (available >= needed) return undefined;
  const asset = side === "buy" ? rule.quote : rule.base;
  const message = `needs ${unitsText(needed)} ${asset}, available ${unitsText(available)} ${asset}`;
  return refusal("EOrder:Insufficient funds", message);
}

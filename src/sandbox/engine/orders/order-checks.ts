/**
 * Checks an incoming order, without effect. Entry point: `checkOrder`.
 *
 * Invariant: the checks have one order of precedence, so that an order with several faults is always refused for the same one:
 * account, symbol, combination of fields, market status, price, volume, minimum, number of open orders, userref, post-only,
 * KYC level, funds.
 *
 * Source: service.md#order-combinations, service.md#market-limits, service.md#kyc-level, service.md#error-codes; `contract/order.ts`.
 */
import { KYC_LEVEL_OVER_KRW, KYC_LEVELS, LIMITS } from "../../../contract/index.ts";
import { type MarketRule, type Millis, ONE, type PlaceCommand, type Refusal, type Units } from "../../model/index.ts";
import { badArgument, refusal } from "../core/command.ts";
import { holdFor, neighbours, notionalOf, stepFor, tickAt, unitsText } from "../market/pricing.ts";
import type { Account } from "../state/account-state.ts";
import type { State } from "../state/exchange-state.ts";
import type { MarketState } from "../state/market-state.ts";
import { otherSide, type Plan, planMatches } from "./match-plan.ts";

/** A checked order, with the plan of its matches. Execution accepts nothing else. */
export interface AcceptedOrder {
  readonly ok: true;
  readonly command: PlaceCommand;
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
  const refused =
    checkShape(command) ??
    checkStatus(market) ??
    checkPrice(rule, command) ??
    checkVolume(rule, command) ??
    checkMinimum(market, command) ??
    checkOpenOrders(account, command) ??
    checkUserref(state, command, now);
  if (refused !== undefined) return refused;
  const plan = planMatches(market, command);
  return (
    checkPlan(market, command, plan) ?? checkKycLevel(rule, command, plan) ?? checkFunds(state, market, command, plan)
  );
}

/** The combinations of fields the contract allows, checked here because not every order arrives by REST. */
function checkShape(command: PlaceCommand): Check {
  const { orderType, price, volume, amount, postOnly, timeInForce } = command;
  if (volume !== null && volume <= 0n) return badArgument("volume", "volume must be above zero");
  if (amount !== null && amount <= 0n) return badArgument("amount", "amount must be above zero");
  if (orderType === "limit") {
    if (price === null) return badArgument("price", "a limit order needs price");
    if (volume === null) return badArgument("volume", "a limit order needs volume");
    if (amount !== null) return badArgument("amount", "a limit order takes volume and price, no amount");
    if (postOnly && timeInForce !== "GTC") return badArgument("post_only", "a post-only order rests: use GTC");
    return undefined;
  }
  if (price !== null) return badArgument("price", "a market order takes no price");
  if ((volume === null) === (amount === null))
    return badArgument("volume", "a market order takes exactly one of volume and amount");
  return postOnly ? badArgument("post_only", "a market order cannot be post-only") : undefined;
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

/** A market order by volume is valued at the best opposite price, else at the last price. */
function checkMinimum({ rule, book, tape }: MarketState, command: PlaceCommand): Check {
  const { volume, amount, side } = command;
  const tooSmall = (field: string, has: Units, minimum: Units, what: string): Refusal => {
    const message = `${what} ${unitsText(has)} is below the minimum of ${unitsText(minimum)}`;
    return refusal("EOrder:Order minimum not met", message, field);
  };
  if (amount !== null)
    return amount < rule.minNotional ? tooSmall("amount", amount, rule.minNotional, "amount") : undefined;
  if (volume === null) return undefined;
  if (volume < rule.minVolume) return tooSmall("volume", volume, rule.minVolume, "volume");
  const price = command.price ?? book.best(otherSide(side)) ?? tape.last;
  if (price === null) return undefined;
  const notional = notionalOf(price, volume);
  return notional < rule.minNotional ? tooSmall("volume", notional, rule.minNotional, "notional") : undefined;
}

/** The limit applies only to orders that may rest, so that an account at its limit can still trade. */
function checkOpenOrders(account: Account, command: PlaceCommand): Check {
  const mayRest = command.orderType === "limit" && command.timeInForce === "GTC";
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
  if (command.postOnly && (plan.matches.length > 0 || plan.selfTrade)) {
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

/** A limit order counts at its own price, as it may still trade all of it; a market order by what it would trade. */
function checkKycLevel(rule: MarketRule, command: PlaceCommand, plan: Plan): Check {
  const { kycLevel, price, volume, amount } = command;
  if (kycLevel === undefined || rule.quote !== "KRW") return undefined;
  const value = price === null || volume === null ? (amount ?? plan.value) : notionalOf(price, volume);
  const needed = KYC_LEVELS.findLast((level) => level !== "TIER1" && value > BigInt(KYC_LEVEL_OVER_KRW[level]) * ONE);
  if (needed === undefined || KYC_LEVELS.indexOf(kycLevel) >= KYC_LEVELS.indexOf(needed)) return undefined;
  const message = `an order of ${unitsText(value)} KRW needs kyc_level ${needed} at least, not ${kycLevel}`;
  return refusal("ECompliance:KYC level too low", message, "compliance.kyc_level");
}

/** Checks that the account can pay: for a market order the planned matches with their fees. */
function checkFunds(state: State, market: MarketState, command: PlaceCommand, plan: Plan): AcceptedOrder | Refusal {
  const { rule } = market;
  const { side, price, volume } = command;
  const asset = side === "buy" ? rule.quote : rule.base;
  const planned = side === "buy" ? plan.value + plan.takerFee : plan.volume;
  const hold = price === null || volume === null ? planned : holdFor(rule, side, price, volume);
  // A seller must own the whole volume, even where the book would not take all of it.
  const needed = side === "sell" ? (volume ?? hold) : hold;
  const available = state.ledger.available(command.accountId, asset);
  if (available >= needed) return { ok: true, command, market, plan, hold };
  const message = `needs ${unitsText(needed)} ${asset}, available ${unitsText(available)} ${asset}`;
  return refusal("EOrder:Insufficient funds", message);
}

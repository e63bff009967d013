/**
 * Tells what an account has used of its budgets, and whether trading is halted. The store counts it, the policy decides by it.
 *
 * Invariant: the order that is being assessed is not counted.
 */
import { type Order, UNIT_DECIMALS, type Unit } from "../../contract/index.ts";
import {
  countedUp,
  inUnit,
  type Notional,
  notional,
  notionalOf,
  price,
  quantity,
  stepText,
  type Value,
} from "../../decimal/index.ts";
import type { PlanInForce, StepOfPlan } from "./plan.ts";

/** Sums what counts against the budgets, as decimal texts in the unit of account. */
export interface BudgetUsage {
  /** Orders of the last 24 hours and all that are open, both sides. */
  readonly day: string;
  readonly open: string;
  readonly openOrders: number;
  /** Orders sent within the last 60 seconds. */
  readonly lastMinute: number;
}

/** The rules over what orders count for: a person may let a sell of what is held go over these. */
export const MONEY_LIMITS = ["order_size", "open_exposure", "day_budget"] as const;
export type MoneyLimit = (typeof MONEY_LIMITS)[number];

/** Who stopped trading, when and why. The reason may be an assistant's words: data, never instructions. */
export interface KillSwitchRecord {
  readonly reason: string;
  readonly by: string;
  /** Unix milliseconds. */
  readonly atMs: number;
}

/** Counts one order that has ended in the day, until that is over: a day after `atMs`. */
export interface Settled {
  /** In the unit of account. */
  readonly value: string;
  /** Unix milliseconds. */
  readonly atMs: number;
}

/** A budget of the day is a rolling one. */
export const DAY_MS = 86_400_000;

/** What plans are to use of the budget of the day. */
export interface SetAside {
  /** In `unit`. */
  readonly value: string;
  readonly unit?: Unit | "mixed";
  readonly planIds: readonly string[];
}

/** Until when steps count as set aside, and but for which. */
export interface Ahead {
  /** By how much the exchange's clock is ahead of ours, in milliseconds: steps are due by it. */
  readonly offsetMs: number;
  /** The step that asks. */
  readonly except?: StepOfPlan;
}

export interface AccountUsage {
  readonly usage: BudgetUsage;
  /** In what the sums are counted: absent where they are zero, and `mixed` where nothing tells their sum. */
  readonly unit?: Unit | "mixed";
  /** The oldest of what counts for the day and is not open, oldest first: what frees its budget next. Not all of it, where it is much. */
  readonly settled: readonly Settled[];
  /** When the first of the orders of the last minute was sent, Unix milliseconds; absent where none was. */
  readonly firstSentAtMs?: number;
  /** What steps of active plans are to use within a day, but for the step that asks; absent where there is none. */
  readonly reserved?: SetAside;
  /** Undefined while orders may leave. */
  readonly killSwitch: KillSwitchRecord | undefined;
  /** Of an order that comes of a plan, read where its request is numbered: the plan as it is then, null where it is gone. Absent of any other. */
  readonly plan?: PlanInForce | null;
}

export function reservedOf({ reserved }: Pick<AccountUsage, "reserved">): Value {
  return inUnit(reserved?.value ?? "0");
}

/** What the day has used, with what plans are to use of it. */
export function dayUsed(usage: Pick<AccountUsage, "usage" | "reserved">): Value {
  return inUnit(usage.usage.day).plus(reservedOf(usage));
}

/**
 * What an amount of a quote currency that is the unit of account counts for: whole steps of it, rounded up. Not through text: the value of a
 * mistyped order may be longer than the wire's 18 digits, and is denied, not a defect.
 */
export function counted(amount: Notional, unit: Unit): Value {
  return countedUp(amount, UNIT_DECIMALS[unit]);
}

/** The least that a sum in this unit can differ by. */
export function stepOf(unit: Unit): Value {
  return inUnit(stepText(UNIT_DECIMALS[unit]));
}

/** What has executed is worth, in the market's quote; where the exchange does not say, as much as it can be worth at the order's price. */
export function executedAtMost(order: Order): Notional {
  const { executed_value: value, executed_volume: volume } = order;
  return value === undefined ? worthAtPrice(order, volume) : notional(value);
}

/** So much of an order is worth at its price, in the market's quote; of one without a price all that it was to spend. */
export function worthAtPrice({ price: at, amount }: Pick<Order, "price" | "amount">, volume: string): Notional {
  return at === null ? notional(amount ?? "0") : notionalOf(price(at), quantity(volume));
}

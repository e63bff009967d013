/**
 * Tells whether a sell is of what the account holds: such a one may go over a limit where a person says so, as a position must not be a
 * trap.
 *
 * Invariant: what is on its way already is not held any more, so of two sells at once each counts what the other takes.
 *
 * Source: decision 0007; policy.md#over-limit-sells.
 */
import type { Market } from "../../contract/index.ts";
import { type Quantity, quantity } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { marketFill } from "../market/order-value.ts";
import { OWN_MAX } from "../market/own-orders.ts";
import { MONEY_LIMITS, type MoneyLimit } from "../model/account-usage.ts";
import type { IntentRecord } from "../model/intent.ts";
import type { PolicyQuestion, Rule } from "../model/policy.ts";
import { UNRESOLVED_STATES } from "../model/submission.ts";
import type { SentSince } from "../ports/journal.ts";

export function isMoneyLimit(rule: Rule): rule is MoneyLimit {
  return MONEY_LIMITS.some((limit) => limit === rule);
}

/** Tells whether it takes no more coins than are held; of a sell by amount, what it would take from the book. */
export function sellsWhatIsHeld({ order, market, book, held }: PolicyQuestion): boolean {
  if (order.side !== "sell" || held === undefined) return false;
  if (order.volume !== undefined) return quantity(order.volume).lte(held);
  const fill = marketFill(market, order, book);
  return fill.complete && fill.volume.lte(held);
}

/** Holds what the account can sell of a coin, as the venue said. */
export interface Holding {
  readonly base: string;
  readonly available: Quantity;
  /** Orders sent since may take of it. Unix milliseconds. */
  readonly sinceMs: number;
}

/** @returns undefined where it is not known */
export async function holdingOf(context: DeskContext, { base }: Market): Promise<Holding | undefined> {
  const { journal, venue, clock } = context.parts;
  const sinceMs = clock.now();
  // First: the venue may have taken one of these by the time it answers, and it may not.
  const unresolved = await journal.inStates(context.journalAccount(), UNRESOLVED_STATES, OWN_MAX);
  if (!unresolved.ok || unresolved.value.length === OWN_MAX) return undefined;
  const accounts = await venue.accounts();
  if (!accounts.ok) return undefined;
  const balance = accounts.value.balances.find(({ asset }) => asset === base);
  const available = lessSells(quantity(balance?.available ?? "0"), base, unresolved.value);
  return available && { base, available, sinceMs };
}

/** Tells what is left of it, now that others may have been sent. */
export function heldStill({ base, available, sinceMs }: Holding, sentSince: SentSince): Quantity | undefined {
  return lessSells(available, base, sentSince(sinceMs));
}

/** @returns undefined where one takes what nobody knows */
function lessSells(from: Quantity, base: string, intents: readonly IntentRecord[]): Quantity | undefined {
  let left = from;
  for (const { body } of intents) {
    const { side, symbol, volume } = body.order;
    if (side !== "sell" || !symbol.startsWith(`${base}/`)) continue;
    if (volume === undefined) return undefined;
    left = left.minus(quantity(volume));
  }
  return left;
}

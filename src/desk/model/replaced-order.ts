/**
 * The order that another one takes the place of: what is known of it, what was asked for, and what may still be placed.
 *
 * Invariant: the old and the new one together execute at most what the old one was for, or what had executed of it when it was asked for and what was
 * asked to be open, whichever is more.
 *
 * Source: decision 0029.
 */
import { canonicalDigest, type Order } from "../../contract/index.ts";
import { inUnit, min, type Quantity, quantity } from "../../decimal/index.ts";
import { type AccountUsage, counted, executedAtMost } from "./account-usage.ts";
import type { IntentState } from "./intent-state.ts";
import type { Submission } from "./submission.ts";

/** Tells how the old order is, as far as is known. */
export type ReplacedState = Extract<
  IntentState,
  "unknown" | "open" | "partially_filled" | "cancel_requested" | "filled" | "canceled" | "expired" | "rejected"
>;

/** Price and volume as a caller gave them: what is left out stays as it is. */
export interface AskedChange {
  readonly price?: string;
  readonly base_volume?: string;
}

/** A change as a caller asks for it: which order, and what of it. */
export interface ReplaceRequest extends AskedChange {
  readonly orderId?: string;
  readonly userref?: string;
  readonly symbol?: string;
}

export interface ReplacedOrder {
  readonly orderId: string;
  readonly userref: string | null;
  readonly asked: AskedChange;
  /** Stands as it was when the change was asked for. */
  readonly price: string;
  readonly executedVolume: string;
  readonly openVolume: string;
  /** Bounds the new order: it may be less once the old one has ended. */
  readonly volume: string;
  /** Tells how its cancel ended; absent while none was sent. */
  readonly ended?: { readonly state: ReplacedState; readonly executedVolume: string };
}

/** Tells whether a call asks for this very change. */
export function asksFor({ orderId, userref, price, base_volume }: ReplaceRequest, replaces: ReplacedOrder): boolean {
  const isNamed = orderId === undefined ? userref === replaces.userref : orderId === replaces.orderId;
  const { asked } = replaces;
  return isNamed && isSameSize(price, asked.price) && isSameSize(base_volume, asked.base_volume);
}

function isSameSize(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined ? a === b : quantity(a).eq(quantity(b));
}

/** Counts what is open of an order with a volume. */
export function openVolumeOf({ volume, executed_volume }: Order): Quantity {
  return quantity(volume ?? "0").minus(quantity(executed_volume));
}

/**
 * Allows, once the old order has ended, as much as was asked for, less what it executed meanwhile where that was more than was open of it,
 * and else no more than is left.
 */
export function volumeToPlace({ volume, openVolume }: ReplacedOrder, old: Order): Quantity {
  const [asked, open] = [quantity(volume), quantity(openVolume)];
  const left = openVolumeOf(old);
  return min(asked, asked.gt(open) ? left.plus(asked.minus(open)) : left);
}

/** The name of the nth new order for an old one: of two that ask for a change at once, in whatever process, the journal takes one. */
export function replacementUserref(account: string, orderId: string, nth: number): string {
  return `hg${canonicalDigest({ account, replaces: orderId, nth }).slice(0, 16)}`;
}

/** The usage as it will be once the old order is canceled. @param intent of the old order, read after the usage */
export function usageWithout(
  { usage, ...rest }: AccountUsage,
  intent: Pick<Submission<string, unknown>, "held" | "isLive" | "unit"> | undefined,
  old: Order,
): AccountUsage {
  if (intent?.isLive !== true) return { usage, ...rest };
  const held = inUnit(intent.held);
  const executed = counted(executedAtMost(old), intent.unit);
  return {
    ...rest,
    usage: {
      ...usage,
      openOrders: usage.openOrders - 1,
      open: inUnit(usage.open).minus(held).toString(),
      day: inUnit(usage.day).minus(held).plus(executed).toString(),
    },
  };
}

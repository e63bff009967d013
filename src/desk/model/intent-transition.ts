/**
 * Turns what the venue shows of an order into the change it makes to the intent: its state, and what it counts for in the budgets.
 *
 * Invariants: older evidence never takes newer back; an order that has ended counts for what it executed and no more, one that
 * proves not to exist for nothing.
 */
import { defined, localFault, type Order, type Unit } from "../../contract/index.ts";
import { quantity } from "../../decimal/index.ts";
import { counted, executedAtMost } from "./account-usage.ts";
import type { IntentBody, IntentChange, IntentRecord } from "./intent.ts";
import { canMove, type IntentState, isLive, stateShownBy } from "./intent-state.ts";

type Hold = NonNullable<IntentChange["hold"]>;

const NOTHING_HELD: Hold = { value: "0", isLive: false };

/**
 * Tells what an intent counts for once it has come to this state; undefined: as before.
 * @param unit in which it is counted
 */
export function holdAfter(to: IntentState, order: Order | undefined, unit: Unit): Hold | undefined {
  switch (to) {
    case "denied":
    case "lapsed":
    case "rejected":
    case "not_placed":
      return NOTHING_HELD;
    case "filled":
    case "canceled":
    case "expired":
      return {
        value: order === undefined ? "0" : counted(executedAtMost(order), unit).toString(),
        isLive: false,
      };
    case "draft":
    case "used":
    case "awaiting_approval":
    case "approved":
    case "submitting":
    case "unknown":
    case "accepted":
    case "open":
    case "partially_filled":
    case "cancel_requested":
      return undefined;
    default:
      return to satisfies never;
  }
}

/** A cancel of an order that is at the venue is on its way. */
export const CANCEL_REQUESTED: IntentChange = {
  from: ["accepted", "open", "partially_filled"],
  to: "cancel_requested",
  lazy: true,
};

/** Ends what was sent as without effect: it is proven, or a person who has looked at the venue says so where that does not say enough. */
export function notPlaced({ body, held }: Pick<IntentRecord, "body" | "held">): Omit<IntentChange, "from"> {
  if (body.settledBy === undefined) return notSent(body);
  const message = "A person has looked at the exchange and settled it: the order was not placed.";
  return notSent({ ...body, heldBeforeWord: held }, { message });
}

/** Proven to have no effect, or never sent. */
export function notSent(body: IntentBody, why: { readonly message?: string } = {}): Omit<IntentChange, "from"> {
  return {
    to: "not_placed",
    body: { ...body, fault: localFault("ELocal:Not placed", why) },
    unsend: true,
    hold: NOTHING_HELD,
  };
}

/** Ended by a person's word alone: what the venue shows later still counts. */
export function isNotPlacedByWord({ state, body }: Pick<IntentRecord, "state" | "body">): boolean {
  return state === "not_placed" && body.heldBeforeWord !== undefined;
}

/** The order that the venue shows, on an intent that was sent: the change that says so. `from` is the caller's to narrow. */
export function changeShownBy(
  { body, unit }: Pick<IntentRecord, "body" | "unit">,
  order: Order,
): Omit<IntentChange, "from"> {
  const { fault: _lost, ...rest } = body;
  const to = stateShownBy(order);
  const hold = holdAfter(to, order, unit);
  return { to, orderId: order.orderId, body: { ...rest, seen: order }, ...defined({ hold }) };
}

/**
 * Tells what an order as the venue shows it now adds to an intent that is at the venue.
 * @param cancelFailed a cancel is proven to have had no effect, so an order still open is simply open again
 * @returns undefined when it adds nothing
 */
export function updateFrom(intent: IntentRecord, order: Order, cancelFailed = false): IntentChange | undefined {
  const to = stateShownBy(order);
  if (!canMove(intent.state, to)) return undefined;
  if (intent.state === "cancel_requested" && isLive(to) && !cancelFailed) return undefined;
  const seen = intent.body.seen;
  const isOlder = seen !== undefined && quantity(order.executed_volume).lt(quantity(seen.executed_volume));
  const isSame = to === intent.state && seen?.executed_volume === order.executed_volume;
  if (isOlder || isSame) return undefined;
  // The venue can be queried again, so this need not wait for the disk.
  return { from: [intent.state], ...changeShownBy(intent, order), lazy: true };
}

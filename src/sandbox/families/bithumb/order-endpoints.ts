/**
 * Places orders. The answer says that an order was taken; what became of it is asked for. Entry point: `placeOne`.
 *
 * Invariant: an own id that an order of the account has is not taken for another one.
 */
import type { PlaceCommand } from "../../model/index.ts";
import { placeOrder } from "../../venue-kit/order-commands.ts";
import { acceptedOrder } from "../../venue-kit/order-memory.ts";
import { orderByName } from "../../venue-kit/own-orders.ts";
import type { PrivateCall } from "./bithumb-call.ts";
import { lookingOf } from "./order-queries.ts";
import { readTerms, type Terms } from "./order-terms.ts";
import { placedView } from "./order-view.ts";
import { type BithumbOutcome, changed, refuse, refusedOrder } from "./outcome.ts";

export function placeOne(call: PrivateCall): BithumbOutcome {
  const terms = readTerms(call);
  if (!terms.ok) return terms;
  const { symbol, userref } = terms.command;
  const crowded = call.chargeAsset(symbol);
  if (crowded !== undefined) return crowded;
  const first = userref === null ? undefined : orderByName(lookingOf(call), userref);
  if (first === undefined) return place(call, terms);
  if (!call.repeatsAnswer) return refuse("duplicate_client_order_id");
  return { ...changed(placedView(first, call.memory.noteOf(first.orderId)), 201), changed: false };
}

function place(call: PrivateCall, { command, note, side }: Terms): BithumbOutcome {
  const { service, memory, at, effect, unready } = call;
  const apply = (taken: PlaceCommand) => service.journaled.apply(taken, service.now());
  if (effect?.kind === "not_ready") unready.set(command.orderId, at + effect.ms);
  const placed = placeOrder({ service, memory, at, effect, note, apply }, command);
  if (!placed.ok) return refusedOrder(placed, side);
  if (effect?.kind === "duplicate_id") return { ...refuse("duplicate_client_order_id"), changed: true };
  return { ...changed(placedView(acceptedOrder(command, at), note), 201), changed: placed.changed };
}

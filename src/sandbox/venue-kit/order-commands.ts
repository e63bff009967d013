/**
 * Places and cancels orders for a family, with what a request is to do wrong. Entry points: `placeOrder`, `cancelOrder`.
 *
 * Invariant: an order that the exchange would refuse is refused, whatever is injected.
 */
import type { FamilyEffect } from "../http/family-effect.ts";
import type { Applied, Millis, OrderRecord, PlaceCommand, Refusal } from "../model/index.ts";
import type { Service } from "../service/service.ts";
import type { OrderMemory } from "./order-memory.ts";

/** Other exchanges settle a fill when it happens. */
export const SETTLED_AT_ONCE: PlaceCommand["settlementMode"] = "INSTANT_KRW";

export interface Placing<Note extends object> {
  readonly service: Service;
  readonly memory: OrderMemory<Note>;
  readonly at: Millis;
  readonly effect: FamilyEffect | undefined;
  /** What the exchange has no word for. */
  readonly note: Partial<Note>;
  /** Hands it to the exchange, with what belongs to it. */
  readonly apply: (command: PlaceCommand) => Applied | Refusal;
}

/** Changed unless the order reaches the exchange later. */
export type Placed = { readonly ok: true; readonly changed: boolean } | Refusal;

export function placeOrder<Note extends object>(placing: Placing<Note>, command: PlaceCommand): Placed {
  const { service, memory, at, effect, note, apply } = placing;
  const { orderId } = command;
  const checked = service.exchange.check(command, at);
  if (!checked.ok) return checked;
  memory.note(orderId, note);
  if (effect?.kind === "late_execution") {
    memory.postpone(command, at, effect.ms, () => appliedLater(placing, command));
    return { ok: true, changed: false };
  }
  if (effect?.kind === "read_lag") memory.hide(orderId, at + effect.ms, { inListsOnly: false });
  if (effect?.kind === "partial_then_vanish") memory.hide(orderId, Number.POSITIVE_INFINITY, { inListsOnly: true });
  const applied = apply(command);
  return applied.ok ? { ok: true, changed: true } : applied;
}

/** In a timer nobody is answered, so that what goes wrong is a defect. */
function appliedLater<Note extends object>({ service, apply }: Placing<Note>, command: PlaceCommand): { ok: boolean } {
  try {
    return apply(command);
  } catch (error) {
    service.onDefect(error);
    return { ok: false };
  }
}

interface Canceling {
  readonly service: Service;
  readonly memory: OrderMemory<object>;
  readonly at: Millis;
}

/** @returns false for an order that has ended. */
export function cancelOrder({ service, memory, at }: Canceling, order: OrderRecord): boolean {
  const { orderId, accountId, symbol, state } = order;
  if (state !== "open") return false;
  if (memory.cancelLate(orderId)) return true;
  return service.journaled.apply({ type: "cancel", accountId, symbol, orderId }, at).ok;
}

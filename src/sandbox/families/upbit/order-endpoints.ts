/**
 * Places and tests orders. The answer shows an order as it was taken; what became of it is asked for. Entry points: `placeOne`,
 * `testOrder`.
 *
 * Invariant: an identifier is used up before anything else of the order is looked at.
 */
import type { Applied, PlaceCommand, Refusal } from "../../model/index.ts";
import { placeOrder } from "../../venue-kit/order-commands.ts";
import { acceptedOrder } from "../../venue-kit/order-memory.ts";
import { ownOrdersMet, remainingOf } from "../../venue-kit/self-match.ts";
import { uuidOf } from "../../venue-kit/uuid.ts";
import { readTerms, type Terms } from "./order-terms.ts";
import { orderView } from "./order-view.ts";
import { changed, refuse, refusedOrder, type UpbitError, type UpbitOutcome } from "./outcome.ts";
import type { PrivateCall } from "./upbit-call.ts";

const IDENTIFIER_MAX = 64;
const DEFAULT_SMP = "cancel_maker";

export function placeOne(call: PrivateCall): UpbitOutcome {
  const refused = useIdentifier(call);
  if (refused !== undefined) return refused;
  const terms = readTerms(call, uuidOf(call.service.nextOrderId()));
  return terms.ok ? place(call, terms) : terms;
}

/** The same checks, and nothing happens; its ids find nothing. */
export function testOrder(call: PrivateCall): UpbitOutcome {
  const terms = readTerms(call, uuidOf(call.service.nextOrderId()));
  if (!terms.ok) return terms;
  const { command, note, side } = terms;
  const checked = call.service.exchange.check(command, call.at);
  if (!checked.ok) return refusedOrder(checked, side);
  return { ...changed(orderView(acceptedOrder(command, call.at), note, 0), 201), changed: false };
}

function useIdentifier({ service, parameters, identifiers, key }: PrivateCall): UpbitError | undefined {
  const identifier = parameters.text("identifier");
  if (identifier === undefined) return undefined;
  if (identifier.length > IDENTIFIER_MAX) return refuse("invalid_parameter");
  const orders = service.exchange.countOrders(key.accountId, { userref: identifier, limit: 1 });
  const isNew = orders === 0 && identifiers.use(key.accountId, identifier);
  return isNew ? undefined : refuse("duplicated_identifier");
}

function place(call: PrivateCall, { command, note, side }: Terms): UpbitOutcome {
  const placed = placeOrder({ ...call, note, apply: (taken) => apply(call, taken) }, command);
  if (!placed.ok) return refusedOrder(placed, side);
  if (call.effect?.kind === "duplicate_id") return { ...refuse("duplicated_identifier"), changed: true };
  return { ...changed(orderView(acceptedOrder(command, call.at), note, 0), 201), changed: placed.changed };
}

/** Cancels what of the account's own it would meet, unless it is to be canceled itself. */
function apply({ service, memory }: PrivateCall, command: PlaceCommand): Applied | Refusal {
  const { accountId, symbol } = command;
  const at = service.now();
  const { smpType = DEFAULT_SMP } = memory.noteOf(command.orderId);
  const met = smpType === DEFAULT_SMP && !command.postOnly ? ownOrdersMet(service.exchange, command) : [];
  for (const own of met) {
    const { orderId } = own;
    memory.note(orderId, { preventedVolume: remainingOf(own) });
    service.journaled.apply({ type: "cancel", accountId, symbol, orderId }, at);
  }
  return service.journaled.apply(command, at);
}

/**
 * Changing an open order: a new one in its place, judged and approved before the old one is canceled, sent when that is proven gone.
 *
 * Invariants: the new order is one intent on the way of every order, with the old one named in it; its userref follows from the old order's id, so of two
 * changes of one order the journal takes one; the same change asked for again is answered with what became of the first.
 *
 * Source: decision 0029; architecture.md#rule-1.
 */
import { defined, type Fault, localFault, ORDER_TRAITS, type Order, ok, type Result } from "../../contract/index.ts";
import { price as priceOf, quantity } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentBody, IntentRecord } from "../model/intent.ts";
import { isAtVenue, WAITING_STATES } from "../model/intent-state.ts";
import { orderDigest } from "../model/order-body.ts";
import { deniedOrder, intentReport, orderStateOf } from "../model/order-report.ts";
import { asksFor, openVolumeOf, type ReplacedOrder, type ReplaceRequest } from "../model/replaced-order.ts";
import type { WriteReport } from "../model/reports.ts";
import { isUnresolved } from "../model/submission.ts";
import type { FindOrder, MovedTo } from "../queries/find-order.ts";
import { type Changes, changesOf } from "../reconciliation/moved-order.ts";
import type { OrderReconciler } from "../reconciliation/order-lookup.ts";
import { buildOrder } from "./build-order.ts";
import type { Asked, PlaceOrder } from "./place-order.ts";
import { closedFault } from "./replaced-order.ts";
import type { SubmitOrder } from "./submit-order.ts";

export interface ReplaceOrderParts {
  readonly context: DeskContext;
  readonly finder: FindOrder;
  readonly reconciler: OrderReconciler;
  readonly placement: PlaceOrder;
  readonly submission: SubmitOrder;
}

/** An open limit order of the account, and the changes of it that were asked for before. */
interface Old {
  readonly order: Order & { readonly price: string; readonly volume: string };
  readonly intent?: IntentRecord | undefined;
  readonly userref: string;
}

export class ReplaceOrder {
  readonly #parts: ReplaceOrderParts;

  constructor(parts: ReplaceOrderParts) {
    this.#parts = parts;
  }

  /** @param session of the client that asks, as of a new order */
  async replace(request: ReplaceRequest, session?: string, withdrawn?: AbortSignal): Promise<WriteReport> {
    const { finder, placement, context } = this.#parts;
    const { price: _price, base_volume: _volume, ...name } = request;
    const atMs = context.parts.clock.now();
    const [asked, found] = await Promise.all([placement.asked(session, withdrawn), finder.find(name)]);
    if (!found.ok) return this.#denied(found.fault);
    const moved = movedBefore(found.value.movedTo, asked);
    const same = moved?.places.findLast(
      ({ body: { replaces } }) => replaces !== undefined && isChange(request, replaces),
    );
    if (same !== undefined) return this.#existing(same);
    const { order, intent, state } = moved?.order === undefined ? found.value : moved;
    if (order === undefined) return this.#denied(notThere(state));
    const [earlier, { openAtRequest: openLately }] = await Promise.all([
      this.#earlier(order.orderId),
      placement.asked(session, withdrawn),
    ]);
    if (!earlier.ok) return this.#denied(earlier.fault);
    const { last, userref } = earlier.value;
    const isGoing = last !== undefined && mayStillBe(last);
    if (last !== undefined && (isGoing || order.state !== "open") && isSameChange(last, request, order))
      return this.#existing(last, order);
    if (order.state !== "open") return this.#denied(closedFault(order, isGoing ? last.userref : undefined));
    if (isGoing) return this.#denied(otherChange(last));
    if (!ORDER_TRAITS[order.type].mayRest || order.price === null || order.volume === null)
      return this.#denied(noLimitOrder(order));
    const { card } = context.parts.venue;
    if (order.post_only === undefined && intent === undefined && card.post_only !== "none")
      return this.#denied(unsaidHandling(card.title.en));
    const { price, volume } = order;
    const body = await this.#build(request, { order: { ...order, price, volume }, intent, userref });
    if (!body.ok) return this.#denied(body.fault);
    return placement.placeBuilt(body.value, { ...asked, openLately }, "kept", { order, atMs });
  }

  /** The last change of an order that was asked for, settled as far as can be, and the name that the next one has. */
  async #earlier(orderId: string): Promise<Result<Changes>> {
    const { context, reconciler } = this.#parts;
    const changes = await changesOf(context, context.journalAccount(), orderId);
    if (!changes.ok) return changes;
    const { last, userref } = changes.value;
    return ok({ last: last && (await reconciler.settle(last)), userref });
  }

  /** What became of a change that was asked for before. @param order the old one as it is now; undefined: as it ended for it */
  async #existing(last: IntentRecord, order?: Order): Promise<WriteReport> {
    const { submission, context } = this.#parts;
    const step = await submission.reportExisting(last);
    if (order === undefined) return intentReport(context.stamp(), step.item, step.warnings);
    const { orderId: order_id, executed_volume } = order;
    const replaced = { order_id, state: orderStateOf(order), executed_volume };
    return { ...intentReport(context.stamp(), step.item, step.warnings), replaced };
  }

  /** The new order, with what is not to change taken from the old one. */
  async #build(request: ReplaceRequest, { order, intent, userref }: Old): Promise<Result<IntentBody>> {
    const { context } = this.#parts;
    // Not every exchange says how an order is handled: what was asked for is known.
    const asked = intent?.body.order;
    const { symbol, side, time_in_force = asked?.time_in_force, post_only = asked?.post_only } = order;
    const { orderId, executed_volume } = order;
    const openVolume = openVolumeOf(order).toString();
    const { price = order.price, base_volume: volume = openVolume } = request;
    const compliance = asked?.compliance;
    const handling = { userref, ...defined({ time_in_force, post_only: post_only || undefined, compliance }) };
    const built = await buildOrder(context, { symbol, side, type: "limit", price, base_volume: volume, ...handling });
    if (!built.ok) return built;
    if (built.value.sizing !== undefined) return { ok: false, fault: noShare(volume) };
    if (priceOf(price).eq(priceOf(order.price)) && quantity(volume).eq(quantity(openVolume)))
      return { ok: false, fault: nothingNew(order, openVolume) };
    const { price: newPrice, base_volume } = request;
    const replaces = {
      orderId,
      userref: order.userref,
      asked: defined({ price: newPrice, base_volume }),
      price: order.price,
      executedVolume: executed_volume,
      openVolume,
      volume,
    };
    const { environment } = built.value;
    const digest = orderDigest(built.value.order, context.journalAccount(), environment, replaces);
    return ok({ ...built.value, digest, replaces });
  }

  /** The message names what would fit: proposals are for an order that is placed, not changed. */
  #denied({ proposals: _named, ...fault }: Fault): WriteReport {
    return deniedOrder(this.#parts.context.stamp(), fault);
  }
}

/** It waits, is on its way, or was placed: no other change of the same order may begin. */
function mayStillBe({ state }: IntentRecord): boolean {
  return WAITING_STATES.some((each) => each === state) || isUnresolved(state) || isAtVenue(state);
}

/** The old order is known by its id, whatever the caller calls it. */
function isSameChange({ body: { replaces } }: IntentRecord, request: ReplaceRequest, { orderId }: Order): boolean {
  return replaces !== undefined && asksFor({ ...request, orderId }, replaces);
}

/** Whether it is the change of one of the orders that the name has stood for. */
function isChange(request: ReplaceRequest, replaces: ReplacedOrder): boolean {
  return asksFor({ ...request, orderId: replaces.orderId }, replaces);
}

/** What stands in the place of the order named, if its caller could know: of two changes that are asked for at once, one is made. */
function movedBefore(movedTo: MovedTo | undefined, { requestedAtMs }: Asked): MovedTo | undefined {
  const sentAtMs = movedTo?.intent.sentAtMs ?? null;
  return sentAtMs !== null && sentAtMs < requestedAtMs ? movedTo : undefined;
}

function notThere(state: string): Fault {
  return localFault("ELocal:Unknown order", {
    message: `This order is not in the book, so it cannot be changed. Its state: ${state}. Nothing was sent.`,
  });
}

function noLimitOrder({ orderId, type }: Order): Fault {
  return localFault("ELocal:Invalid input", {
    field: "order_id",
    message: `Order ${orderId} is of type ${type}; only an open limit order can be changed. Nothing was sent.`,
  });
}

function noShare(volume: string): Fault {
  return localFault("ELocal:Invalid input", {
    field: "base_volume",
    message: `base_volume ${volume} is a share of what is available, and what is open is locked: give the coins to be left open. Nothing was sent.`,
  });
}

function nothingNew({ price }: Old["order"], openVolume: string): Fault {
  return localFault("ELocal:Invalid input", {
    field: "price",
    message: `The order is at price ${price} with base_volume ${openVolume} open already: give another price or base_volume. Nothing was sent.`,
  });
}

function otherChange({ userref, state }: IntentRecord): Fault {
  return localFault("ELocal:Twin unresolved", {
    message: `Another change of this order was asked for before, as userref ${userref} (${state}). Nothing was sent now.`,
    nextAction: `Look with get_order, userref ${userref}. One that waits for a person is withdrawn with cancel_order, by that userref.`,
  });
}

/** Of an order of another program: one that never takes could be replaced by one that does. */
function unsaidHandling(title: string): Fault {
  const [message, nextAction] = [
    `${title} does not say whether this order, which was not placed here, is post-only; the new one could trade where it would not. Nothing was sent.`,
    "Cancel it, and place the order that you want.",
  ];
  return localFault("ELocal:Invalid input", { reachedVenue: "no", message, nextAction });
}

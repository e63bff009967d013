/**
 * Finding one order by the name a caller has for it: an order id, or a `userref` of an intent that may not have
 * become an order at all. One that was moved is found with what stands in its place now (decision 0062).
 */
import { defined, failed, faultKind, localFault, type Order, ok, type Result } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import { CANCEL_DEADLINE, type DeskContext } from "../core/context.ts";
import { evidenceView } from "../model/evidence.ts";
import type { IntentRecord } from "../model/intent.ts";
import { updateFrom } from "../model/intent-transition.ts";
import { intentReport, intentStateOf, orderStateOf, withdrawnLate } from "../model/order-report.ts";
import type { OrderName, OrderView, ReportedState } from "../model/reports.ts";
import { isUnresolved } from "../model/submission.ts";
import type { Urgency } from "../ports/venue.ts";
import { isInPlace, placesOf } from "../reconciliation/moved-order.ts";
import type { OrderReconciler } from "../reconciliation/order-lookup.ts";
import type { OrderTracker } from "../reconciliation/order-tracker.ts";

export interface Found {
  /** The order as the venue shows it now; absent when the intent has none. */
  readonly order?: Order;
  readonly intent?: IntentRecord;
  readonly state: ReportedState;
  /** Shows what stands in its place now, where it was moved. */
  readonly movedTo?: MovedTo;
}

export interface MovedTo extends Omit<Found, "movedTo"> {
  readonly intent: IntentRecord;
  /** The changes that led there, oldest first. */
  readonly places: readonly IntentRecord[];
}

/** Tells what a name means now. */
export function standing(found: Found): Omit<Found, "movedTo"> {
  return found.movedTo ?? found;
}

/** Pages of orders searched for an id whose market is not known. */
const MAX_PAGES = 10;
const PAGE_SIZE = 500;

export class FindOrder {
  readonly #context: DeskContext;
  readonly #reconciler: OrderReconciler;
  readonly #tracker: OrderTracker;

  constructor(context: DeskContext, reconciler: OrderReconciler, tracker: OrderTracker) {
    this.#context = context;
    this.#reconciler = reconciler;
    this.#tracker = tracker;
  }

  async find(name: OrderName, urgency?: Urgency): Promise<Result<Found>> {
    const found = await this.#find(name, urgency);
    if (!found.ok || found.value.order === undefined) return found;
    const { order, intent } = found.value;
    // The journal was read a moment ago: where it says the same there is nothing to record.
    if (intent === undefined || updateFrom(intent, order) !== undefined) await this.#tracker.record([order]);
    const movedTo = await this.#inPlaceOf(order, urgency);
    return movedTo.ok ? ok({ ...found.value, ...defined({ movedTo: movedTo.value }) }) : movedTo;
  }

  /** Only what a change has canceled has a successor. */
  async #inPlaceOf({ state, orderId }: Order, urgency?: Urgency): Promise<Result<MovedTo | undefined>> {
    if (state !== "canceled") return ok(undefined);
    const places = await placesOf(this.#context, this.#context.journalAccount(), orderId);
    const last = places.at(-1);
    if (last === undefined) return ok(undefined);
    const intent = await this.#reconciler.settle(last, urgency);
    // As where it proves not to have been placed.
    if (!isInPlace(intent)) return ok(undefined);
    if (intent.orderId === null) return ok({ intent, places, state: intentStateOf(intent) });
    const order = await this.#context.parts.venue.order(intent.body.order.symbol, intent.orderId, urgency);
    if (!order.ok) return order;
    await this.#tracker.record([order.value]);
    const later = await this.#inPlaceOf(order.value, urgency);
    if (!later.ok) return later;
    if (later.value !== undefined) return ok({ ...later.value, places: [...places, ...later.value.places] });
    return ok({ order: order.value, intent, places, state: orderStateOf(order.value) });
  }

  async #find(name: OrderName, urgency?: Urgency): Promise<Result<Found>> {
    const account = await this.#context.seenAccount(urgency);
    if (!account.ok) return account;
    if (urgency === undefined) {
      const symbol = await this.#context.symbol(name.symbol);
      if (!symbol.ok) return symbol;
    }
    if (name.orderId !== undefined) return this.#byOrderId(account.value, name.orderId, name.symbol, urgency);
    if (name.userref !== undefined) return this.#byUserref(account.value, name.userref, name.symbol, urgency);
    const message = "Name the order by order_id or userref.";
    return failed(localFault("ELocal:Invalid input", { field: "order_id", message }));
  }

  /** A cancel resolves it only where nothing better is known, and does not wait long. */
  #symbolOf(text: string | undefined, urgency: Urgency | undefined): Promise<Result<string | undefined>> {
    return this.#context.symbol(text, urgency && CANCEL_DEADLINE);
  }

  async view(name: OrderName): Promise<Result<OrderView>> {
    const found = await this.find(name);
    return found.ok ? ok(this.viewOf(found.value)) : found;
  }

  viewOf({ order, intent, state, movedTo }: Found): OrderView {
    const userref = intent?.userref ?? order?.userref;
    const now = movedTo ?? { order, intent };
    const evidence = now.intent && isUnresolved(now.intent.state) ? now.intent.body.evidence : undefined;
    const next = now.intent === undefined ? undefined : intentReport(this.#context.stamp(), now.intent).next_action;
    const advice = movedTo === undefined || next === undefined ? next : `It was moved. ${next}`;
    const late = now.intent && withdrawnLate(now.intent);
    const told = [late, now.order === undefined ? advice : undefined].filter((words) => words !== undefined);
    return {
      ...defined({ order }),
      state,
      ...defined({ intent_id: intent?.intentId }),
      ...defined({ userref: userref ?? undefined, evidence: evidence && evidenceView(evidence) }),
      ...defined({ moved_to: movedTo?.order, next_action: told.length > 0 ? told.join(" ") : undefined }),
      ...this.#context.stamp(),
    };
  }

  async #byOrderId(
    account: string,
    orderId: string,
    symbolText: string | undefined,
    urgency: Urgency | undefined,
  ): Promise<Result<Found>> {
    const { journal, venue } = this.#context.parts;
    // The journal only shortens the search; the venue can be queried without it.
    const { value: known } = await attempt(() => journal.byOrderId(account, orderId));
    const ours = known?.body.order.symbol;
    const named = ours === undefined ? await this.#symbolOf(symbolText, urgency) : ok(ours);
    if (!named.ok) return named;
    const market = named.value;
    if (market === undefined) return this.#search(orderId, urgency);
    const order = await venue.order(market, orderId, urgency);
    if (order.ok) return ok(found(order.value, known));
    if (faultKind(order.fault.code) !== "unknown_order") return order;
    // The caller may have named the wrong market; the journal does not.
    return ours === undefined
      ? this.#search(orderId, urgency, market)
      : unknownOrder(`order_id ${orderId}`, `in ${market}`);
  }

  /** Searches all markets for an id, newest orders first. @param searched a market that is known not to have it */
  async #search(orderId: string, urgency?: Urgency, searched?: string): Promise<Result<Found>> {
    const { venue } = this.#context.parts;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await venue.orders({ state: "all", limit: PAGE_SIZE, ...defined({ cursor }) }, urgency);
      if (!answer.ok) return answer;
      const hit = answer.value.orders.find((order) => order.orderId === orderId);
      if (hit !== undefined) {
        const order = await venue.order(hit.symbol, orderId, urgency);
        return order.ok ? ok(found(order.value, undefined)) : order;
      }
      if (answer.value.next_cursor === null) return unknownOrder(`order_id ${orderId}`, "on this account");
      cursor = answer.value.next_cursor;
    }
    const newest = `among the newest ${MAX_PAGES * PAGE_SIZE} orders of this account`;
    return searched === undefined
      ? unknownOrder(`order_id ${orderId}`, newest, "An older one is found if its symbol is given too.")
      : unknownOrder(
          `order_id ${orderId}`,
          `in ${searched}, nor ${newest}`,
          "It may be an older one of another market.",
        );
  }

  async #byUserref(
    account: string,
    userref: string,
    symbolText: string | undefined,
    urgency: Urgency | undefined,
  ): Promise<Result<Found>> {
    const { journal, venue } = this.#context.parts;
    const known = await attempt(() => journal.byUserref(account, userref));
    const intent = known.value === undefined ? undefined : await this.#reconciler.settle(known.value, urgency);
    if (intent?.orderId !== null && intent?.orderId !== undefined) {
      const order = await venue.order(intent.body.order.symbol, intent.orderId, urgency);
      return order.ok ? ok(found(order.value, intent)) : order;
    }
    if (intent !== undefined) return ok({ intent, state: intentStateOf(intent) });
    const named = await this.#symbolOf(symbolText, urgency);
    if (!named.ok) return named;
    const symbol = named.value;
    const answer = await venue.lookup({ userref, ...defined({ symbol }) }, urgency);
    if (!answer.ok) return answer;
    const newest = answer.value.kind === "found" ? answer.value.item[0] : undefined;
    // Without the journal it is not known whether such an order is on its way.
    if (newest === undefined)
      return known.fault === undefined
        ? unknownOrder(`userref ${userref}`, symbol === undefined ? "on this account" : `in ${symbol}`)
        : failed(known.fault);
    const order = await venue.order(newest.symbol, newest.orderId, urgency);
    return order.ok ? ok(found(order.value, undefined)) : order;
  }
}

function found(order: Order, intent: IntentRecord | undefined): Found {
  return { order, state: orderStateOf(order), ...defined({ intent }) };
}

/** @param where what was searched, and no more than that */
function unknownOrder(name: string, where: string, hint?: string): Result<never> {
  const message = `There is no order with ${name} ${where}.`;
  return failed(localFault("ELocal:Unknown order", { message: hint === undefined ? message : `${message} ${hint}` }));
}

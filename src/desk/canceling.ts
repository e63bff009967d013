/**
 * Cancels, sent once and verified: "canceled" is only said when the venue shows the order closed.
 *
 * A cancel without an answer is looked up. Behind the nonce fence an order that is still open, or has ended otherwise,
 * proves that the lost cancel had no effect; only an open one is worth another cancel. It is called accepted where the order
 * shows as canceled, and nowhere else.
 */
import { type Fault, localFault, type Order } from "../contract/index.ts";
import type { OrderName, WriteReport } from "./answers.ts";
import type { Approving } from "./approving.ts";
import { type DeskContext, noted } from "./context.ts";
import type { Following } from "./following.ts";
import type { Lookup } from "./lookup.ts";
import { deniedReport, orderStateOf, reportError } from "./report.ts";

/** Looks at an order whose cancel was accepted but which the venue still shows open. */
const VERIFY_LOOKS = 5;
const VERIFY_PAUSE_MS = 200;

export class Canceling {
  private readonly context: DeskContext;
  private readonly lookup: Lookup;
  private readonly following: Following;
  private readonly approving: Approving;

  constructor(context: DeskContext, lookup: Lookup, following: Following, approving: Approving) {
    this.context = context;
    this.lookup = lookup;
    this.following = following;
    this.approving = approving;
  }

  async cancel(name: OrderName): Promise<WriteReport> {
    const found = await this.lookup.find(name);
    if (!found.ok) return deniedReport(this.context.stamp(), found.fault);
    const { order, intent } = found.value;
    if (order === undefined) {
      // Approved at this very moment: then there is an order to cancel, or soon.
      if (intent?.state === "awaiting_approval") return (await this.approving.withdraw(intent)) ?? this.cancel(name);
      const why =
        found.value.state === "unknown"
          ? "It is not known whether the venue has this order, so nothing was canceled. Look with get_order, then cancel."
          : "This order has no order at the venue that could be canceled.";
      const fault = localFault("ELocal:Unknown order", { message: `${why} Its state: ${found.value.state}.` });
      return deniedReport(this.context.stamp(), fault);
    }
    const step = {
      account: this.context.journalAccount(),
      orderId: order.orderId,
      detail: { symbol: order.symbol },
      ...(intent === undefined ? {} : { intentId: intent.intentId }),
    };
    const before = await noted(this.context, { event: "cancel_requested", ...step });
    await this.following.cancelAsked([order]);
    const answer = await this.context.parts.venue.cancel(order.symbol, order.orderId);
    const report = answer.ok ? await this.verified(answer.value) : await this.explained(order, answer.fault);
    // A cancel that was refused, or never left, or is proven lost has left the order as it was.
    const isWithoutEffect = report.outcome === "not_sent" || report.outcome === "rejected";
    if (report.order !== undefined) await this.following.note([report.order], isWithoutEffect);
    const after = await noted(this.context, { event: `cancel_ended_${report.state}`, ...step });
    const warnings = [...before, ...after];
    return { ...report, warnings, ...(intent === undefined ? {} : { intent_id: intent.intentId }) };
  }

  /** The venue took the cancel: look until the order is closed. */
  private async verified(order: Order): Promise<WriteReport> {
    const { venue, clock } = this.context.parts;
    let seen = order;
    for (let look = 0; seen.state === "open" && look < VERIFY_LOOKS; look++) {
      await clock.sleep(VERIFY_PAUSE_MS);
      const answer = await venue.order(order.symbol, order.orderId);
      if (answer.ok) seen = answer.value;
    }
    if (seen.state !== "open") return this.report("accepted", orderStateOf(seen), seen);
    const next = "The cancel was accepted but the order is still shown open. Look again with get_order.";
    return this.report("accepted", "cancel_requested", seen, { next_action: next });
  }

  /** The cancel was refused or has no answer: say what the order is now. */
  private async explained(order: Order, fault: Fault): Promise<WriteReport> {
    const { venue } = this.context.parts;
    const answer = await venue.order(order.symbol, order.orderId);
    const error = reportError(fault);
    if (!answer.ok) {
      const sure =
        fault.reachedVenue === "unknown" ? "unknown" : fault.reachedVenue === "yes" ? "rejected" : "not_sent";
      const next = `Look with get_order, order_id ${order.orderId}, before anything else.`;
      return this.report(sure, sure === "unknown" ? "unknown" : orderStateOf(order), order, {
        error,
        next_action: next,
      });
    }
    const seen = answer.value;
    const state = orderStateOf(seen);
    if (fault.reachedVenue === "yes")
      return this.report("rejected", state, seen, { error, next_action: fault.nextAction });
    if (seen.state === "canceled") return this.report("accepted", state, seen);
    const isWithoutEffect = fault.reachedVenue === "no" || venue.nonceFence;
    if (seen.state !== "open") {
      const next = "The order has ended by itself: there is nothing left to cancel.";
      return this.report(isWithoutEffect ? "not_sent" : "unknown", state, seen, { error, next_action: next });
    }
    if (isWithoutEffect) {
      const next = "The cancel had no effect and the order is still open: cancel it again.";
      return this.report("not_sent", state, seen, { error, next_action: next });
    }
    const next = "It is not known yet whether the cancel takes effect. Look again with get_order.";
    return this.report("unknown", "cancel_requested", seen, { error, next_action: next });
  }

  private report(
    outcome: WriteReport["outcome"],
    state: WriteReport["state"],
    order: Order,
    more: Pick<WriteReport, "error" | "next_action"> = {},
  ): WriteReport {
    const userref = order.userref === null ? {} : { userref: order.userref };
    return { outcome, state, order, ...userref, ...this.context.stamp(), warnings: [], ...more };
  }
}

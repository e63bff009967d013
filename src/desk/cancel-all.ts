/**
 * Cancel everything, then ask the venue what is still open: the report is per order and by evidence.
 */
import { type BatchCancel, type Fault, failed, type Order, ok, type Result, venueFault } from "../contract/index.ts";
import type { CancelAllReport, CancelItem, WriteOutcome } from "./answers.ts";
import { type DeskContext, noted } from "./context.ts";
import { orderStateOf, reportError } from "./report.ts";

/** Pages of open orders read; 500 orders each. */
const MAX_PAGES = 10;

/** An order that was open before the request, or that the request was said to cancel. */
interface Listed {
  readonly orderId: string;
  readonly symbol: string;
  readonly seen?: Order;
}

export class CancelingAll {
  private readonly context: DeskContext;

  constructor(context: DeskContext) {
    this.context = context;
  }

  async cancelAll(symbolText?: string): Promise<CancelAllReport> {
    const symbol = await this.context.symbol(symbolText);
    if (!symbol.ok) return this.allFailed(symbol.fault);
    await this.context.account();
    const open = await this.openOrders(symbol.value);
    if (open.ok && open.value.length === 0) return this.all("accepted", [], 0, {});
    // A list that cannot be had holds no cancel up; what was canceled is then known from the answer.
    const { venue } = this.context.parts;
    const { account } = this.context.stamp();
    const detail = { symbol: symbol.value ?? "all", open: open.ok ? open.value.length : "unknown" };
    const warnings = await noted(this.context, { event: "cancel_all_requested", account, detail });
    const answer = await venue.cancelAll(symbol.value);
    const before = open.ok ? open.value.map(listed) : requestedIn(answer, symbol.value);
    const after = await this.openOrders(symbol.value);
    const refused = new Map(answer.ok ? answer.value.failed.map((item) => [item.uuid, item.error]) : []);
    if (!after.ok) {
      const outcome = answer.ok ? "accepted" : outcomeOf(answer.fault, false);
      return this.unverified(outcome, before, warnings, answer.ok ? after.fault : answer.fault);
    }
    const items = await this.items(before, after.value, refused);
    const fault = answer.ok ? undefined : answer.fault;
    const outcome = fault === undefined || after.value.length === 0 ? "accepted" : outcomeOf(fault, venue.nonceFence);
    return this.all(outcome, items, after.value.length, {
      warnings,
      ...(fault === undefined || after.value.length === 0 ? {} : { error: reportError(fault) }),
    });
  }

  /** Per order: still open, or its final state as the venue shows it. */
  private async items(
    before: readonly Listed[],
    after: readonly Order[],
    refused: ReadonlyMap<string, string>,
  ): Promise<readonly CancelItem[]> {
    const open = new Map(after.map((order) => [order.orderId, order]));
    const closed = await this.closedSince(before);
    const items: CancelItem[] = [];
    for (const { orderId, symbol } of before) {
      const final = open.get(orderId) ?? closed.get(orderId) ?? (await this.one(symbol, orderId));
      const refusal = refused.get(orderId);
      items.push({
        orderId,
        symbol: final?.symbol ?? symbol,
        state: final === undefined ? "cancel_requested" : orderStateOf(final),
        ...(refusal === undefined ? {} : { error: reportError(venueFault(refusal)) }),
      });
    }
    return items;
  }

  private async closedSince(before: readonly Listed[]): Promise<ReadonlyMap<string, Order>> {
    const oldest = before[before.length - 1];
    const since = oldest?.seen === undefined ? {} : { fromMs: Date.parse(oldest.seen.created_at) };
    const page = await this.context.parts.venue.orders({ state: "closed", limit: 500, ...since });
    return new Map(page.ok ? page.value.orders.map((order) => [order.orderId, order]) : []);
  }

  private async one(symbol: string, orderId: string): Promise<Order | undefined> {
    const answer = await this.context.parts.venue.order(symbol, orderId);
    return answer.ok ? answer.value : undefined;
  }

  private async openOrders(symbol: string | undefined): Promise<Result<readonly Order[]>> {
    const orders: Order[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await this.context.parts.venue.orders({
        state: "open",
        limit: 500,
        ...(symbol === undefined ? {} : { symbol }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (!answer.ok) return failed(answer.fault);
      orders.push(...answer.value.orders);
      if (answer.value.next_cursor === null) break;
      cursor = answer.value.next_cursor;
    }
    return ok(orders);
  }

  private unverified(
    outcome: CancelAllReport["outcome"],
    before: readonly Listed[],
    warnings: readonly string[],
    fault: Fault,
  ): CancelAllReport {
    const items = before.map(({ orderId, symbol, seen }) => ({
      orderId,
      symbol,
      state: outcome === "not_sent" && seen !== undefined ? orderStateOf(seen) : ("cancel_requested" as const),
    }));
    return this.all(outcome, items, before.length, {
      warnings,
      error: reportError(fault),
      next_action: "Could not verify. Look with get_open_orders before anything else.",
    });
  }

  private all(
    outcome: CancelAllReport["outcome"],
    results: readonly CancelItem[],
    remaining: number,
    more: Partial<Pick<CancelAllReport, "error" | "next_action" | "warnings">>,
  ): CancelAllReport {
    const canceled = results.filter((item) => item.state === "canceled").length;
    const next = remaining > 0 ? { next_action: "Some orders are still open: look with get_open_orders." } : {};
    return { outcome, results, canceled, remaining, ...this.context.stamp(), warnings: [], ...next, ...more };
  }

  private allFailed(fault: Fault): CancelAllReport {
    return this.all("not_sent", [], 0, { error: reportError(fault), next_action: fault.nextAction });
  }
}

function listed(order: Order): Listed {
  return { orderId: order.orderId, symbol: order.symbol, seen: order };
}

function requestedIn(answer: Result<BatchCancel>, symbol = "unknown"): readonly Listed[] {
  return answer.ok ? answer.value.requested.map((orderId) => ({ orderId, symbol })) : [];
}

/** A batch cancel that failed while orders are still open: what is known of it. */
function outcomeOf(fault: Fault, nonceFence: boolean): WriteOutcome {
  switch (fault.reachedVenue) {
    case "yes":
      return "rejected";
    case "no":
      return "not_sent";
    case "unknown":
      // The open orders were asked for behind the fence, so the lost request can do nothing any more.
      return nonceFence ? "not_sent" : "unknown";
    default:
      return fault.reachedVenue satisfies never;
  }
}

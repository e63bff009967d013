/**
 * Cancels everything, then queries the venue for what is still open: the report is per order and by evidence.
 *
 * Invariant: `remaining` is a number only where the venue has said it after the request.
 */
import {
  type BatchCancel,
  defined,
  type Fault,
  failed,
  type Order,
  type OrderPage,
  ok,
  type Result,
  type Side,
  venueFault,
} from "../../contract/index.ts";
import { NOTHING_WITHDRAWN, type Withdrawal, withWithdrawn } from "../approval/withdrawal.ts";
import { CANCEL_DEADLINE, type DeskContext, recordStep, URGENT } from "../core/context.ts";
import { beforeSending, orderStateOf, reportError } from "../model/order-report.ts";
import type { CancelAllReport, CancelItem, WriteOutcome } from "../model/reports.ts";
import type { OrdersOptions, OrderWrites } from "../ports/venue.ts";
import { isFenced } from "../reconciliation/absence.ts";
import type { OrderTracker } from "../reconciliation/order-tracker.ts";
import { dustLeft } from "../risk/order-warnings.ts";
import { isMeant, type Meant, withdrawWaiting } from "./withdraw-waiting.ts";

const PAGE_SIZE = 500;
/** Cancels of single orders on their way together. */
const AT_ONCE = 8;
/** Pages of a list read. */
const MAX_PAGES = 10;
/** Closed orders further back than those pages are queried one by one, up to this many. */
const SINGLE_MAX = 20;
/** Looks at what is open though its cancel was taken. */
const [GOING_LOOKS, GOING_PAUSE_MS] = [4, 100];
/** No further query of how orders ended begins after this long: that they are not open any more is known without it. */
const CLOSED_MS = 5_000;

/** An order that was open before the request, or that the request was said to cancel. */
export interface Listed {
  readonly orderId: string;
  readonly symbol: string;
  readonly seen?: Order;
}

interface CancelAllContext {
  /** What was open before, where that could be had. */
  readonly known?: readonly Order[];
  /** Orders of an earlier request whose end is not known: they are queried once more. */
  readonly unsettled?: readonly Listed[];
  /** Orders that an earlier request has shown to have ended: where the journal could not be told, it still has them open. */
  readonly ended?: ReadonlySet<string>;
  /** Whether what the journal has open counts among what was open before. */
  readonly withJournal?: boolean;
  /** Whether what the canceled orders leave is told: it takes a moment. */
  readonly tellsDust?: boolean;
  /** Runs after the request and before the open orders are queried, with the account, or the fault why it is not known. */
  readonly beforeQuery?: (account: Result<string>) => Promise<void>;
  /** Withdraws what waits for a person, in the same moment; by default the orders of this account and market. */
  readonly withdraw?: (account: Result<string>) => Promise<Withdrawal>;
}

type Canceling = Pick<OrderWrites, "cancel" | "cancelAll">;

export class CancelAll {
  readonly #context: DeskContext;
  readonly #tracker: OrderTracker;
  readonly #writes: Canceling;

  constructor(context: DeskContext, tracker: OrderTracker, writes: Canceling) {
    this.#context = context;
    this.#tracker = tracker;
    this.#writes = writes;
  }

  async cancelAll(symbolText?: string, side?: Side): Promise<CancelAllReport> {
    const symbol = await this.#context.symbol(symbolText, CANCEL_DEADLINE);
    if (!symbol.ok) return this.#allFailed(symbol.fault);
    const meant = { symbol: symbol.value, side };
    const open = await this.#openOrders(meant, CANCEL_DEADLINE);
    if (open.ok && open.value.length > 0) return this.#cancel(meant, URGENT, { known: open.value, tellsDust: true });
    // Which orders are of that side only the list tells.
    if (!open.ok)
      return side === undefined ? this.#cancel(meant, URGENT, { tellsDust: true }) : this.#allFailed(open.fault);
    const withdrawal = await withdrawWaiting(this.#context, await this.#context.account(CANCEL_DEADLINE), meant);
    return withWithdrawn(this.#all("accepted", [], 0, {}), withdrawal);
  }

  /**
   * Everything, at once: no query precedes the request, and the queries after it are urgent and have a short deadline.
   */
  async cancelAtOnce(
    more: Pick<CancelAllContext, "unsettled" | "ended" | "beforeQuery" | "withdraw"> = {},
  ): Promise<CancelAllReport> {
    return this.#cancel({}, CANCEL_DEADLINE, { ...more, withJournal: true });
  }

  async #cancel(meant: Meant, options: OrdersOptions, context: CancelAllContext): Promise<CancelAllReport> {
    let withdrawal = NOTHING_WITHDRAWN;
    const { beforeQuery, withdraw = (account) => withdrawWaiting(this.#context, account, meant) } = context;
    const report = await this.#request(meant, options, {
      ...context,
      beforeQuery: async (account) => {
        await beforeQuery?.(account);
        withdrawal = await withdraw(account);
      },
    });
    return withWithdrawn(report, withdrawal);
  }

  async #request(
    meant: Meant,
    options: OrdersOptions,
    { known, unsettled = [], ended, withJournal = false, tellsDust = false, beforeQuery }: CancelAllContext,
  ): Promise<CancelAllReport> {
    // A list that cannot be had holds no cancel up; what was canceled is then known from the answer.
    const { venue } = this.#context.parts;
    const { symbol, side } = meant;
    const account = this.#context.journalAccount();
    const detail = { symbol: symbol ?? "all", open: known?.length ?? "unknown", ...defined({ side }) };
    const warnings = await recordStep(this.#context, { event: "cancel_all_requested", account, detail });
    if (known !== undefined) await this.#tracker.cancelRequested(known);
    const live = withJournal ? await this.#live() : [];
    const wasKnown = this.#context.knowsAccount;
    const answer = await (side === undefined ? this.#writes.cancelAll(symbol, options) : this.#oneByOne(known ?? []));
    // Only now: in a process that has just started it would have delayed the request.
    const named = await this.#context.account(CANCEL_DEADLINE);
    const late = withJournal && named.ok && !wasKnown ? await this.#live() : [];
    await beforeQuery?.(named);
    const isLeft = ({ orderId }: Pick<Listed, "orderId">): boolean => ended?.has(orderId) !== true;
    const asked = known?.map(listed) ?? requestedIn(answer, symbol);
    const before = [...asked, ...unsettled, ...live, ...late].filter(isLeft);
    const open = await this.#openAfter(meant, options, answer.ok ? answer.value.requested : []);
    // To a list that may lag, what the journal has open is added where it cannot be asked about: not what was seen to have ended.
    const after = open.ok ? ok(open.value.filter(isLeft)) : open;
    if (!after.ok) {
      const outcome = answer.ok ? "accepted" : outcomeOf(answer.fault, false);
      return this.#unverified(outcome, before, warnings, answer.ok ? after.fault : answer.fault);
    }
    const refused = new Map(answer.ok ? answer.value.failed.map((item) => [item.uuid, item.error]) : []);
    // Those that this request did not cancel are simply open again.
    await this.#tracker.record(
      after.value.filter(({ orderId }) => refused.has(orderId)),
      true,
    );
    const { items, unseen, closed } = await this.#items(together(before, after.value), after.value, refused, options);
    const dust = tellsDust ? await dustLeft(this.#context, closed) : [];
    const unknown = unseen === 0 ? [] : [`How ${unseen} orders that are no longer open ended is not known.`];
    const more = { warnings: [...warnings, ...unknown, ...dust] };
    if (answer.ok) return this.#all("accepted", items, after.value.length, more);
    if (isFenced(venue) || answer.fault.reachedVenue !== "unknown") await this.#tracker.record(after.value, true);
    const isProven = known !== undefined && unseen === 0 && isFenced(venue);
    const outcome = items.some(isCanceled) ? outcomeOfEffect(answer.fault) : outcomeOf(answer.fault, isProven);
    // Done is done, whatever became of the answer.
    const isDone = outcome === "accepted" && after.value.length === 0;
    const error = isDone ? {} : { error: reportError(answer.fault) };
    return this.#all(outcome, items, after.value.length, { ...more, ...error });
  }

  /** Those of one side: the exchange cancels all orders, or those of a market, at once. */
  async #oneByOne(orders: readonly Order[]): Promise<Result<BatchCancel>> {
    const faults: (readonly [orderId: string, fault: Fault])[] = [];
    for (let next = 0; next < orders.length; next += AT_ONCE)
      await Promise.all(
        orders.slice(next, next + AT_ONCE).map(async ({ symbol, orderId }) => {
          const answer = await this.#writes.cancel(symbol, orderId);
          if (!answer.ok) faults.push([orderId, answer.fault]);
        }),
      );
    const unheard = faults.find(([, { reachedVenue }]) => reachedVenue === "unknown");
    const fault = (unheard ?? (faults.length === orders.length ? faults[0] : undefined))?.[1];
    if (fault !== undefined) return failed(fault);
    const failedOnes = faults.map(([uuid, { code }]) => ({ uuid, error: code }));
    return ok({ requested: orders.map(({ orderId }) => orderId), failed: failedOnes });
  }

  /**
   * What the journal has open: it knows the market of an order that the answer only names by id, and which orders there were if no
   * answer comes. Empty while the account is not known.
   */
  async #live(): Promise<readonly Listed[]> {
    return (await this.#tracker.live()).flatMap(({ orderId, body }) =>
      orderId === null ? [] : [{ orderId, symbol: body.order.symbol, ...(body.seen && { seen: body.seen }) }],
    );
  }

  /** Per order: still open, or its final state as the venue shows it. `unseen` counts those that could not be queried. */
  async #items(
    before: readonly Listed[],
    after: readonly Order[],
    refused: ReadonlyMap<string, string>,
    options: OrdersOptions,
  ): Promise<{ readonly items: readonly CancelItem[]; readonly unseen: number; readonly closed: readonly Order[] }> {
    const open = new Map(after.map((order) => [order.orderId, order]));
    const closed = await this.#closedOf(
      before.filter(({ orderId }) => !open.has(orderId)),
      options,
    );
    await this.#tracker.record([...closed.values()]);
    const items: CancelItem[] = [];
    for (const { orderId, symbol } of before) {
      const final = open.get(orderId) ?? closed.get(orderId);
      const refusal = refused.get(orderId);
      items.push({
        orderId,
        symbol: final?.symbol ?? symbol,
        state: final === undefined ? "cancel_requested" : orderStateOf(final),
        ...(refusal !== undefined && { error: reportError(venueFault(refusal)) }),
      });
    }
    const unseen = before.filter(({ orderId }) => !open.has(orderId) && !closed.has(orderId)).length;
    return { items, unseen, closed: [...closed.values()] };
  }

  /** How the orders given ended: from the list of closed orders, page by page, as one read an order takes minutes. */
  async #closedOf(gone: readonly Listed[], options: OrdersOptions): Promise<ReadonlyMap<string, Order>> {
    const missing = new Map(gone.map((item) => [item.orderId, item]));
    const closed = new Map<string, Order>();
    if (missing.size === 0) return closed;
    const { clock, venue } = this.#context.parts;
    const endsAtMs = clock.now() + CLOSED_MS;
    const take = (order: Order): void => {
      if (missing.delete(order.orderId)) closed.set(order.orderId, order);
    };
    const created = gone.map(({ seen }) => (seen === undefined ? 0 : Date.parse(seen.created_at)));
    const since = created.reduce((earliest, ms) => Math.min(earliest, ms));
    const request = { state: "closed", ...(since > 0 ? { fromMs: since } : {}) } as const;
    await this.#pages(request, options, (page) => {
      page.orders.forEach(take);
      return missing.size > 0 && clock.now() < endsAtMs;
    });
    for (const { symbol, orderId } of [...missing.values()].slice(0, SINGLE_MAX)) {
      if (clock.now() >= endsAtMs) break;
      const answer = await venue.order(symbol, orderId, options);
      if (answer.ok) take(answer.value);
    }
    return closed;
  }

  /** After the request. An exchange may take cancels and carry them out a moment later: it is looked again while one of these is open. */
  async #openAfter(meant: Meant, options: OrdersOptions, taken: readonly string[]): Promise<Result<readonly Order[]>> {
    let open = await this.#openOrders(meant, options);
    for (let looks = 1; looks < GOING_LOOKS && open.ok; looks++) {
      if (!open.value.some(({ orderId }) => taken.includes(orderId))) break;
      await this.#context.parts.clock.sleep(GOING_PAUSE_MS);
      const later = await this.#openOrders(meant, options);
      if (later.ok) open = later;
    }
    return open;
  }

  async #openOrders(meant: Meant, options: OrdersOptions): Promise<Result<readonly Order[]>> {
    const orders: Order[] = [];
    const request = { state: "open", ...defined({ symbol: meant.symbol }) } as const;
    const fault = await this.#pages(request, options, (page) => {
      orders.push(...page.orders.filter((order) => isMeant(meant, order)));
      return true;
    });
    return fault === undefined ? ok(orders) : failed(fault);
  }

  /** Reads a list page by page for as long as `take` wants more. @returns the fault that ended it early */
  async #pages(
    request: { readonly state: "open" | "closed"; readonly symbol?: string; readonly fromMs?: number },
    options: OrdersOptions,
    take: (page: OrderPage) => boolean,
  ): Promise<Fault | undefined> {
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const list = { ...request, limit: PAGE_SIZE, ...defined({ cursor }) };
      const answer = await this.#context.parts.venue.orders(list, options);
      if (!answer.ok) return answer.fault;
      if (!take(answer.value) || answer.value.next_cursor === null) return undefined;
      cursor = answer.value.next_cursor;
    }
    return undefined;
  }

  #unverified(
    outcome: CancelAllReport["outcome"],
    before: readonly Listed[],
    warnings: readonly string[],
    fault: Fault,
  ): CancelAllReport {
    const isRequested = outcome === "accepted" || outcome === "unknown";
    const items = before.map(({ orderId, symbol, seen }) => ({
      orderId,
      symbol,
      state: isRequested
        ? ("cancel_requested" as const)
        : seen === undefined
          ? ("unknown" as const)
          : orderStateOf(seen),
    }));
    return this.#all(outcome, items, null, {
      warnings,
      error: reportError(fault),
      next_action: "Could not verify. Look with get_open_orders before anything else.",
    });
  }

  #all(
    outcome: CancelAllReport["outcome"],
    results: readonly CancelItem[],
    remaining: number | null,
    more: Partial<Pick<CancelAllReport, "error" | "next_action" | "warnings">>,
  ): CancelAllReport {
    const canceled = results.filter(isCanceled).length;
    const isOpen = remaining !== null && remaining > 0;
    const next = isOpen ? { next_action: "Some orders are still open: look with get_open_orders." } : {};
    return {
      outcome,
      results,
      canceled,
      withdrawn: [],
      remaining,
      ...this.#context.stamp(),
      warnings: [],
      ...next,
      ...more,
    };
  }

  #allFailed(cause: Fault): CancelAllReport {
    const fault = beforeSending(cause);
    return this.#all("not_sent", [], null, { error: reportError(fault), next_action: fault.nextAction });
  }
}

/** What was open before and what is open now, each once: an order may have come to rest in between. */
function together(before: readonly Listed[], after: readonly Order[]): readonly Listed[] {
  return [...new Map([...before, ...after.map(listed)].map((item) => [item.orderId, item])).values()];
}

function listed(order: Order): Listed {
  return { orderId: order.orderId, symbol: order.symbol, seen: order };
}

function isCanceled(item: CancelItem): boolean {
  return item.state === "canceled";
}

function requestedIn(answer: Result<BatchCancel>, symbol = "unknown"): readonly Listed[] {
  return answer.ok ? answer.value.requested.map((orderId) => ({ orderId, symbol })) : [];
}

/** A batch cancel that failed, with none of its orders shown as canceled. `isProven`: all of them were queried behind the nonce fence. */
function outcomeOf(fault: Fault, isProven: boolean): WriteOutcome {
  switch (fault.reachedVenue) {
    case "yes":
      return "rejected";
    case "no":
      return "not_sent";
    case "unknown":
      // The lost request can do nothing any more.
      return isProven ? "not_sent" : "unknown";
    default:
      return fault.reachedVenue satisfies never;
  }
}

/** A batch cancel without an answer, and orders of it that show as canceled: it took effect. One that was refused did not. */
function outcomeOfEffect(fault: Fault): WriteOutcome {
  return fault.reachedVenue === "unknown" ? "accepted" : outcomeOf(fault, false);
}

/**
 * Cancels an order by the name a caller has for it, or withdraws it while it waits for a person.
 *
 * Source: architecture.md#rule-5.
 */
import { defined, localFault, ok } from "../../contract/index.ts";
import { type DeskContext, URGENT } from "../core/context.ts";
import { attempt } from "../core/store-result.ts";
import { deniedOrder, reportError } from "../model/order-report.ts";
import type { OrderName, WriteReport } from "../model/reports.ts";
import { isCanonical } from "../model/symbol.ts";
import type { FindOrder } from "../queries/find-order.ts";
import type { ApproveOrder } from "./approve-order.ts";
import type { CancelTarget, VerifiedCancel } from "./verified-cancel.ts";

/** The venue's words for an order that is not where it was said to be. */
const NOT_THERE: readonly (string | undefined)[] = ["EOrder:Unknown order", "EQuery:Unknown asset pair"];

export class CancelOrder {
  readonly #context: DeskContext;
  readonly #finder: FindOrder;
  readonly #cancels: VerifiedCancel;
  readonly #approvals: ApproveOrder;

  constructor(context: DeskContext, finder: FindOrder, cancels: VerifiedCancel, approvals: ApproveOrder) {
    this.#context = context;
    this.#finder = finder;
    this.#cancels = cancels;
    this.#approvals = approvals;
  }

  /** Where id and market are known, the cancel leaves before any query. */
  async cancel(name: OrderName): Promise<WriteReport> {
    const known = await this.#known(name);
    const sent = known === undefined ? undefined : await this.#cancels.send(known);
    if (sent !== undefined && !NOT_THERE.includes(sent.error?.code)) return sent;
    const found = await this.#finder.find(name, URGENT);
    if (!found.ok) {
      const isNowhere = found.fault.code === "ELocal:Unknown order";
      if (sent === undefined) {
        const report = deniedOrder(this.#context.stamp(), found.fault);
        // Badly named, or not there; else it could not be queried.
        return isNowhere || found.fault.field !== undefined ? report : { ...report, state: "unknown" };
      }
      return isNowhere ? { ...sent, error: reportError(found.fault), next_action: found.fault.nextAction } : sent;
    }
    const { order, intent } = found.value;
    if (order === undefined) {
      // Approved at this very moment: then there is an order to cancel, or soon.
      if (intent?.state === "awaiting_approval") return (await this.#approvals.withdraw(intent)) ?? this.cancel(name);
      const why =
        found.value.state === "unknown"
          ? "It is not known whether the venue has this order, so nothing was canceled. Look with get_order, then cancel."
          : "This order has no order at the venue that could be canceled.";
      const fault = localFault("ELocal:Unknown order", { message: `${why} Its state: ${found.value.state}.` });
      const report = deniedOrder(this.#context.stamp(), fault);
      if (intent === undefined) return report;
      return { ...report, state: found.value.state, intent_id: intent.intentId, userref: intent.userref };
    }
    const { orderId, symbol } = order;
    return this.#cancels.send({ orderId, symbol, seen: order, ...defined({ intent }) });
  }

  /** From the journal, or as the caller says: no query may delay the cancel. */
  async #known({ orderId, userref, symbol }: OrderName): Promise<CancelTarget | undefined> {
    const { journal } = this.#context.parts;
    const account = this.#context.journalAccount();
    const { value: intent } = await attempt(async () => {
      if (orderId !== undefined) return journal.byOrderId(account, orderId);
      return userref === undefined ? ok(undefined) : journal.byUserref(account, userref);
    });
    const id = orderId ?? intent?.orderId;
    const market = intent?.body.order.symbol ?? (symbol !== undefined && isCanonical(symbol) ? symbol : undefined);
    if (id === undefined || id === null || market === undefined) return undefined;
    return { orderId: id, symbol: market, ...defined({ intent }) };
  }
}

/**
 * Cancels an order by the name a caller has for it, or withdraws it while it waits for a person.
 *
 * Source: architecture.md#rule-5.
 */
import { defined, type FaultKind, faultKind, localFault, ok } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import { type DeskContext, URGENT } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { deniedOrder, reportError } from "../model/order-report.ts";
import type { OrderName, WriteReport } from "../model/reports.ts";
import { isCanonical } from "../model/symbol.ts";
import { type FindOrder, standing } from "../queries/find-order.ts";
import { placesOf } from "../reconciliation/moved-order.ts";
import { dustLeft } from "../risk/order-warnings.ts";
import type { OrderApprovals } from "./order-approvals.ts";
import { withdrawChange } from "./replaced-order.ts";
import type { CancelTarget, VerifiedCancel } from "./verified-cancel.ts";

/** What the venue says of an order that is not where it was said to be. */
const NOT_THERE: readonly (FaultKind | undefined)[] = ["unknown_order", "unknown_market"];

export class CancelOrder {
  readonly #context: DeskContext;
  readonly #finder: FindOrder;
  readonly #cancels: VerifiedCancel;
  readonly #approvals: OrderApprovals;

  constructor(context: DeskContext, finder: FindOrder, cancels: VerifiedCancel, approvals: OrderApprovals) {
    this.#context = context;
    this.#finder = finder;
    this.#cancels = cancels;
    this.#approvals = approvals;
  }

  /** Where id and market are known, the cancel leaves before any query. */
  async cancel(name: OrderName): Promise<WriteReport> {
    const report = await this.#cancel(name);
    if (report.state !== "canceled" || report.order === undefined) return report;
    const dust = await dustLeft(this.#context, [report.order]);
    return { ...report, warnings: [...report.warnings, ...dust] };
  }

  async #cancel(name: OrderName): Promise<WriteReport> {
    const known = await this.#known(name);
    if (known !== undefined) {
      const report = await this.#cancelStanding(known);
      if (report !== undefined) return report;
    }
    // A change has been sent, and whether it was placed is to be found out first.
    const isUnsettled = known?.standing !== undefined && known.standing.orderId === null;
    const sent = known === undefined || isUnsettled ? undefined : await this.#cancels.send(known.target);
    if (sent !== undefined && !NOT_THERE.includes(faultKind(sent.error?.code))) return sent;
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
    const now = standing(found.value);
    const { order, intent } = now;
    if (order === undefined) {
      // Approved at this very moment: then there is an order to cancel, or soon.
      if (intent?.state === "awaiting_approval") return (await this.#withdrawn(intent)) ?? this.#cancel(name);
      const isWithdrawn =
        found.value.movedTo !== undefined && (await withdrawChange(this.#context, found.value.movedTo.intent));
      if (isWithdrawn) return this.#cancel(name);
      const why =
        now.state === "unknown"
          ? "It is not known whether the venue has this order, so nothing was canceled. Look with get_order, then cancel."
          : "This order has no order at the venue that could be canceled.";
      const fault = localFault("ELocal:Unknown order", { message: `${why} Its state: ${now.state}.` });
      const report = deniedOrder(this.#context.stamp(), fault);
      if (intent === undefined) return report;
      return { ...report, state: now.state, intent_id: intent.intentId, userref: intent.userref };
    }
    const { orderId, symbol } = order;
    const report = await this.#cancels.send({ orderId, symbol, seen: order, ...defined({ intent }) });
    return found.value.movedTo === undefined ? report : inPlace(report, found.value.movedTo.intent);
  }

  /** What waited for a person was withdrawn, as was wanted. */
  async #withdrawn(intent: IntentRecord): Promise<WriteReport | undefined> {
    const report = await this.#approvals.withdraw(intent);
    if (report?.state !== "not_placed") return report;
    const { error: _asWanted, next_action: _placeAgain, ...withdrawn } = report;
    return withdrawn;
  }

  /**
   * Of an order that was moved: cancels what rests in its place, or takes back the change that is about to be placed.
   * @returns undefined where there is neither
   */
  async #cancelStanding({ target, standing: place }: Known): Promise<WriteReport | undefined> {
    if (place === undefined) return undefined;
    if (place.orderId !== null) {
      const { symbol } = place.body.order;
      return inPlace(await this.#cancels.send({ orderId: place.orderId, symbol, intent: place }), place);
    }
    if (!(await withdrawChange(this.#context, place))) return undefined;
    // The old one may be canceled for the change already, or still rest.
    const { error, ...report } = await this.#cancels.send(target);
    const isCanceled = report.order?.state === "canceled";
    const ended = isCanceled ? { ...report, outcome: "accepted" as const } : { ...report, ...defined({ error }) };
    const withdrawn = `A change of it, userref ${place.userref}, was about to be placed and was withdrawn.`;
    return { ...ended, warnings: [...report.warnings, withdrawn] };
  }

  /** From the journal, or as the caller says: no query may delay the cancel. */
  async #known({ orderId, userref, symbol }: OrderName): Promise<Known | undefined> {
    const { journal } = this.#context.parts;
    const account = this.#context.journalAccount();
    const { value: intent } = await attempt(async () => {
      if (orderId !== undefined) return journal.byOrderId(account, orderId);
      return userref === undefined ? ok(undefined) : journal.byUserref(account, userref);
    });
    const id = orderId ?? intent?.orderId;
    const market = intent?.body.order.symbol ?? (symbol !== undefined && isCanonical(symbol) ? symbol : undefined);
    if (id === undefined || id === null || market === undefined) return undefined;
    const places = await placesOf(this.#context, account, id);
    const resting = places.findLast((place) => place.orderId !== null);
    const named = { orderId: id, symbol: market, ...defined({ intent }) };
    const target =
      resting === undefined || resting.orderId === null
        ? named
        : { orderId: resting.orderId, symbol: market, intent: resting };
    return { target, ...defined({ standing: places.at(-1) }) };
  }
}

/** What a name means as the journal has it. `standing`: the last change in its place; `target`: the last that the venue has an order of. */
interface Known {
  readonly target: CancelTarget;
  readonly standing?: IntentRecord;
}

function inPlace(report: WriteReport, { userref }: IntentRecord): WriteReport {
  const moved = `The order named was moved: this is what stood in its place, userref ${userref}.`;
  return { ...report, warnings: [...report.warnings, moved] };
}

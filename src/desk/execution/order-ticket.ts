/**
 * The order ticket: what a view in the chat shows of a draft, and the press of its button.
 *
 * Invariants:
 * - A ticket stands for one draft as a preview showed it, in one session. It has the store's seal, and nothing else is taken for one.
 * - A press asks for the order as any call does. It is a person's yes, too, only where the caller says that it may be, the policy takes
 *   answers from a client, and reason, price and value are still those of the ticket. Else what waits for a person goes on waiting.
 *
 * Source: architecture.md#rule-2; decision 0046.
 */
import { defined, localFault, type Result } from "../../contract/index.ts";
import { inUnit } from "../../decimal/index.ts";
import { approvalLapse } from "../approval/approval-validity.ts";
import { isSameAsker } from "../approval/asker.ts";
import type { DeskContext } from "../core/context.ts";
import type { ApprovalRequest, Press, TicketHolder } from "../model/approval-request.ts";
import { deniedOrder } from "../model/order-report.ts";
import type { WriteReport } from "../model/reports.ts";
import type { Assessment } from "../risk/pre-trade-check.ts";
import type { OrderApprovals } from "./order-approvals.ts";
import type { PlaceOrder } from "./place-order.ts";

/** What a ticket stands for, under the seal. */
interface Shown {
  readonly ticketOf: string;
  readonly session?: string;
  readonly price: string | null;
  readonly countsFor: string;
  /** Why a person is asked; absent where nobody is. */
  readonly why?: string;
}

export async function sealTicket(
  { parts }: DeskContext,
  draftId: string,
  { price, countsFor, verdict }: Pick<Assessment, "price" | "countsFor" | "verdict">,
  { session }: TicketHolder,
): Promise<Result<string>> {
  const why = verdict.kind === "ask" ? verdict.why : undefined;
  const shown: Shown = { ticketOf: draftId, price, countsFor, ...defined({ session, why }) };
  return parts.seal.sign(JSON.stringify(shown));
}

export class OrderTickets {
  readonly #context: DeskContext;
  readonly #placement: PlaceOrder;
  readonly #approvals: OrderApprovals;

  constructor(context: DeskContext, placement: PlaceOrder, approvals: OrderApprovals) {
    this.#context = context;
    this.#placement = placement;
    this.#approvals = approvals;
  }

  async press({ ticket, request, holder, session, mayApprove }: Press, withdrawn?: AbortSignal): Promise<WriteReport> {
    const opened = await this.#context.parts.seal.open(ticket);
    if (!opened.ok) return deniedOrder(this.#context.stamp(), opened.fault);
    const shown = opened.value === undefined ? undefined : shownIn(opened.value);
    if (shown === undefined || shown.ticketOf !== request.draft_id) return this.#mismatch();
    if (!isSameAsker(shown.session, holder.session)) return this.#mismatch();
    const report = await this.#placement.place(request, session, withdrawn);
    const { approval } = report;
    if (!mayApprove || approval === undefined || report.error !== undefined) return report;
    const pending = await this.#approvals.pending();
    const question = pending.ok && pending.value.find(({ intentId }) => intentId === approval.intent_id);
    if (!question) return report;
    const seal = await this.#approvals.seal(question.intentId, question.body.approval?.digest ?? "", request, session);
    if (!seal.ok) return report;
    const changed = this.#changed(shown, approval);
    if (changed !== undefined) return { ...report, warnings: [...report.warnings, changed] };
    return this.#approvals.answer({ seal: seal.value, said: "yes", request, ...defined({ session }) }, withdrawn);
  }

  /** What the person was not shown, as a sentence. */
  #changed({ why, price, countsFor }: Shown, approval: ApprovalRequest): string | undefined {
    const stillWaits = "The press of the ticket's button is no approval, as the order is not what the ticket showed.";
    if (why !== approval.why) return `${stillWaits} A person is asked for another reason.`;
    const { clock, policy } = this.#context.parts;
    const read = policy.read();
    if (!read.ok) return stillWaits;
    const now = clock.now();
    const terms = {
      digest: "",
      why,
      priceSeen: price,
      value: countsFor,
      unit: this.#context.unit,
      askedAtMs: now,
      expiresAtMs: now,
    };
    const seen = { price: approval.price_seen, value: inUnit(approval.value) };
    return approvalLapse(terms, read.value, seen, now) === undefined
      ? undefined
      : `${stillWaits} The market has moved by more than approval_drift_pct since.`;
  }

  #mismatch(): WriteReport {
    const message = "The ticket is not that of this draft in this session. Nothing was sent.";
    return deniedOrder(this.#context.stamp(), localFault("ELocal:Approval mismatch", { message }));
  }
}

/** Only what the store sealed is ever read; a question's seal names no draft. */
function shownIn(text: string): Shown | undefined {
  const shown = JSON.parse(text) as Shown;
  return typeof shown.ticketOf === "string" ? shown : undefined;
}

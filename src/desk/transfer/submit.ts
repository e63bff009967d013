/**
 * Sending: the one request of a transfer, and what is known of it afterwards.
 *
 * Invariants:
 * - The transfer and its idempotency key are on disk before the request is numbered; its nonce, and its share of the budget, are on disk
 *   before the first byte leaves.
 * - A write of `TransferVenue` is called from here only (but for quotes), at most once for each move `approved → submitting`, and only
 *   the process that made this move sends.
 * - No answer means `unknown`; it is then looked up by its key, never sent again.
 *
 * Source: architecture.md#rule-1, architecture.md#rule-3.
 */
import { defined, type Fault, ok, type Payment, type Remittance, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { withdrawal } from "../execution/withdrawn.ts";
import type { TransferBody, TransferChange, TransferRecord } from "../model/transfer.ts";
import { canTransferMove, UNSETTLED } from "../model/transfer-state.ts";
import type { Begun } from "../ports/submission-journal.ts";
import type { TransferParts, TransferWrite } from "../ports/transfer.ts";
import type { Acknowledgements } from "../reconciliation/acknowledgements.ts";
import { holderOf, whileHeld } from "../reconciliation/lease.ts";
import { duplicateFault, sentDuplicate } from "./duplicate-guard.ts";
import { doneBy, type Ending, endedBy, type Shown, type TransferReconciler } from "./reconciler.ts";
import { type TransferAssessment, type TransferRiskCheck, transferFaultOf } from "./risk-check.ts";

/** A transfer as it stands after a step, and what its report has to add. */
export interface TransferStep {
  readonly transfer: TransferRecord;
  readonly warnings: readonly string[];
  /** The one just like it that was made meanwhile; then nothing of this one was sent. */
  readonly madeBefore?: TransferRecord;
}

export interface TransferAsked {
  /** When it was requested, or requested again: nothing like it may have been sent since. */
  readonly requestedAtMs: number;
  /** Fires when it is withdrawn. */
  readonly withdrawn?: AbortSignal | undefined;
}

/** Refusals after which it is not denied: it was not wanted any more, or not in time. */
const LAPSING: readonly string[] = ["ELocal:Not approved", "ELocal:Withdrawn"];

export interface SubmitTransferParts {
  readonly transfers: TransferParts;
  readonly riskCheck: TransferRiskCheck;
  readonly reconciler: TransferReconciler;
  readonly acknowledgements: Acknowledgements;
}

export class SubmitTransfer {
  readonly #context: DeskContext;
  readonly #transfers: TransferParts;
  readonly #riskCheck: TransferRiskCheck;
  readonly #reconciler: TransferReconciler;
  readonly #acknowledgements: Acknowledgements;

  constructor(context: DeskContext, parts: SubmitTransferParts) {
    this.#context = context;
    this.#transfers = parts.transfers;
    this.#riskCheck = parts.riskCheck;
    this.#reconciler = parts.reconciler;
    this.#acknowledgements = parts.acknowledgements;
  }

  /**
   * Sends an approved transfer, or ends it unsent.
   * @param fresh what the risk check has just found out
   */
  async submit(transfer: TransferRecord, asked: TransferAsked, fresh?: TransferAssessment): Promise<TransferStep> {
    const { holder } = holderOf(this.#context);
    const renew = (body?: TransferBody) =>
      this.#advance(transfer, { from: ["approved"], to: "approved", lazy: true, isLease: true, ...defined({ body }) });
    // Left over by another process: from now on it is this one's.
    if (holder !== undefined && holder !== transfer.body.holder) await renew({ ...transfer.body, holder });
    return whileHeld(this.#context, renew, () => this.#submitHeld(transfer, asked, fresh));
  }

  async #submitHeld(
    transfer: TransferRecord,
    asked: TransferAsked,
    fresh: TransferAssessment | undefined,
  ): Promise<TransferStep> {
    const { body } = transfer;
    const unwanted = withdrawal(asked.withdrawn);
    if (unwanted !== undefined) return this.#unsent(transfer, "lapsed", unwanted);
    const assessment = fresh === undefined ? await this.#riskCheck.assess(body) : ok(fresh);
    if (!assessment.ok) return this.#unsent(transfer, "not_made", assessment.fault);
    const { policy, verdict } = assessment.value;
    const lapse = this.#riskCheck.lapse(body, policy);
    if (lapse !== undefined) return this.#unsent(transfer, "lapsed", lapse);
    const refusal = transferFaultOf(verdict);
    if (refusal !== undefined) return this.#unsent(transfer, "denied", refusal);
    const sent = await this.#submit(transfer, asked, assessment.value);
    if ("transfer" in sent) return sent;
    const { refused: fault, madeBefore } = sent;
    const to = LAPSING.includes(fault.code) ? "lapsed" : "denied";
    return { ...(await this.#unsent(transfer, to, fault)), ...defined({ madeBefore }) };
  }

  /** What became of a transfer that was asked for before, as it stands now. */
  async reportExisting(transfer: TransferRecord): Promise<TransferStep> {
    const settled = await this.#reconciler.settle(transfer);
    const before = "It was asked for before; this is that one, nothing was sent now.";
    const seen = await this.#asShownNow(settled);
    if (seen === undefined) return { transfer: settled, warnings: [before] };
    if (seen.ok) return { transfer: { ...settled, body: { ...settled.body, ...seen.value } }, warnings: [before] };
    const old = `The exchange could not be asked for its state now; the one shown is as recorded. ${seen.fault.message}`;
    return { transfer: settled, warnings: [before, old] };
  }

  /** What a transfer that is done has become since; undefined where the exchange has shown nothing of it. */
  async #asShownNow({ state, body }: TransferRecord): Promise<Result<Shown> | undefined> {
    const { payment, remittance } = body;
    if (state !== "done") return undefined;
    if (payment !== undefined) return paid(await this.#transfers.venue.payment(payment.payment_id));
    if (remittance === undefined) return undefined;
    return remitted(await this.#transfers.venue.remittance(remittance.remittance_id));
  }

  /** Ends a transfer of which no byte has left. */
  async #unsent(transfer: TransferRecord, to: "denied" | "lapsed" | "not_made", fault: Fault): Promise<TransferStep> {
    const ending = endedBy(transfer.body, to, { fault });
    const moved = await this.#advance(transfer, { from: ["approved"], ...ending });
    if (moved.ok && moved.value !== undefined) return { transfer: moved.value, warnings: [] };
    if (moved.ok) return this.reportExisting((await this.#current(transfer)) ?? transfer);
    const unsent = { ...transfer, state: to, body: ending.body ?? transfer.body };
    return this.#unstored(transfer, { transfer: unsent, warnings: [notStored(moved.fault)] });
  }

  /**
   * This call sent nothing, but that could not be stored. Another call may have sent it: then its state is reported. Where the journal cannot be
   * read either, the transfer is reported as it was.
   */
  async #unstored(transfer: TransferRecord, step: TransferStep): Promise<TransferStep> {
    const now = await this.#current(transfer);
    if (now === undefined) return { transfer, warnings: step.warnings };
    return now.state === "approved" ? step : this.reportExisting(now);
  }

  async #submit(
    transfer: TransferRecord,
    { requestedAtMs, withdrawn }: TransferAsked,
    assessment: TransferAssessment,
  ): Promise<TransferStep | { readonly refused: Fault; readonly madeBefore?: TransferRecord }> {
    const { venue, clock } = this.#context.parts;
    const acknowledgements = this.#acknowledgements;
    const { body, idempotencyKey, transferId } = transfer;
    const keyId = venue.keyId ?? body.keyId;
    // Another process may have recorded it under its own key, whose fence would then say nothing about this request.
    const signed = keyId === body.keyId ? {} : { body: { ...body, keyId } };
    let duplicate: TransferRecord | undefined;
    let beginning: Result<Begun<TransferRecord, Fault> | undefined> | undefined;
    const answer = await this.#write(transfer, {
      idempotencyKey,
      beforeSend: async (nonce) => {
        const moved = { from: ["approved"], to: "submitting", ...signed } as const;
        const send = { ...moved, nonce, heldKrw: assessment.valueKrw, sinceMs: [requestedAtMs] };
        beginning = await this.#transfers.journal.begin(
          transferId,
          send,
          (usage, others) => {
            const refusal = withdrawal(withdrawn) ?? assessment.recheck(usage);
            if (refusal !== undefined) return refusal;
            duplicate = sentDuplicate(transfer, others, { acknowledgements, requestedAtMs, nowMs: clock.now() });
            return duplicate && duplicateFault(duplicate);
          },
          () => clock.now(),
        );
        return beginning.ok && beginning.value !== undefined && "begun" in beginning.value;
      },
    });
    const begun = beginning?.ok === true ? beginning.value : undefined;
    if (begun !== undefined && "refused" in begun)
      return { ...begun, ...defined({ madeBefore: duplicate?.state === "done" ? duplicate : undefined }) };
    if (beginning?.ok === true && begun === undefined)
      return this.reportExisting((await this.#current(transfer)) ?? transfer);
    // Where the nonce could not be put on disk, the request was not sent.
    const outcome = beginning?.ok === false ? beginning : answer;
    const sent = begun?.begun ?? transfer;
    // Once it has left it counts as sent.
    const isLate = begun !== undefined && withdrawn?.aborted === true;
    const told = isLate ? { ...sent, body: { ...sent.body, withdrawn: true as const } } : sent;
    const step = await this.#recordAnswer(told, outcome, begun !== undefined);
    if (step.transfer.state !== "unknown") return step;
    return { transfer: await this.#reconciler.settle(step.transfer), warnings: step.warnings };
  }

  async #write({ body: { task } }: TransferRecord, write: TransferWrite): Promise<Result<Shown>> {
    const { venue } = this.#transfers;
    switch (task.kind) {
      case "confirm_payment":
        return paid(await venue.confirmPayment(task.quote.payment_id, write));
      case "refund_payment":
        return paid(await venue.refundPayment(task.payment.payment_id, task.amount, write));
      case "send_remittance":
        return remitted(await venue.createRemittance(task.send, write));
      case "cancel_remittance":
        return remitted(await venue.cancelRemittance(task.remittance.remittance_id, write));
      default:
        return task satisfies never;
    }
  }

  /** Writes the answer to the transfer. The exchange's word stands even if our store cannot take it. */
  async #recordAnswer(transfer: TransferRecord, answer: Result<Shown>, numbered: boolean): Promise<TransferStep> {
    const ending = answer.ok ? doneBy(transfer, answer.value) : refused(transfer.body, answer.fault, numbered);
    // A request that was not even numbered may only end a transfer that nobody else has begun to send.
    const from = numbered ? UNSETTLED.filter((state) => canTransferMove(state, ending.to)) : (["approved"] as const);
    // Settled and begun anew by another process meanwhile: then a no is not about the request that counts now.
    const about = numbered && !answer.ok ? { ifNonce: transfer.nonce } : {};
    const moved = await this.#advance(transfer, { from, ...about, ...ending });
    if (moved.ok && moved.value !== undefined) return { transfer: moved.value, warnings: [] };
    const shown: TransferRecord = { ...transfer, state: ending.to, body: ending.body ?? transfer.body };
    if (!moved.ok) {
      const step = { transfer: shown, warnings: [notStored(moved.fault)] };
      return numbered ? step : this.#unstored(transfer, step);
    }
    // Another process settled it first, on the exchange's evidence; only an answer of our own knows as much.
    return { transfer: answer.ok ? shown : ((await this.#current(transfer)) ?? shown), warnings: [] };
  }

  #advance({ transferId }: TransferRecord, change: TransferChange): Promise<Result<TransferRecord | undefined>> {
    return this.#transfers.journal.advance(transferId, change, this.#context.parts.clock.now());
  }

  async #current({ transferId }: TransferRecord): Promise<TransferRecord | undefined> {
    const found = await this.#transfers.journal.byId(transferId);
    return found.ok ? found.value : undefined;
  }
}

function paid(answer: Result<Payment>): Result<Shown> {
  return answer.ok ? ok({ payment: answer.value }) : answer;
}

function remitted(answer: Result<Remittance>): Result<Shown> {
  return answer.ok ? ok({ remittance: answer.value }) : answer;
}

function refused(body: TransferBody, fault: Fault, numbered: boolean): Ending {
  const to = numbered ? stateAfter(fault) : "not_made";
  return to === "unknown" ? { to, body: { ...body, fault } } : endedBy(body, to, { fault });
}

function stateAfter({ reachedVenue }: Fault): "rejected" | "unknown" | "not_made" {
  switch (reachedVenue) {
    case "yes":
      return "rejected";
    case "unknown":
      return "unknown";
    case "no":
      return "not_made";
    default:
      return reachedVenue satisfies never;
  }
}

function notStored(fault: Fault): string {
  return `What became of it could not be stored: ${fault.message}`;
}

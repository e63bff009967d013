/**
 * Finds out what became of transfers without an answer, by the idempotency key of their one request. It asks, it never sends.
 *
 * Behind the nonce fence "there is none" is final; without the fence it is believed after the request's deadline is long past.
 *
 * Source: architecture.md#rule-1, service.md#nonce-fence, service.md#idempotency-lookup; decision 0016.
 */
import {
  type Fault,
  failed,
  localFault,
  ok,
  type Payment,
  type Remittance,
  type Result,
} from "../../contract/index.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { PersonsWord, ReconcileReport } from "../model/reports.ts";
import type { TransferBody, TransferChange, TransferRecord } from "../model/transfer.ts";
import type { TransferReport } from "../model/transfer-reports.ts";
import { isUnsettled, type TransferState } from "../model/transfer-state.ts";
import { familyOf, maskedRemittance, maskedTask } from "../model/transfer-task.ts";
import type { TransferParts } from "../ports/transfer.ts";
import { reconcileBatch } from "../reconciliation/reconcile-batch.ts";
import { APPROVED_MAX_AGE_MS, absenceIsFinal, longestSendMs } from "../reconciliation/reconciler.ts";
import { transferReport } from "./transfer-report.ts";

const PASS_LIMIT = 200;

/** What the exchange shows of a movement that it has made. */
export type Shown = { readonly payment: Payment } | { readonly remittance: Remittance };

/** The change that says how a transfer ended: what is personal in it is let go of. */
export function endedBy(body: TransferBody, to: TransferState, more: Partial<TransferBody>): Ending {
  const { fault: _before, ...rest } = body;
  const hold = to === "done" ? {} : { hold: { krw: "0", isLive: false } };
  return { to, body: { ...rest, task: maskedTask(body.task), ...more }, ...hold };
}

export type Ending = Omit<TransferChange, "from" | "ifNonce" | "ifStill">;

/** A movement that the exchange shows, on a transfer that was sent. It counts for a day from now on. */
export function doneBy({ body, heldKrw }: TransferRecord, shown: Shown): Ending {
  const seen = "remittance" in shown ? { remittance: maskedRemittance(shown.remittance) } : shown;
  const held = { krw: heldKrw, isLive: false };
  return { ...endedBy(body, "done", seen), hold: held, detail: { shown: stateOf(shown) } };
}

function stateOf(shown: Shown): string {
  return "payment" in shown ? shown.payment.state : shown.remittance.state;
}

export class TransferReconciler {
  readonly #context: DeskContext;
  readonly #parts: TransferParts;

  constructor(context: DeskContext, parts: TransferParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Settles one transfer if it can be settled now. @returns it as it then stands */
  async settle(transfer: TransferRecord): Promise<TransferRecord> {
    return (await this.#tryToSettle(transfer)).after;
  }

  /** Settles every transfer of the account without an answer; stops at the first that the exchange cannot be asked about. */
  async reconcile(): Promise<ReconcileReport> {
    return reconcileBatch<TransferRecord>(this.#context, {
      open: (account) => this.#parts.journal.inStates(account, ["approved", "submitting", "unknown"], PASS_LIMIT),
      settle: (transfer) => this.#tryToSettle(transfer),
      outcome: ({ state }) => {
        if (isUnsettled(state)) return "still_unknown";
        if (state === "not_made") return "not_placed";
        return state === "done" ? "accepted" : undefined;
      },
    });
  }

  /**
   * The word of a person who has looked at the exchange; the exchange's own goes before it, also where it comes later: as long as it cannot be
   * asked, a no is noted, and the transfer stays `unknown`.
   * @returns a fault where it was not taken: the transfer is as it was
   */
  async byPerson(transfer: TransferRecord, { placed, by }: PersonsWord): Promise<Result<TransferReport>> {
    const stamp = this.#context.stamp();
    const { after: now, fault: unasked } = await this.#tryToSettle(transfer);
    if (!isUnsettled(now.state))
      return ok(transferReport(stamp, now, ["It is settled without a person's word; nothing was changed."]));
    const nowMs = this.#context.parts.clock.now();
    const ageMs = nowMs - now.updatedAtMs;
    if (!placed && Math.abs(ageMs) <= longestSendMs(this.#context.parts.venue)) return failed(tooEarly());
    const ending = placed ? doneByWord(now) : unasked === undefined ? notMadeByWord(now) : wordNoted(now);
    const change = { from: [now.state], ifNonce: now.nonce, ...ending, detail: { by } };
    const moved = await this.#parts.journal.advance(now.transferId, change, nowMs);
    if (!moved.ok) return moved;
    if (moved.value === undefined) {
      const current = await this.#parts.journal.byId(now.transferId);
      const warning = "Another process settled it meanwhile; nothing was changed here.";
      return ok(transferReport(stamp, (current.ok && current.value) || now, [warning]));
    }
    const step = { account: now.account, intentId: now.transferId, detail: { by, to: ending.to } };
    const warnings = await recordStep(this.#context, { event: "transfer_settled_by_person", ...step });
    const pending = ending.to === "unknown" ? [WORD_PENDING] : [];
    return ok(transferReport(stamp, moved.value, [...pending, ...warnings]));
  }

  async #tryToSettle(transfer: TransferRecord): Promise<{ readonly after: TransferRecord; readonly fault?: Fault }> {
    if (transfer.state === "approved") return { after: await this.#dropIfAbandoned(transfer) };
    if (!isUnsettled(transfer.state)) return { after: transfer };
    const found = await this.#find(transfer);
    if (!found.ok) return { after: await this.#keepUnknown(transfer), fault: found.fault };
    const { settledBy, ...body } = transfer.body;
    if (typeof found.value !== "string")
      return { after: await this.#move(transfer, doneBy({ ...transfer, body }, found.value)) };
    // A person has said so, and the exchange shows nothing else.
    if (settledBy === "person") return { after: await this.#move(transfer, notMadeByWord(transfer)) };
    if (found.value === "unclear") return { after: await this.#keepUnknown(transfer) };
    if (!(await absenceIsFinal(this.#context, transfer))) return { after: await this.#keepUnknown(transfer) };
    const ending = endedBy(transfer.body, "not_made", { fault: notMade("The exchange has no such movement") });
    return { after: await this.#move(transfer, ending) };
  }

  /** What the exchange has made of the one request with this key. `unclear` where it shows something else than was asked for. */
  async #find({ body, nonce, idempotencyKey }: TransferRecord): Promise<Result<Shown | "none" | "unclear">> {
    const { venue } = this.#context.parts;
    if (body.environment !== venue.environment) return ok("unclear");
    const fence = venue.keyId === body.keyId && nonce !== null ? { afterNonce: nonce } : undefined;
    if (familyOf(body.task.kind) === "payment") {
      const answer = await this.#parts.venue.paymentBy(idempotencyKey, fence);
      if (!answer.ok) return failed(answer.fault);
      if (answer.value === undefined) return ok("none");
      return ok(isOf(body, answer.value.payment_id) ? { payment: answer.value } : "unclear");
    }
    const answer = await this.#parts.venue.remittanceBy(idempotencyKey, fence);
    if (!answer.ok) return failed(answer.fault);
    if (answer.value === undefined) return ok("none");
    const { remittance_id, quote_id } = answer.value;
    return ok(isOf(body, remittance_id, quote_id) ? { remittance: answer.value } : "unclear");
  }

  async #keepUnknown(transfer: TransferRecord): Promise<TransferRecord> {
    if (transfer.state !== "submitting") return transfer;
    const fault = transfer.body.fault ?? localFault("ELocal:No answer");
    return this.#move(transfer, { to: "unknown", body: { ...transfer.body, fault } });
  }

  /** Let through and not sent for so long: it belongs to a process that died. */
  async #dropIfAbandoned(transfer: TransferRecord): Promise<TransferRecord> {
    const ageMs = this.#context.parts.clock.now() - transfer.updatedAtMs;
    if (Math.abs(ageMs) < APPROVED_MAX_AGE_MS) return transfer;
    return this.#move(
      transfer,
      endedBy(transfer.body, "not_made", { fault: notMade("It was let through and never sent") }),
    );
  }

  /** Moves it unless another process did, or has begun to send it anew since; then its word counts. */
  async #move(transfer: TransferRecord, ending: Ending): Promise<TransferRecord> {
    const { journal } = this.#parts;
    const change = { from: [transfer.state], ifNonce: transfer.nonce, ...ending };
    const moved = await journal.advance(transfer.transferId, change, this.#context.parts.clock.now());
    if (moved.ok && moved.value !== undefined) return moved.value;
    const current = await journal.byId(transfer.transferId);
    return current.ok && current.value !== undefined ? current.value : transfer;
  }
}

function doneByWord({ body, heldKrw }: TransferRecord): Ending {
  return { ...endedBy(body, "done", { settledBy: "person" }), hold: { krw: heldKrw, isLive: false } };
}

function notMadeByWord({ body }: TransferRecord): Ending {
  return endedBy(body, "not_made", { settledBy: "person", fault: notMade("A person has looked at the exchange") });
}

function wordNoted({ body }: TransferRecord): Ending {
  return { to: "unknown", body: { ...body, settledBy: "person" } };
}

const WORD_PENDING =
  "Your word is noted. The exchange could not be asked now: when it answers, a movement that it shows counts, and if it shows none it is as you say.";

/** Whether an id that the exchange shows is the one that the task is about. */
function isOf({ task }: TransferBody, id: string, quoteId?: string): boolean {
  switch (task.kind) {
    case "confirm_payment":
      return task.quote.payment_id === id;
    case "refund_payment":
      return task.payment.payment_id === id;
    case "send_remittance":
      return task.quote.quote_id === quoteId;
    case "cancel_remittance":
      return task.remittance.remittance_id === id;
    default:
      return task satisfies never;
  }
}

function notMade(why: string): Fault {
  return localFault("ELocal:Not placed", {
    message: `${why}: it was not made, and no money has moved.`,
    nextAction: "Ask for it again if it is still wanted.",
  });
}

function tooEarly(): Fault {
  return localFault("ELocal:Unknown order", {
    message:
      "Its request may still be on its way; wait a minute, look at the exchange again, then settle it. Nothing was changed.",
    nextAction: "Wait a minute and look at the exchange again.",
  });
}

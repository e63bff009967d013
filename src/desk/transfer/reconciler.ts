/**
 * Finds out what became of transfers without an answer, by the idempotency key of their one request. It asks, it never sends.
 *
 * When "there is none" is final is the rule of orders (`reconciliation/absence.ts`): elsewhere it stays `unknown` and is asked about again.
 *
 * Source: architecture.md#rule-1, service.md#nonce-fence, service.md#idempotency-lookup; decisions 0016 and 0064.
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
import { type Evidence, isLookupDue, wasJustLookedUp } from "../model/evidence.ts";
import type { PersonsWord, ReconcileReport } from "../model/reports.ts";
import type { TransferBody, TransferChange, TransferRecord } from "../model/transfer.ts";
import type { TransferReport } from "../model/transfer-reports.ts";
import { isUnsettled, type TransferState } from "../model/transfer-state.ts";
import { familyOf, maskedRemittance, maskedTask } from "../model/transfer-task.ts";
import type { TransferParts } from "../ports/transfer.ts";
import type { Found } from "../ports/venue.ts";
import { absenceIsFinal, evidenceAfter, lateBy, longestSendMs } from "../reconciliation/absence.ts";
import { isAbandoned } from "../reconciliation/lease.ts";
import { reconcileBatch } from "../reconciliation/reconcile-batch.ts";
import { transferReport } from "./transfer-report.ts";

const PASS_LIMIT = 200;
/** By its key the service shows it whatever has become of it. */
const EVERYWHERE = new Set(["open", "closed", "canceled"] as const);

/** What the exchange shows of a movement that it has made. */
export type Shown = { readonly payment: Payment } | { readonly remittance: Remittance };

/** The change that says how a transfer ended: what is personal in it is let go of. */
export function endedBy(body: TransferBody, to: TransferState, more: Partial<TransferBody>): Ending {
  const { fault: _before, evidence: _looked, ...rest } = body;
  const hold = to === "done" ? {} : { hold: { krw: "0", isLive: false } };
  return { to, body: { ...rest, task: maskedTask(body.task), ...more }, ...hold };
}

export type Ending = Omit<TransferChange, "from" | "ifNonce">;

/** A movement that the exchange shows, on a transfer that was sent. It counts for a day from now on. */
export function doneBy({ body, heldKrw }: Pick<TransferRecord, "body" | "heldKrw">, shown: Shown): Ending {
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

  /** Settles one transfer if it can be settled now, unless that was tried a moment ago. @returns it as it then stands */
  async settle(transfer: TransferRecord): Promise<TransferRecord> {
    const isUnknown = transfer.state === "unknown";
    if (isUnknown && wasJustLookedUp(transfer.body.evidence, this.#context.parts.clock.now())) return transfer;
    return (await this.#tryToSettle(transfer)).after;
  }

  /** Settles every transfer of the account without an answer; stops at the first that the exchange cannot be asked about. */
  async reconcile(): Promise<ReconcileReport> {
    return reconcileBatch<TransferRecord>(this.#context, {
      open: (account) => this.#parts.journal.inStates(account, ["approved", "submitting", "unknown"], PASS_LIMIT),
      settle: async (transfer) =>
        isLookupDue(transfer.body.evidence, this.#context.parts.clock.now())
          ? this.#tryToSettle(transfer)
          : { after: transfer },
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
    const ageMs = nowMs - (now.sentAtMs ?? now.updatedAtMs);
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
    // Ended by a person's word alone: what the exchange shows later still counts.
    const isByWord = transfer.state === "not_made" && transfer.body.heldBeforeWord !== undefined;
    if (!isUnsettled(transfer.state) && !isByWord) return { after: transfer };
    const answer = await this.#find(transfer);
    if (!answer.ok) return { after: isByWord ? transfer : await this.#keepUnknown(transfer), fault: answer.fault };
    const found = answer.value;
    if (found.kind === "found") return { after: await this.#accept(transfer, found.item) };
    if (isByWord) return { after: transfer };
    // A person has said so, and the exchange shows nothing else.
    if (transfer.body.settledBy === "person") return { after: await this.#move(transfer, notMadeByWord(transfer)) };
    const { venue, clock } = this.#context.parts;
    const looked = { before: transfer.body.evidence, nowMs: clock.now() };
    if (found.kind === "none" && absenceIsFinal(venue, transfer, { ...looked, none: found })) {
      const ending = endedBy(transfer.body, "not_made", { fault: notMade("The exchange has no such movement") });
      return { after: await this.#move(transfer, ending) };
    }
    const evidence = evidenceAfter(venue, transfer, { ...looked, found });
    return { after: await this.#keepLooking(transfer, evidence) };
  }

  async #accept(transfer: TransferRecord, shown: Shown): Promise<TransferRecord> {
    const { settledBy: _word, heldBeforeWord, evidence, ...body } = transfer.body;
    const after = await this.#move(transfer, doneBy({ body, heldKrw: heldBeforeWord ?? transfer.heldKrw }, shown));
    const late = lateBy(transfer, evidence, this.#context.parts.clock.now());
    if (late === undefined || after.state !== "done") return after;
    await recordStep(this.#context, { ...late, account: transfer.account, intentId: transfer.transferId });
    return after;
  }

  /** What the exchange has made of the one request with this key. `cannot_say` where it shows something else than was asked for. */
  async #find({ body, nonce, idempotencyKey }: TransferRecord): Promise<Result<Found<Shown>>> {
    const { venue, clock } = this.#context.parts;
    if (body.environment !== venue.environment) return ok(OTHER);
    const fence = venue.keyId === body.keyId && nonce !== null ? { afterNonce: nonce } : undefined;
    const none = () =>
      ok({ kind: "none", covers: EVERYWHERE, atMs: clock.now() + (venue.clockOffsetMs() ?? 0) } as const);
    if (familyOf(body.task.kind) === "payment") {
      const answer = await this.#parts.venue.paymentBy(idempotencyKey, fence);
      if (!answer.ok) return failed(answer.fault);
      if (answer.value === undefined) return none();
      return ok(isOf(body, answer.value.payment_id) ? { kind: "found", item: { payment: answer.value } } : OTHER);
    }
    const answer = await this.#parts.venue.remittanceBy(idempotencyKey, fence);
    if (!answer.ok) return failed(answer.fault);
    if (answer.value === undefined) return none();
    const { remittance_id, quote_id } = answer.value;
    return ok(isOf(body, remittance_id, quote_id) ? { kind: "found", item: { remittance: answer.value } } : OTHER);
  }

  /** Nothing was heard of it. */
  async #keepUnknown(transfer: TransferRecord): Promise<TransferRecord> {
    if (transfer.state !== "submitting") return transfer;
    const fault = transfer.body.fault ?? localFault("ELocal:No answer");
    return this.#move(transfer, { to: "unknown", body: { ...transfer.body, fault } });
  }

  /** It was asked about, and that settles nothing: what is known of it now is kept. */
  async #keepLooking(transfer: TransferRecord, evidence: Evidence): Promise<TransferRecord> {
    const { body, updatedAtMs } = transfer;
    const fault = body.fault ?? localFault("ELocal:No answer");
    // A person's word that came meanwhile must not be written over.
    const ifStill = (now: TransferRecord): boolean =>
      now.updatedAtMs === updatedAtMs && now.body.settledBy === body.settledBy;
    return this.#move(transfer, { to: "unknown", body: { ...body, fault, evidence }, ifStill, lazy: true });
  }

  /** Let through and not sent by a process that has died. */
  async #dropIfAbandoned(transfer: TransferRecord): Promise<TransferRecord> {
    if (!isAbandoned(this.#context, transfer)) return transfer;
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

function notMadeByWord({ body, heldKrw }: TransferRecord): Ending {
  const fault = notMade("A person has looked at the exchange");
  return endedBy(body, "not_made", { settledBy: "person", heldBeforeWord: heldKrw, fault });
}

function wordNoted({ body }: TransferRecord): Ending {
  return { to: "unknown", body: { ...body, settledBy: "person" } };
}

const OTHER = { kind: "cannot_say", why: "the exchange shows something else under this name" } as const;

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

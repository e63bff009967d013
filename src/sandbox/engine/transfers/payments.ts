/**
 * Payments: a price in won, paid in another asset. Entry points: `quotePayment`, `confirmPayment`, `cancelPayment`,
 * `refundPayment`, `advancePayment`, `addPayment`.
 *
 * The treasury takes the asset and pays the won; won that it does not have come in as a deposit. There is no fee.
 *
 * Invariants: the treasury holds what was paid and not refunded of every payment; a full refund returns exactly what was paid, a
 * partial one never more than its share; won that are not settled cannot be withdrawn.
 * Source: service.md#payment-endpoints, service.md#payment-states.
 */
import {
  type Millis,
  ONE,
  type PaymentRecord,
  type Refusal,
  type TransferApplied,
  type Units,
} from "../../model/index.ts";
import type { Begin, CommandOf } from "../core/command.ts";
import { badArgument, refusal } from "../core/command.ts";
import { invariant } from "../core/invariant.ts";
import { ceilTo, floorTo, unitsText } from "../market/pricing.ts";
import type { PaymentEntry } from "../state/account-state.ts";
import { accountOf, HOUSE, type State } from "../state/exchange-state.ts";
import { divideUp, rateOf, stepOf } from "./conversion-rates.ts";

const QUOTE_MS = 60_000;
const SHORTEST_QUOTE_MS = 1_000;
const SETTLES_AFTER_MS = 2_000;

export function quotePayment(
  state: State,
  command: CommandOf<"quotePayment">,
  begin: Begin,
): TransferApplied | Refusal {
  const { accountId, paymentId, amount, payAsset, orderRef, description, expiresInMs } = command;
  if (state.payments.has(paymentId)) return badArgument("paymentId", `payment ${paymentId} exists`);
  if (amount <= 0n) return badArgument("amount", "amount must be above zero");
  if (payAsset === "KRW") return badArgument("payAsset", "won are not paid with won");
  const heldMs = expiresInMs ?? QUOTE_MS;
  if (!Number.isSafeInteger(heldMs) || heldMs < SHORTEST_QUOTE_MS || heldMs > QUOTE_MS)
    return badArgument("expiresInMs", `a rate is held for ${SHORTEST_QUOTE_MS} to ${QUOTE_MS} milliseconds`);
  const rate = rateOf(state, payAsset, "payAsset");
  if (!rate.ok) return rate;
  begin();
  const { now } = state;
  const record: PaymentRecord = {
    ...{ paymentId, accountId, state: "quoted", amount, payAsset, orderRef, description },
    payAmount: ceilTo(divideUp(amount * ONE, rate.price), rate.step),
    rate: rate.price,
    ...{ refunded: 0n, refundedPay: 0n, paidAt: null, settledAt: null },
    ...{ createdAt: now, expiresAt: now + heldMs, updatedAt: now },
  };
  const entry = { record, dueAt: record.expiresAt };
  addPayment(state, entry);
  state.recorder?.transfer({ kind: "payment", payment: record });
  return { ok: true, kind: "payment", payment: record };
}

export function addPayment(state: State, entry: PaymentEntry): void {
  const { paymentId, accountId } = entry.record;
  state.payments.set(paymentId, entry);
  accountOf(state, accountId).payments.push(entry);
  if (entry.dueAt !== null) state.schedule.set({ kind: "payment", id: paymentId }, entry.dueAt);
}

export function confirmPayment(
  state: State,
  command: CommandOf<"confirmPayment">,
  now: Millis,
  begin: Begin,
): TransferApplied | Refusal {
  const entry = find(state, command);
  if (entry === undefined) return unknown(command.paymentId);
  const { accountId, payAsset, payAmount, amount, state: reached, expiresAt } = entry.record;
  if (reached !== "quoted" || now >= expiresAt) return conflict(entry, now);
  const refused = checkFunds(state, accountId, payAsset, payAmount);
  if (refused !== undefined) return refused;
  begin();
  const { ledger } = state;
  ledger.transfer(accountId, HOUSE.treasury, payAsset, payAmount);
  const missing = amount - ledger.available(HOUSE.treasury, "KRW");
  if (missing > 0n) ledger.deposit(HOUSE.treasury, "KRW", missing);
  ledger.transfer(HOUSE.treasury, accountId, "KRW", amount);
  ledger.holdUnsettled(accountId, "KRW", amount);
  return change(state, entry, { state: "paid", paidAt: state.now }, state.now + SETTLES_AFTER_MS);
}

export function cancelPayment(
  state: State,
  command: CommandOf<"cancelPayment">,
  now: Millis,
  begin: Begin,
): TransferApplied | Refusal {
  const entry = find(state, command);
  if (entry === undefined) return unknown(command.paymentId);
  if (entry.record.state !== "quoted" || now >= entry.record.expiresAt) return conflict(entry, now);
  begin();
  return change(state, entry, { state: "canceled" }, null);
}

export function refundPayment(
  state: State,
  command: CommandOf<"refundPayment">,
  begin: Begin,
): TransferApplied | Refusal {
  const entry = find(state, command);
  if (entry === undefined) return unknown(command.paymentId);
  const { accountId, payAsset, payAmount, amount: paid, state: reached, refunded, refundedPay } = entry.record;
  if (reached !== "settled" && reached !== "partially_refunded") return conflict(entry, state.now);
  const amount = command.amount ?? paid - refunded;
  if (amount <= 0n || amount > paid - refunded)
    return badArgument("amount", `up to ${unitsText(paid - refunded)} KRW can be refunded`);
  const refused = checkFunds(state, accountId, "KRW", amount);
  if (refused !== undefined) return refused;
  begin();
  const total = refunded + amount;
  const totalPay = total === paid ? payAmount : floorTo((payAmount * total) / paid, stepOf(state, payAsset));
  state.ledger.transfer(accountId, HOUSE.treasury, "KRW", amount);
  state.ledger.transfer(HOUSE.treasury, accountId, payAsset, totalPay - refundedPay);
  const after = { refunded: total, refundedPay: totalPay } as const;
  return change(state, entry, { ...after, state: total === paid ? "refunded" : "partially_refunded" }, null);
}

/** The scheduled step of a payment: a quote expires, or a paid payment settles. */
export function advancePayment(state: State, paymentId: string): void {
  const entry = state.payments.get(paymentId);
  invariant(entry !== undefined, `no payment ${paymentId} to advance`);
  const { accountId, amount, state: reached } = entry.record;
  if (reached === "quoted") {
    change(state, entry, { state: "expired" }, null);
    return;
  }
  invariant(reached === "paid", `payment ${paymentId} is ${reached} and has no scheduled step`);
  state.ledger.settle(accountId, "KRW", amount);
  change(state, entry, { state: "settled", settledAt: state.now }, null);
}

function change(
  state: State,
  entry: PaymentEntry,
  changed: Partial<PaymentRecord>,
  dueAt: Millis | null,
): TransferApplied {
  const payment = { ...entry.record, ...changed, updatedAt: state.now };
  entry.record = payment;
  entry.dueAt = dueAt;
  const item = { kind: "payment", id: payment.paymentId } as const;
  if (dueAt === null) state.schedule.clear(item);
  else state.schedule.set(item, dueAt);
  state.recorder?.transfer({ kind: "payment", payment });
  return { ok: true, kind: "payment", payment };
}

function find(
  state: State,
  { accountId, paymentId }: { readonly accountId: string; readonly paymentId: string },
): PaymentEntry | undefined {
  const entry = state.payments.get(paymentId);
  return entry?.record.accountId === accountId ? entry : undefined;
}

function unknown(paymentId: string): Refusal {
  return refusal("ETransfer:Unknown transfer", `no payment ${paymentId}`, "paymentId");
}

function conflict({ record }: PaymentEntry, now: Millis): Refusal {
  const { paymentId, expiresAt, state: reached } = record;
  const transferState = reached === "quoted" && now >= expiresAt ? "expired" : reached;
  const message = `payment ${paymentId} is ${transferState}`;
  return { ...refusal("ETransfer:Wrong state", message, "paymentId"), transferState };
}

function checkFunds(state: State, accountId: string, asset: string, needed: Units): Refusal | undefined {
  const available = state.ledger.available(accountId, asset);
  if (available >= needed) return undefined;
  const message = `needs ${unitsText(needed)} ${asset}, available ${unitsText(available)} ${asset}`;
  return refusal("EOrder:Insufficient funds", message);
}

/**
 * Writes payments and remittances as JSON-safe rows, and restores them. Entry points: `transferLists`, `quoteRows`,
 * `restoreTransfers`.
 *
 * Invariant: rows are in the order of the state.
 */
import type { Millis, PaymentRecord, RemittanceQuoteRecord, RemittanceRecord } from "../../model/index.ts";
import type { IdempotentAnswer } from "../state/account-state.ts";
import type { State } from "../state/exchange-state.ts";
import { addPayment } from "../transfers/payments.ts";
import { addQuote, addRemittance } from "../transfers/remittances.ts";
import { listOf } from "./snapshot-list.ts";

/** A record with all its BigInts, nested ones included, as decimal text. */
type Written<T> = T extends bigint ? string : T extends object ? { readonly [K in keyof T]: Written<T[K]> } : T;

export interface TransferRows {
  readonly payments: readonly (readonly [Written<PaymentRecord>, dueAt: Millis | null])[];
  readonly remittanceQuotes: readonly Written<RemittanceQuoteRecord>[];
  readonly remittances: readonly (readonly [Written<RemittanceRecord>, dueAt: Millis | null])[];
  readonly answers: readonly (readonly [name: string, Written<IdempotentAnswer>])[];
}

/** The names of the fields that are counts of 1e-8, at any depth. */
const UNITS = new Set(["amount", "payAmount", "rate", "refunded", "refundedPay", "sourceAmount", "targetAmount"]);

/** The long lists as they are now, to be written later: records and answers never change, entries do. */
export function transferLists({ payments, remittances, idempotentAnswers }: State) {
  return {
    payments: entryList(payments.values()),
    remittances: entryList(remittances.values()),
    answers: listOf([...idempotentAnswers], ([name, answer]) => [name, write(answer)] as const),
  };
}

function entryList<Of extends object>(entries: Iterable<{ readonly record: Of; readonly dueAt: Millis | null }>) {
  const now = Array.from(entries, ({ record, dueAt }) => [record, dueAt] as const);
  return listOf(now, ([record, dueAt]) => [write(record), dueAt] as const);
}

export function quoteRows({ remittanceQuotes }: State): TransferRows["remittanceQuotes"] {
  return [...remittanceQuotes.values()].map(write);
}

/** Restores payments and remittances; accounts and balances have to be restored before. */
export function restoreTransfers(state: State, rows: TransferRows): void {
  for (const [record, dueAt] of rows.payments) addPayment(state, { record: read<PaymentRecord>(record), dueAt });
  for (const quote of rows.remittanceQuotes) addQuote(state, read<RemittanceQuoteRecord>(quote));
  for (const [record, dueAt] of rows.remittances)
    addRemittance(state, { record: read<RemittanceRecord>(record), dueAt });
  for (const [name, answer] of rows.answers) state.idempotentAnswers.set(name, read<IdempotentAnswer>(answer));
  for (const { record } of state.payments.values())
    if (record.state === "paid") state.ledger.holdUnsettled(record.accountId, "KRW", record.amount);
}

function write<T extends object>(record: T): Written<T> {
  const entries = Object.entries(record).map(([name, value]) => {
    if (typeof value === "bigint") return [name, value.toString()];
    return [name, typeof value === "object" && value !== null ? write(value) : value];
  });
  return Object.fromEntries(entries) as Written<T>;
}

function read<T extends object>(written: object): T {
  const entries = Object.entries(written).map(([name, value]) => {
    if (UNITS.has(name)) return [name, BigInt(value)];
    return [name, typeof value === "object" && value !== null ? read(value) : value];
  });
  return Object.fromEntries(entries) as T;
}

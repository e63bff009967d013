/**
 * Commands of payments and remittances, each with effect once however often it is sent. Entry points: `applyTransfer`,
 * `transferReads`.
 *
 * Invariant: an account's idempotency key belongs to one request for good; a repeated request gets the same answer, without
 * effect. Source: service.md#idempotency-key, service.md#idempotency-lookup; decision 0015.
 */
import type {
  Millis,
  PaymentRecord,
  Refusal,
  TransferApplied,
  TransferCommand,
  TransferReads,
} from "../../model/index.ts";
import type { Begin } from "../core/command.ts";
import { badArgument, refusal } from "../core/command.ts";
import type { State } from "../state/exchange-state.ts";
import { cancelPayment, confirmPayment, quotePayment, refundPayment } from "./payments.ts";
import { cancelRemittance, createRemittance, quoteRemittance } from "./remittances.ts";

/** @param now the exchange's clock at the command. */
export function applyTransfer(
  state: State,
  command: TransferCommand,
  now: Millis,
  begin: Begin,
): TransferApplied | Refusal {
  const known = earlierAnswer(state, command);
  if (known !== undefined) return known;
  const account = state.accounts.get(command.accountId);
  if (account === undefined || account.house) return badArgument("accountId", `no account ${command.accountId}`);
  const answer = dispatch(state, command, now, begin);
  if (answer.ok) keepAnswer(state, command, answer);
  return answer;
}

function dispatch(state: State, command: TransferCommand, now: Millis, begin: Begin): TransferApplied | Refusal {
  switch (command.type) {
    case "quotePayment":
      return quotePayment(state, command, begin);
    case "confirmPayment":
      return confirmPayment(state, command, now, begin);
    case "cancelPayment":
      return cancelPayment(state, command, now, begin);
    case "refundPayment":
      return refundPayment(state, command, begin);
    case "quoteRemittance":
      return quoteRemittance(state, command, begin);
    case "createRemittance":
      return createRemittance(state, command, now, begin);
    case "cancelRemittance":
      return cancelRemittance(state, command, begin);
    default:
      return command satisfies never;
  }
}

function nameOf(accountId: string, key: string): string {
  // A key contains no line feed.
  return `${key}\n${accountId}`;
}

function earlierAnswer(
  state: State,
  { type, accountId, idempotency }: TransferCommand,
): TransferApplied | Refusal | undefined {
  if (idempotency === null) return undefined;
  const known = state.idempotentAnswers.get(nameOf(accountId, idempotency.key));
  if (known === undefined) return undefined;
  if (known.type === type && known.digest === idempotency.digest) return known.answer;
  return refusal(
    "ETransfer:Idempotency key reused",
    "this idempotency key was used with another request",
    "Idempotency-Key",
  );
}

function keepAnswer(state: State, { type, accountId, idempotency }: TransferCommand, answer: TransferApplied): void {
  if (idempotency === null) return;
  state.idempotentAnswers.set(nameOf(accountId, idempotency.key), { type, digest: idempotency.digest, answer });
}

export function transferReads(state: State): TransferReads {
  return {
    answerTo: (accountId, key) => state.idempotentAnswers.get(nameOf(accountId, key))?.answer,
    payment: (accountId, paymentId) => ownOf(accountId, state.payments.get(paymentId)?.record),
    payments: (accountId, { orderRef, ...filter }) => {
      const all = state.accounts.get(accountId)?.payments ?? [];
      const matches = (payment: PaymentRecord) => orderRef === undefined || payment.orderRef === orderRef;
      const { found, more } = page(all, filter, ({ paymentId }) => paymentId, matches);
      return { payments: found, more };
    },
    remittanceQuote: (accountId, quoteId) => ownOf(accountId, state.remittanceQuotes.get(quoteId)),
    remittance: (accountId, remittanceId) => ownOf(accountId, state.remittances.get(remittanceId)?.record),
    remittances: (accountId, filter) => {
      const all = state.accounts.get(accountId)?.remittances ?? [];
      const { found, more } = page(all, filter, ({ remittanceId }) => remittanceId);
      return { remittances: found, more };
    },
  };
}

function ownOf<T extends { readonly accountId: string }>(accountId: string, record: T | undefined): T | undefined {
  return record?.accountId === accountId ? record : undefined;
}

interface PageFilter<State> {
  readonly state?: State | undefined;
  readonly beforeId?: string | undefined;
  readonly limit: number;
}

/** Newest first. */
function page<R extends { readonly state: string }>(
  entries: readonly { readonly record: R }[],
  { state, beforeId, limit }: PageFilter<R["state"]>,
  idOf: (record: R) => string,
  matches: (record: R) => boolean = () => true,
): { found: R[]; more: boolean } {
  const end = beforeId === undefined ? entries.length : entries.findIndex(({ record }) => idOf(record) === beforeId);
  const found: R[] = [];
  for (const { record } of entries.slice(0, Math.max(0, end)).reverse()) {
    if ((state !== undefined && record.state !== state) || !matches(record)) continue;
    if (found.length >= limit) return { found, more: true };
    found.push(record);
  }
  return { found, more: false };
}

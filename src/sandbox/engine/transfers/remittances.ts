/**
 * Remittances: an asset of an account that arrives abroad as another currency. Entry points: `quoteRemittance`,
 * `createRemittance`, `cancelRemittance`, `advanceRemittance`, `addQuote`, `addRemittance`.
 *
 * Its steps are scheduled: the review begins a second after the creation, the remittance is sent or rejected two seconds later,
 * and it is completed or returned three seconds after that. The beneficiary's account number decides which (`ACCOUNT_REJECTED`,
 * `ACCOUNT_RETURNED`). There is no fee.
 *
 * Invariants: the amount is locked in the account until the remittance is sent, then held by the transit account, and in the end
 * has left the exchange or is available to the account again, to the last unit.
 * Source: service.md#remittance-endpoints, service.md#remittance-states, service.md#remittance-compliance.
 */
import {
  ACCOUNT_REJECTED,
  ACCOUNT_RETURNED,
  type Millis,
  ONE,
  type Refusal,
  type RemittanceQuoteRecord,
  type RemittanceRecord,
  type RemittanceState,
  type TransferApplied,
} from "../../model/index.ts";
import type { Begin, CommandOf } from "../core/command.ts";
import { badArgument, refusal } from "../core/command.ts";
import { invariant } from "../core/invariant.ts";
import { ceilTo, floorTo, unitsText } from "../market/pricing.ts";
import type { RemittanceEntry } from "../state/account-state.ts";
import { accountOf, HOUSE, type State } from "../state/exchange-state.ts";
import { CORRIDORS, corridorOf, divideUp, rateOf } from "./conversion-rates.ts";

const QUOTE_MS = 60_000;
const REVIEW_AFTER_MS = 1_000;
const SENT_AFTER_MS = 2_000;
const ARRIVES_AFTER_MS = 3_000;

export function quoteRemittance(
  state: State,
  command: CommandOf<"quoteRemittance">,
  begin: Begin,
): TransferApplied | Refusal {
  const { accountId, quoteId, sourceAsset, targetCurrency, amount, targetAmount, destinationCountry } = command;
  if (state.remittanceQuotes.has(quoteId)) return badArgument("quoteId", `quote ${quoteId} exists`);
  const corridor = corridorOf(targetCurrency);
  if (corridor === undefined)
    return badArgument("targetCurrency", `choose one of ${CORRIDORS.map(({ currency }) => currency).join(", ")}`);
  if (!corridor.countries.includes(destinationCountry))
    return badArgument("destinationCountry", `${targetCurrency} goes to ${corridor.countries.join(", ")}`);
  const rate = rateOf(state, sourceAsset, "sourceAsset");
  if (!rate.ok) return rate;
  const amounts = convert(amount, targetAmount, rate, corridor);
  if (!amounts.ok) return amounts;
  begin();
  const { now } = state;
  const quote: RemittanceQuoteRecord = {
    ...{ quoteId, accountId, sourceAsset, targetCurrency, destinationCountry },
    ...{ sourceAmount: amounts.source, targetAmount: amounts.target },
    rate: (rate.price * ONE) / corridor.price,
    ...{ createdAt: now, expiresAt: now + QUOTE_MS },
  };
  addQuote(state, quote);
  return { ok: true, kind: "remittanceQuote", quote };
}

interface Priced {
  readonly price: bigint;
}

/** Rounds the source amount up to its step, and the target amount down to the currency's smallest unit. */
function convert(
  amount: bigint | null,
  targetAmount: bigint | null,
  source: Priced & { readonly step: bigint },
  target: Priced & { readonly minorUnit: bigint },
): { readonly ok: true; readonly source: bigint; readonly target: bigint } | Refusal {
  if (amount !== null && targetAmount === null) {
    if (amount <= 0n || amount % source.step !== 0n)
      return badArgument("amount", `amount is a multiple of ${unitsText(source.step)}, above zero`);
    const arrives = floorTo((amount * source.price) / target.price, target.minorUnit);
    if (arrives === 0n) return badArgument("amount", "nothing of so little would arrive");
    return { ok: true, source: amount, target: arrives };
  }
  if (amount !== null || targetAmount === null) return badArgument("amount", "give one of amount and targetAmount");
  if (targetAmount <= 0n || targetAmount % target.minorUnit !== 0n)
    return badArgument("targetAmount", `targetAmount is a multiple of ${unitsText(target.minorUnit)}, above zero`);
  const needed = ceilTo(divideUp(targetAmount * target.price, source.price), source.step);
  return { ok: true, source: needed, target: targetAmount };
}

export function addQuote(state: State, quote: RemittanceQuoteRecord): void {
  state.remittanceQuotes.set(quote.quoteId, quote);
  state.schedule.set({ kind: "remittanceQuote", id: quote.quoteId }, quote.expiresAt);
}

export function createRemittance(
  state: State,
  command: CommandOf<"createRemittance">,
  now: Millis,
  begin: Begin,
): TransferApplied | Refusal {
  const { accountId, remittanceId, quoteId, beneficiary, originatorVaspId, beneficiaryVaspId, purposeCode } = command;
  if (state.remittances.has(remittanceId)) return badArgument("remittanceId", `remittance ${remittanceId} exists`);
  const refused = checkTravelRule(command);
  if (refused !== undefined) return refused;
  const quote = state.remittanceQuotes.get(quoteId);
  if (quote?.accountId !== accountId || now >= quote.expiresAt)
    return refusal("ETransfer:Quote not usable", `no quote ${quoteId} that can still be used`, "quoteId");
  if (beneficiary.country !== quote.destinationCountry)
    return badArgument("beneficiary.country", `the quote is for ${quote.destinationCountry}`);
  const { sourceAsset, sourceAmount } = quote;
  const withdrawable = state.ledger.withdrawable(accountId, sourceAsset);
  if (withdrawable < sourceAmount) {
    const message = `needs ${unitsText(sourceAmount)} ${sourceAsset}, withdrawable ${unitsText(withdrawable)} ${sourceAsset}`;
    return refusal("EOrder:Insufficient funds", message);
  }
  begin();
  state.remittanceQuotes.delete(quoteId);
  state.schedule.clear({ kind: "remittanceQuote", id: quoteId });
  state.ledger.hold(state.ledger.balance(accountId, sourceAsset), sourceAmount);
  const record: RemittanceRecord = {
    ...{ remittanceId, accountId, state: "created", quote, beneficiary },
    ...{ originatorVaspId, beneficiaryVaspId, purposeCode, createdAt: state.now, updatedAt: state.now },
  };
  addRemittance(state, { record, dueAt: state.now + REVIEW_AFTER_MS });
  state.recorder?.transfer({ kind: "remittance", remittance: record });
  return { ok: true, kind: "remittance", remittance: record };
}

function checkTravelRule({ beneficiary, originatorVaspId, purposeCode }: CommandOf<"createRemittance">) {
  const { name, account, bankCode } = beneficiary;
  const needed = {
    "beneficiary.name": name,
    "beneficiary.account": account,
    "beneficiary.bank_code": bankCode,
    originator_vasp_id: originatorVaspId,
    purpose_code: purposeCode,
  };
  const missing = Object.entries(needed).flatMap(([field, text]) => (text.trim() === "" ? [field] : []));
  if (missing.length === 0) return undefined;
  return refusal("ECompliance:Missing travel-rule metadata", missing.join(", "), missing[0]);
}

export function addRemittance(state: State, entry: RemittanceEntry): void {
  const { remittanceId, accountId } = entry.record;
  state.remittances.set(remittanceId, entry);
  accountOf(state, accountId).remittances.push(entry);
  if (entry.dueAt !== null) state.schedule.set({ kind: "remittance", id: remittanceId }, entry.dueAt);
}

export function cancelRemittance(
  state: State,
  { accountId, remittanceId }: CommandOf<"cancelRemittance">,
  begin: Begin,
): TransferApplied | Refusal {
  const entry = state.remittances.get(remittanceId);
  if (entry?.record.accountId !== accountId)
    return refusal("ETransfer:Unknown transfer", `no remittance ${remittanceId}`, "remittanceId");
  if (!isHeld(entry.record)) {
    const { state: transferState } = entry.record;
    const message = `remittance ${remittanceId} is ${transferState}`;
    return { ...refusal("ETransfer:Wrong state", message, "remittanceId"), transferState };
  }
  begin();
  releaseFunds(state, entry.record);
  return change(state, entry, "canceled", null);
}

/** Whether the remittance's amount is locked in the account. */
export function isHeld({ state: reached }: RemittanceRecord): boolean {
  return reached === "created" || reached === "compliance_review";
}

function releaseFunds({ ledger }: State, { accountId, quote }: RemittanceRecord): void {
  ledger.release(ledger.balance(accountId, quote.sourceAsset), quote.sourceAmount);
}

/** The scheduled step of a remittance; the next one is scheduled from the time this one was due. */
export function advanceRemittance(state: State, remittanceId: string): void {
  const entry = state.remittances.get(remittanceId);
  invariant(entry !== undefined && entry.dueAt !== null, `no remittance ${remittanceId} to advance`);
  const { record, dueAt } = entry;
  const { accountId, quote, beneficiary } = record;
  const { sourceAsset, sourceAmount } = quote;
  if (record.state === "created") {
    change(state, entry, "compliance_review", dueAt + SENT_AFTER_MS);
  } else if (record.state === "compliance_review" && beneficiary.account === ACCOUNT_REJECTED) {
    releaseFunds(state, record);
    change(state, entry, "rejected", null);
  } else if (record.state === "compliance_review") {
    state.ledger.sendLocked(accountId, HOUSE.transit, sourceAsset, sourceAmount);
    change(state, entry, "sent", dueAt + ARRIVES_AFTER_MS);
  } else if (beneficiary.account === ACCOUNT_RETURNED) {
    state.ledger.transfer(HOUSE.transit, accountId, sourceAsset, sourceAmount);
    change(state, entry, "returned", null);
  } else {
    state.ledger.withdraw(HOUSE.transit, sourceAsset, sourceAmount);
    change(state, entry, "completed", null);
  }
}

function change(state: State, entry: RemittanceEntry, reached: RemittanceState, dueAt: Millis | null): TransferApplied {
  const remittance = { ...entry.record, state: reached, updatedAt: state.now };
  entry.record = remittance;
  entry.dueAt = dueAt;
  const item = { kind: "remittance", id: remittance.remittanceId } as const;
  if (dueAt === null) state.schedule.clear(item);
  else state.schedule.set(item, dueAt);
  state.recorder?.transfer({ kind: "remittance", remittance });
  return { ok: true, kind: "remittance", remittance };
}

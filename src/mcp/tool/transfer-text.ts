/**
 * Owns the words about payments and remittances. Every text says that the API is a draft; the first line of a write tells the outcome
 * and follows from `outcome` and `state` alone.
 *
 * Invariants: after `unknown` it never invites to send anything a second time; only the question to a person shows a whole account.
 */
import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import { type Payment, quoted, type Remittance } from "../../contract/index.ts";
import {
  BILLED_IN,
  type Desk,
  type PendingTransfer,
  type QuoteView,
  summaryOf,
  type TransferDesk,
  type TransferName,
  type TransferReport,
  type TransferRequest,
  type TransferTask,
  type TransferView,
  type WriteReport,
} from "../../desk/index.ts";
import type { Words } from "../../words/index.ts";
import { moneyAtStake, type Person, questionOf, type SealQuestion } from "../person/approval.ts";
import { amount } from "../text/amount-text.ts";
import { answered, errorText, errorTextUnsent, evidenceText, lines } from "../text/answer.ts";
import { placed, warned } from "../text/write-text.ts";
import type { ToolAnswer, ToolCall } from "./tool.ts";

const DRAFT = "Draft API.";

/** The tools are offered by a desk that has it. */
export function transfersOf({ transfers }: Desk): TransferDesk {
  if (transfers === undefined) throw new Error("payments and remittances are not switched on here");
  return transfers;
}

/** Tells what a query names: one of the two, as its input ensures. */
export function nameOf(id: string | undefined, transferId: string | undefined): TransferName {
  return id === undefined ? { transferId: transferId ?? "" } : { id };
}

/** Moves money, if policy and person let it: asks the person at the client where the client can. */
export async function moved({ desk, person, listener }: ToolCall, request: TransferRequest): Promise<ToolAnswer> {
  const transfers = transfersOf(desk);
  const { answer } = person;
  if (answer !== undefined) return transferred(desk, await transfers.answerApproval({ ...answer, request }, listener));
  const report = await transfers.make(request, person.session, listener);
  const question = await questionFor(desk, transfers, { report, request, person });
  return question ?? transferred(desk, report);
}

interface QuestionParts {
  readonly report: TransferReport;
  readonly request: TransferRequest;
  readonly person: Person;
}

async function questionFor(
  desk: Desk,
  transfers: TransferDesk,
  { report, request, person }: QuestionParts,
): Promise<InputRequiredResult | undefined> {
  const { approval, account } = report;
  if (approval === undefined || report.error !== undefined || !(person.canBeAsked || person.canBeSent))
    return undefined;
  const { transfer_id: id } = approval;
  const pending = await transfers.pending();
  const view = pending.ok && pending.value.find(({ asked }) => asked.transfer_id === id);
  if (!view) return undefined;
  const { words, session } = person;
  const yes = { title: words.say("transfer.yes"), description: words.say("transfer.yes_does") };
  const message = transferQuestionText(desk, account, view, words);
  const seal: SealQuestion = (by) => transfers.sealApproval(id, view.digest, request, session, by);
  return questionOf(desk, person, { id, message, yes, seal });
}

/** Every field, in words a person reads; also what a terminal shows before it asks for the PIN. */
export function transferQuestionText(
  desk: Desk,
  account: string,
  { asked, task }: PendingTransfer,
  { say, amount: figure, reason, when }: Words,
): string {
  return [
    say("transfer.question", { money: say(moneyAtStake(desk)), account: quoted(account) }),
    `${capital(summaryOf(task, true))}.`,
    ...detailsOf(task),
    say("transfer.value", { value: figure(asked.value, desk.unit), why: reason(asked.why) }),
    say("transfer.ends", { ends: when(asked.expires_at) }),
  ].join("\n");
}

function detailsOf(task: TransferTask): readonly string[] {
  if (task.kind === "confirm_payment") {
    const { description } = task.quote;
    return description === null ? [] : [`Description, as given: ${quoted(description, 200)}.`];
  }
  if (task.kind !== "send_remittance") return [];
  const { beneficiary, originator_vasp_id, beneficiary_vasp_id, purpose_code } = task.send;
  return [
    `Beneficiary: ${quoted(beneficiary.name, 140)}. Purpose: ${purpose_code}. Originator VASP: ${originator_vasp_id}.` +
      (beneficiary_vasp_id === undefined ? "" : ` Beneficiary VASP: ${beneficiary_vasp_id}.`),
    `The quote is for money to ${task.quote.destination_country}.`,
  ];
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function quotedText(desk: Desk, view: QuoteView): CallToolResult {
  const { payment, quote, policy, why, value, next_action } = view;
  const worth = value === null ? "" : ` It counts for ${amount(value, desk.unit)}.`;
  const said = { allowed: "allowed", needs_approval: "a person will be asked", denied: "DENIED" }[policy];
  const what =
    payment === undefined
      ? quote &&
        `${amount(quote.source_amount, quote.source_asset)} send ${amount(quote.target_amount, quote.target_currency)} to ` +
          `${quote.destination_country} (rate ${quote.rate}); quote_id ${quote.quote_id}, holds until ${quote.expires_at}`
      : `${amount(payment.amount, BILLED_IN)} cost ${amount(payment.pay_amount, payment.pay_asset)} (rate ${payment.rate}); ` +
        `${referencesOf(payment)}, holds until ${payment.expires_at}`;
  const policyLine = `Policy: ${said}${why === undefined ? "" : `, as ${why}`}.${worth}`;
  return answered(
    desk,
    lines(`${DRAFT} Quoted, nothing has moved: ${what ?? ""}.`, policyLine, `Next: ${next_action}`),
    view,
  );
}

export function lookedUp(desk: Desk, view: TransferView): CallToolResult {
  const { payment, remittance, warnings, next_action } = view;
  const shown = shownText(payment, remittance) ?? `nothing is shown by the exchange`;
  const next = next_action === undefined ? undefined : `Next: ${next_action}`;
  const told = lines(`${DRAFT} ${stateText(view)}: ${shown}.`, timesText(payment ?? remittance), named(view));
  const text = lines(told, evidenceText(view.evidence), ...warned(warnings), next);
  return answered(desk, text, view);
}

function named({ transfer_id }: TransferView): string {
  return transfer_id === undefined ? "" : `transfer_id ${transfer_id}.`;
}

/** When what the exchange shows was made and how it went on. */
function timesText(shown: Payment | Remittance | undefined): string {
  if (shown === undefined) return "";
  const { created_at, updated_at } = shown;
  const { paid_at = null, settled_at = null } = "payment_id" in shown ? shown : {};
  const went = [paid_at && `paid ${paid_at}`, settled_at && `settled ${settled_at}`].filter((part) => part !== null);
  return `Made ${[created_at, ...went, `changed last ${updated_at}`].join(", ")}.`;
}

/** The state of a transfer that is not done is its own, not that of the payment or remittance. */
function stateText({ state, kind, payment, remittance }: TransferView): string {
  const itself = payment?.state ?? remittance?.state;
  if (kind === undefined) return capital(state);
  if (itself === undefined) return `${kind} is ${state}`;
  return `${kind} is ${state}. The ${payment === undefined ? "remittance" : "payment"} itself is ${itself}`;
}

export function transferred(desk: Desk, report: TransferReport): CallToolResult {
  const { state, error, outcome, next_action, warnings } = report;
  // Waiting for approval is an expected outcome, not an error.
  const isWaiting = state === "awaiting_approval" && error === undefined;
  const isDone = outcome === "accepted" && error === undefined;
  const next = next_action === undefined ? undefined : `Next: ${next_action}`;
  const text = lines(`${DRAFT} ${reportText(report)}`, ...warned(warnings), next);
  return answered(desk, text, report, !isWaiting && !isDone);
}

/** The result of a write of whatever kind. */
export function reported(desk: Desk, report: WriteReport | TransferReport): CallToolResult {
  return "draft" in report ? transferred(desk, report) : placed(desk, report, undefined);
}

/** What the written goes by, where it was recorded. */
export function idOf(report: WriteReport | TransferReport): string | undefined {
  return "draft" in report ? report.transfer_id : report.userref;
}

function reportText(report: TransferReport): string {
  const { outcome, state, payment, remittance, approval, transfer_id } = report;
  const why = report.error === undefined ? "" : ` ${errorText(report.error)}`;
  const reference = transfer_id === undefined ? "" : ` transfer_id ${transfer_id}.`;
  switch (outcome) {
    case "accepted":
      return `${isGivenBack(remittance) ? "Ended" : "Done"} (${state}): ${shownText(payment, remittance) ?? "by the word of a person"}.${reference}`;
    case "rejected":
      return `Rejected by the exchange: no money has moved by it.${why}${reference}`;
    case "not_sent":
      if (state === "awaiting_approval")
        return `WAITING FOR A PERSON: nothing was sent yet. It is to ${approval?.summary ?? "be looked at"}.${countsFor(report)} Why: ${approval?.why ?? "unknown"}. It lapses at ${approval?.expires_at ?? "once"}.${why}${reference}`;
      return state === "not_made"
        ? `Not made: no money has moved by it and none will.${why}${reference}`
        : `${isPersonsNo(report) ? "Withdrawn by a person's no" : "Denied by hoga"}: nothing was sent.${report.error === undefined ? "" : ` ${errorTextUnsent(report.error)}`}`;
    case "unknown":
      return `UNKNOWN: it was sent or let through and no readable answer came, so money may or may not have moved. It will not be sent again; do not request it again.${reference}`;
    default:
      return outcome satisfies never;
  }
}

function countsFor({ approval, unit }: TransferReport): string {
  return approval === undefined ? "" : ` It counts for ${amount(approval.value, unit)}.`;
}

/** Takes what was recorded and is denied for want of an approval for a person's no. */
function isPersonsNo({ state, error, transfer_id }: TransferReport): boolean {
  return state === "denied" && transfer_id !== undefined && error?.code === "ELocal:Not approved";
}

/** Ended, with the money back at the sender. */
function isGivenBack(remittance: Remittance | undefined): boolean {
  const state = remittance?.state;
  return state === "rejected" || state === "returned" || state === "canceled";
}

function shownText(payment: Payment | undefined, remittance: Remittance | undefined): string | undefined {
  if (payment !== undefined) {
    const { amount: won, pay_amount, pay_asset, rate, refunded_amount, refunded_pay_amount } = payment;
    const back = /[1-9]/.test(refunded_amount)
      ? `, ${amount(refunded_amount, BILLED_IN)} given back as ${amount(refunded_pay_amount, pay_asset)}`
      : "";
    return `${amount(won, BILLED_IN)} for ${amount(pay_amount, pay_asset)} (rate ${rate})${back}, ${referencesOf(payment)}`;
  }
  if (remittance === undefined) return undefined;
  const { source_amount, source_asset, target_amount, target_currency, rate, beneficiary } = remittance;
  const { name, account, bank_code, country } = beneficiary;
  const arrives = isGivenBack(remittance)
    ? "nothing arrives, as it was given back"
    : `${amount(target_amount, target_currency)} arrive`;
  return (
    `${amount(source_amount, source_asset)} (rate ${rate}), of which ${arrives}, to ${quoted(name, 140)}, account ` +
    `${quoted(account)} at ${quoted(bank_code)}, ${quoted(country)}; ${vaspsOf(remittance)}; ` +
    `remittance_id ${remittance.remittance_id}, quote_id ${remittance.quote_id}`
  );
}

function referencesOf({ payment_id, order_ref, description }: Payment): string {
  const what = description === null ? "" : `, description ${quoted(description, 200)}`;
  return `order_ref ${quoted(order_ref)}${what}, payment_id ${payment_id}`;
}

/** Says what the travel rule asks for. */
function vaspsOf({ purpose_code, originator_vasp_id, beneficiary_vasp_id }: Remittance): string {
  const other = beneficiary_vasp_id === null ? "" : `, beneficiary VASP ${quoted(beneficiary_vasp_id)}`;
  return `purpose ${quoted(purpose_code)}, originator VASP ${quoted(originator_vasp_id)}${other}`;
}

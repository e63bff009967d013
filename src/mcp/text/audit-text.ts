/**
 * Owns the sentences of the audit log, one for each step. Entry point: `stepText`.
 *
 * Invariants: what the policy allowed is never said as if a person had approved it, nor the other way round; every step has a sentence, also one that
 * another version wrote; words of people and of the exchange are quotations.
 */
import { createOrderBody, quoted, shownOrder } from "../../contract/index.ts";
import type { AuditEntryView } from "../../desk/index.ts";
import { amount, limitFigure } from "./amount-text.ts";
import { executed, instructionText } from "./order-text.ts";

type Detail = Readonly<Record<string, unknown>>;

/** Says what happened, as a sentence without its end. */
export function stepText({ event, detail }: AuditEntryView, unit: string): string {
  const to = textIn(detail, "to");
  switch (event) {
    case "intent_recorded":
    case "intent_moved":
      return orderStep(to, detail, unit);
    case "transfer_recorded":
    case "transfer_moved":
      return transferStep(to, detail, unit);
    case "order_denied":
    case "transfer_denied":
      return `${denialText(detail, unit)}; nothing was sent${what(detail, ": ")}`;
    case "approval_declined":
      return `A person was asked in their client, and the answer was ${quoted(textIn(detail, "answer"))}`;
    case "withdrawn_late":
      return "The call that asked for it was withdrawn after it had been sent, so it counts as sent";
    case "approval_refused":
      return `A yes by ${plain(textIn(detail, "by"))} did not count: ${quoted(textIn(detail, "why"), 300)}`;
    case "passkey_enrolled":
    case "passkey_removed":
      return `The passkey ${quoted(textIn(detail, "name"))} was ${event.slice("passkey_".length)}`;
    case "passkey_used":
      return `A passkey has signed: ${quoted(textIn(detail, "purpose"))}`;
    case "settled_by_person":
    case "transfer_settled_by_person":
      return `A person, ${quoted(textIn(detail, "by"))}, has looked at the exchange and settled it: ${plain(to)}`;
    case "appeared_late":
      return `The exchange shows it, which look-ups before had not, ${plain(String(detail["after_ms"]))} ms after it was sent`;
    case "refused_and_taken":
      return `The exchange refused it (${plain(textIn(detail, "code"))}), and shows it all the same: it counts as taken`;
    case "halted": {
      const reason = textIn(detail, "reason");
      return `Trading was halted by ${quoted(textIn(detail, "by"))}${reason === "" ? "" : `, reason given: ${quoted(reason, 200)}`}`;
    }
    case "resumed":
      return `Trading was resumed by ${quoted(textIn(detail, "by"))}`;
    case "cancel_requested":
      return `A cancel was sent to the exchange${market(detail)}`;
    case "cancel_all_requested":
      return `A cancel of everything was sent to the exchange (markets: ${quoted(textIn(detail, "symbol"))}, open: ${textIn(detail, "open")})`;
    case "cancel_timer_armed":
      return `The cancel timer was set to ${textIn(detail, "seconds")} s`;
    case "cancel_timer_disarmed":
      return "The cancel timer was switched off";
    case "cancel_timer_fired":
      return "The cancel timer ran out, and everything was to be canceled";
    default:
      return event.startsWith("cancel_ended_")
        ? `The cancel has ended: the order is ${plain(event.slice("cancel_ended_".length))}${market(detail)}`
        : (planStep(event, detail) ?? `${plain(event)}${what(detail, ": ")}`);
  }
}

/** A step of an order, by the state that it came to. */
function orderStep(to: string, detail: Detail, unit: string): string {
  const body = objectIn(detail, "body");
  const approval = objectIn(body, "approval");
  const fault = objectIn(body, "fault");
  const order = what(detail, ": ");
  const held = textIn(detail, "held");
  switch (to) {
    case "draft":
      return `Previewed, and kept as a draft${order}`;
    case "used":
      return "The draft was used for an order";
    case "awaiting_approval":
      return `Waiting for a person, as ${quoted(textIn(approval, "why"), 300)}; nothing was sent${order}`;
    case "approved": {
      const way = textIn(approval, "approvedBy");
      if (way === "") return `Allowed by policy, without asking a person${order}`;
      return `Approved by a person (${howApproved(way)})${order}`;
    }
    case "submitting":
      return `Sent to the exchange${held === "" ? "" : `; it counts for ${amount(held, textIn(detail, "unit") || unit)} in the limits`}`;
    case "denied":
      return isPersonsNo(fault)
        ? "Denied by a person; nothing was sent"
        : `${denialText(fault, unit)}; nothing was sent`;
    case "rejected":
      return `Rejected by the exchange${because(fault)}`;
    case "lapsed":
    case "not_placed":
    case "unknown":
      return `${UNPLACED[to]}${because(fault)}`;
    case "cancel_requested":
      return "Its cancel is on its way";
    default:
      return `The exchange shows it as ${plain(to)}${executedText(body)}`;
  }
}

const UNPLACED = {
  lapsed: "It waits no more, and was not sent",
  not_placed: "Proven not to have been placed",
  unknown: "No readable answer came: it may or may not have been placed",
};

function transferStep(to: string, detail: Detail, _unit: string): string {
  const way = textIn(detail, "approved_by");
  const how = way === "" ? "" : `, approved by a person (${howApproved(way)})`;
  return `${what(detail, "") || "A transfer"}: ${plain(to)}${how}`;
}

/** A step of a plan, whose id stands with it as an order's does, or of what is told of one; undefined of any other. */
function planStep(event: string, detail: Detail): string | undefined {
  const [state, why] = [plain(textIn(detail, "state")), textIn(detail, "why")];
  switch (event) {
    case "plan_recorded":
      return `A plan was recorded (${plain(textIn(objectIn(detail, "terms"), "kind"))}): ${state}`;
    case "plan_moved":
      return `The plan is ${state}${why === "" ? "" : `, as ${quoted(why, 300)}`}`;
    case "plan_triggered":
      return "What the plan waited for has come";
    case "plan_gap": {
      const isOver = textIn(detail, "to_ms") !== "";
      return `${textIn(detail, "symbol")} ${isOver ? "is watched again" : "was not watched any more"} (${why})`;
    }
    case "notice_delivered":
      return `A notice of ${textIn(detail, "plan_id")} was delivered (${textIn(detail, "type")})`;
    default:
      return undefined;
  }
}

function howApproved(way: string): string {
  switch (way) {
    case "pin":
      return "PIN";
    case "passkey":
      return "passkey";
    default:
      return "in their client";
  }
}

/** "Denied by policy: order_size is ₩50,000, the limit ₩1". */
function denialText(detail: Detail, unit: string): string {
  const [rule, figure, limit] = [textIn(detail, "rule"), textIn(detail, "figure"), textIn(detail, "limit")];
  if (rule === "") return `Denied${because(detail)}`;
  if (rule === "brake") return "Denied, as trading was halted (rule brake: halted, and has to be running)";
  return `Denied by policy (rule ${rule}: ${limitFigure(rule, figure, unit)}, the limit is ${limitFigure(rule, limit, unit)})`;
}

/** A denial of the policy names its rule. */
function isPersonsNo(fault: Detail): boolean {
  return textIn(fault, "rule") === "" && textIn(fault, "code") === "ELocal:Not approved";
}

function because(fault: Detail): string {
  const [message, code] = [textIn(fault, "message"), textIn(fault, "code")];
  return message === ""
    ? code === ""
      ? ""
      : ` (${code})`
    : `: ${quoted(message, 300)}${code === "" ? "" : ` (${code})`}`;
}

/** The order or the transfer that a step is about, where it says so. */
function what(detail: Detail, before: string): string {
  const order = createOrderBody.safeParse(detail["order"] ?? objectIn(detail, "body")["order"]);
  const summary = textIn(detail, "what");
  if (order.success) return `${before}${instructionText(order.data)}`;
  return summary === "" ? "" : `${before}${quoted(summary, 200)}`;
}

function executedText(body: Detail): string {
  const seen = shownOrder.safeParse(body["seen"]);
  return seen.success ? `; ${executed(seen.data)}` : "";
}

function market(detail: Detail): string {
  const symbol = textIn(detail, "symbol");
  return symbol === "" ? "" : ` (${symbol})`;
}

function plain(word: string): string {
  return word.replaceAll("_", " ");
}

function textIn(detail: Detail, name: string): string {
  const value = detail[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function objectIn(detail: Detail, name: string): Detail {
  const value = detail[name];
  return typeof value === "object" && value !== null ? (value as Detail) : {};
}

/**
 * Tells what became of what was to be sent, for the person at the terminal. In English it is the text that an assistant gets,
 * in Korean a text of its own: the first line follows from outcome and state alone, and what the desk says in English stands last.
 *
 * Invariant: after `unknown` it never invites to send anything a second time.
 */
import type { Order } from "../../contract/index.ts";
import type { Desk } from "../../desk/index.ts";
import { badge, idOf, reported } from "../../mcp/index.ts";
import { orderWords, type Words } from "../../words/index.ts";

type Report = Parameters<typeof reported>[1];

export function reportText(desk: Desk, report: Report, words: Words): string {
  return words.locale === "ko" ? koreanText(desk, report, words) : toolText(desk, report);
}

function toolText(desk: Desk, report: Report): string {
  const [first] = reported(desk, report).content;
  return first?.type === "text" ? first.text : report.state;
}

function koreanText(desk: Desk, report: Report, words: Words): string {
  const order = "order" in report ? report.order : undefined;
  const { error, warnings, next_action } = report;
  const fault = error === undefined ? undefined : words.korean(error.code, error.message);
  const english = [error?.message, next_action].filter((text) => text !== undefined);
  const warned = warnings.map((text) => words.say("told.warning", { text: words.told(text) }));
  return [
    `${badge(desk)} ${report.state === "not_sent_yet" ? NOT_SENT_YET : headline(report)}`,
    ...(order === undefined ? [] : orderLines(order, report.state, words)),
    ...namesOf(report),
    ...(fault === undefined ? [] : [fault.meaning, `→ ${fault.nextAction}`]),
    ...warned,
    ...("draft" in report ? [toolText(desk, report)] : english.map((detail) => words.say("error.detail", { detail }))),
  ].join("\n");
}

const NOT_SENT_YET = "아직 보내지 않았습니다. 다른 프로세스가 곧 보낼 수 있으니 다시 하지 말고 먼저 조회하십시오.";

function headline({ outcome, state, error }: Report): string {
  switch (outcome) {
    case "accepted":
      return "거래소가 받아들였습니다.";
    case "rejected":
      return "거래소가 거절했습니다. 효과가 없었습니다.";
    case "not_sent":
      if (state === "awaiting_approval") return "아직 보내지 않았습니다. 사람의 승인을 기다립니다.";
      if (state === "not_placed" || state === "not_made") return "효과가 없었고 앞으로도 없습니다.";
      return error === undefined ? "거부되어 보내지 않았습니다." : "보내지 않았습니다.";
    case "unknown":
      return "결과를 알 수 없습니다. 이미 들어갔을 수 있으니 다시 하지 말고 먼저 조회하십시오.";
    default:
      return outcome satisfies never;
  }
}

function orderLines(order: Order, state: string, words: Words): readonly string[] {
  const [base = "", quote = ""] = order.symbol.split("/");
  const { executed_volume: volume, executed_value: value, fee, fee_currency: feeCurrency = quote } = order;
  const executed = [
    `체결 ${words.amount(volume, base)}`,
    ...(value === undefined ? [] : [words.amount(value, quote)]),
    ...(fee === undefined ? [] : [`수수료 ${words.amount(fee, feeCurrency)}`]),
  ].join(", ");
  return [orderWords(order, words), `상태: ${words.state(state)}. ${executed}.`, `주문 번호 ${order.orderId}`];
}

function namesOf(report: Report): readonly string[] {
  const name = idOf(report);
  if (name === undefined) return [];
  return ["draft" in report ? `번호 ${name}` : `userref ${name}`];
}

/** Owns how the page tells what became of a request: a failure of it, an order, a halt. The words keep what is true apart. */
import type { ApprovalView } from "../../../src/serve/console/console-api.ts";
import { planAnswer } from "../../../src/words/index.ts";
import { assetsOf } from "../figures.ts";
import type { Failed, Told } from "../request.ts";
import { EN } from "./en.ts";
import { faultText, type Note } from "./note.ts";
import type { PageWords } from "./page-words.ts";
import { isOfPlan, planApprovalTitle, planNote } from "./plan-said.ts";

/** @param wasWrite nothing answered what was to change something: it may have */
export function failureText(failed: Failed, words: PageWords, wasWrite = false): string {
  const { say } = words;
  switch (failed.kind) {
    case "ended":
      return say("failure.ended");
    case "unreachable":
      return say(wasWrite ? "failure.unanswered" : "failure.unreachable");
    case "refused": {
      const { error } = failed.failure;
      // The server has said it in the reader's language.
      return error.message === "" ? say("failure.code", { code: error.code }) : error.message;
    }
    default:
      return failed satisfies never;
  }
}

/** A state's name for people: "partially filled". */
export function stateText(state: string, { shared }: PageWords): string {
  return shared.state(state).replaceAll("_", " ");
}

/** A step of the audit log; one that has no words here is shown as it is written there. */
export function eventText(event: string, { say }: PageWords): string {
  const name = `event.${event}`;
  return isEvent(name) ? say(name) : event;
}

const isEvent = (name: string): name is EventName => Object.hasOwn(EN, name);
type EventName = Extract<keyof typeof EN, `event.${string}`>;

/** What waits, in a line: "Buy 0.01 BTC at ₩148,000,000". A transfer's is the server's. */
export function approvalTitle(view: ApprovalView, words: PageWords): string {
  const { order: asked, summary } = view;
  const { say, shared } = words;
  if (asked === undefined) return planApprovalTitle(view, words) ?? summary;
  const { symbol, side, volume, amount: spent, price } = asked.order;
  const { base, quote } = assetsOf(symbol);
  const size = volume === undefined ? shared.amount(spent ?? "", quote) : shared.amount(volume, base);
  const said = shared.say(`side.${side}`);
  const does = `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
  if (price === undefined) return say("approvals.title_market", { side: does, size, symbol });
  return say("approvals.title_limit", { side: does, size, symbol, price: shared.amount(price, quote) });
}

/** What a person may answer: on the two buttons, and what a yes does where that is not said by the question. */
export interface Answers {
  readonly yes: string;
  readonly no: string;
  readonly does?: string;
  /** Of a yes. */
  readonly tone: "danger" | "good";
}

export function answersTo({ kind, plan_action: action }: ApprovalView, { say, shared }: PageWords): Answers {
  const tone = "good";
  switch (kind) {
    case "order":
      return { tone, yes: shared.say("approval.yes"), no: say("approvals.no"), does: shared.say("approval.yes_does") };
    case "transfer":
      return {
        tone,
        yes: shared.say("transfer.yes"),
        no: say("approvals.no_money"),
        does: shared.say("transfer.yes_does"),
      };
    case "plan":
    case "plan_change": {
      const isChange = kind === "plan_change";
      const { yes } = planAnswer(shared, action);
      return {
        ...{ yes, no: say(isChange ? "approvals.no_change" : "approvals.no_plan") },
        tone: isChange && action !== "resume" ? "danger" : "good",
      };
    }
    default:
      return kind satisfies never;
  }
}

/** What an order, a payment or a remittance came to, or a plan. */
export function writeNote(report: Told<"approve">, words: PageWords): Note {
  if (isOfPlan(report)) return planNote(report, words);
  const { say, shared } = words;
  const isMoney = "kind" in report;
  const said = report.error === undefined ? [] : [faultText(report.error, words)];
  const lines = [...said, ...report.warnings.map(shared.told)];
  const state = stateText(report.state, words);
  switch (report.outcome) {
    case "accepted":
      return { tone: "good", title: say(isMoney ? "outcome.made" : "outcome.accepted", { state }), lines };
    case "rejected":
      return { tone: "bad", title: say("outcome.rejected"), lines };
    case "not_sent":
      return { tone: "warn", title: say("outcome.not_sent", { state }), lines };
    case "unknown":
      return {
        tone: "bad",
        title: say("outcome.unknown"),
        lines: [say(isMoney ? "outcome.unknown_money" : "outcome.unknown_more"), ...lines],
      };
    default:
      return report.outcome satisfies never;
  }
}

export function cancelNote(report: Told<"cancel">, words: PageWords): Note {
  const note = writeNote(report, words);
  if (report.outcome !== "accepted") return note;
  return { ...note, title: words.say("outcome.cancel", { state: stateText(report.state, words) }) };
}

/** All that a halt did and could not do. */
export function haltNote(report: Told<"halt">, words: PageWords): Note {
  const { say, shared } = words;
  const { brake, canceled, remaining, withdrawn, unresolved, elsewhere } = report;
  const left = remaining === null ? shared.say("halt.unverified") : shared.say("halt.still_open", { count: remaining });
  const lines = [
    say("halt.canceled", { canceled, left }),
    ...withdrawn.map(({ summary }) => say("halt.withdrawn", { summary })),
    ...unresolved.map(({ userref, symbol }) => shared.say("halt.unknown", { userref, symbol })),
    ...elsewhere.map(({ symbol, userref, account }) => say("halt.elsewhere", { symbol, userref, account })),
    ...(report.error === undefined ? [] : [faultText(report.error, words)]),
    ...report.warnings.map(shared.told),
  ];
  const isWhole = brake === "everywhere" && remaining === 0 && unresolved.length + elsewhere.length === 0;
  const title = {
    everywhere: say("halt.everywhere"),
    directory: shared.say("halt.directory"),
    here: say("halt.here"),
    nowhere: shared.say("halt.nowhere"),
  }[brake];
  return { tone: isWhole ? "good" : "bad", title, lines };
}

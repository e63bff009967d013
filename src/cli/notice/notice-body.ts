/** What a notice says to its receiver: the same as data for programs, and in a sentence for people. */
import { defined } from "../../contract/index.ts";
import type { Notice, PlanRecord, PlanTerms } from "../../desk/index.ts";
import { assetsOf, gapWhy, planState, planSummary, planWhy, type Say, sayFrom, type Words } from "../../words/index.ts";
import { EN } from "./words/en.ts";
import { KO } from "./words/ko.ts";

export const NOTICE_CATALOGS = { en: EN, ko: KO } as const;

/** Whose notices they are, as results name it. */
export interface NoticeStamp {
  readonly environment: "sandbox" | "live";
  readonly account: string;
  /** The unit of account. */
  readonly unit: string;
  readonly tenant?: string;
}

/** @param plan undefined of one that is not kept any more @returns JSON, the same at every delivery but for what is known of the plan */
export function noticeBody(
  { noticeId: id, type, atMs, planId, body, ...rest }: Notice,
  plan: PlanRecord | undefined,
  { environment, account, unit, tenant }: NoticeStamp,
  words: Words,
): string {
  const terms = plan?.terms;
  const symbol = terms !== undefined && "symbol" in terms ? terms.symbol : undefined;
  const text = noticeText({ type, body, ...rest }, terms, { environment, unit }, words);
  const data = {
    ...body,
    ...{ environment, account, plan_id: planId },
    ...defined({ tenant, kind: terms?.kind, symbol, note: terms?.note }),
    text,
  };
  return JSON.stringify({ type, id, created_at: new Date(atMs).toISOString(), data });
}

function noticeText(
  { type, body }: Pick<Notice, "type" | "body">,
  terms: PlanTerms | undefined,
  { environment, unit }: Pick<NoticeStamp, "environment" | "unit">,
  words: Words,
): string {
  const say: Say<typeof EN> = sayFrom<typeof EN>(NOTICE_CATALOGS[words.locale]);
  const text = (name: string): string => (typeof body[name] === "string" ? body[name] : "–");
  const plan =
    terms === undefined ? say("unknown") : (type === "alert.fired" && firedWords(terms, say, words)) || planSummary(terms, { unit }, words);
  const places = { plan, state: planState(text("state"), words), symbol: text("symbol"), why: gapWhy(text("why"), words) };
  const isWhy = typeof body["why"] === "string" && type !== "plan.gap";
  const why = isWhy ? [say("why", { why: ended(planWhy(text("why"), words)) })] : [];
  const note = terms?.note === undefined ? [] : [say("note", { note: terms.note })];
  return [words.say(`money.${environment}`), say(`is.${type}`, places), ...why, ...note].join(" ");
}

/** A sentence ends. */
function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** What has come true, where it is about a price. */
function firedWords(terms: PlanTerms, say: Say<typeof EN>, words: Words): string | undefined {
  if (terms.kind !== "alert" || terms.event !== "price") return undefined;
  const { symbol } = terms;
  const price = (text: string): string => words.amount(text, assetsOf(symbol).quote);
  return "above" in terms
    ? say("fired.above", { symbol, price: price(terms.above) })
    : say("fired.below", { symbol, price: price(terms.below) });
}

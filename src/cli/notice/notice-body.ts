/**
 * What a notice says to its receiver: the same as data for programs, and in a sentence for people.
 *
 * Invariant: no secret of ours is in it, whatever a note holds.
 */
import { scrubber } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import type { Notice, PlanRecord, PlanTerms } from "../../desk/index.ts";
import { assetsOf, gapWhy, planState, planSummary, type Say, sayFrom, type Words } from "../../words/index.ts";
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
  notice: Notice,
  plan: PlanRecord | undefined,
  { environment, account, unit, tenant }: NoticeStamp,
  words: Words,
): string {
  const { noticeId: id, type, atMs, planId, body } = notice;
  const terms = plan?.terms;
  const symbol = terms !== undefined && "symbol" in terms ? terms.symbol : undefined;
  const text = noticeText(notice, terms, { environment, unit }, words);
  const data = {
    ...body,
    ...{ environment, account, plan_id: planId },
    ...defined({ tenant, kind: terms?.kind, symbol, note: terms?.note }),
    text,
  };
  return scrubber.json({ type, id, created_at: new Date(atMs).toISOString(), data });
}

type NoticeSay = Say<typeof EN>;

function noticeText(
  { type, body }: Pick<Notice, "type" | "body">,
  terms: PlanTerms | undefined,
  { environment, unit }: Pick<NoticeStamp, "environment" | "unit">,
  words: Words,
): string {
  const say: NoticeSay = sayFrom<typeof EN>(NOTICE_CATALOGS[words.locale]);
  const fired = type === "alert.fired" && terms !== undefined ? firedWords(terms, body, say, words) : undefined;
  const plan = fired ?? (terms === undefined ? say("unknown") : planSummary(terms, { unit }, words));
  const gap = type === "plan.gap" ? gapWords(body, say, words) : [];
  const state = planState(textIn(body, "state") ?? UNKNOWN, words);
  const why = type === "plan.gap" ? undefined : textIn(body, "why");
  return [
    words.say(`money.${environment}`),
    say(`is.${type}`, { plan, state, gap: gap[0] ?? UNKNOWN }),
    ...gap.slice(1),
    ...(why === undefined ? [] : [say("why", { why: words.told(why) })]),
    ...(terms?.note === undefined ? [] : [say("note", { note: terms.note })]),
  ].join(" ");
}

/** What is said where something is not known. */
const UNKNOWN = "–";

function textIn(body: Notice["body"], name: string): string | undefined {
  const value = body[name];
  return typeof value === "string" ? value : undefined;
}

/** What has come true, where it is about a price. */
function firedWords(terms: PlanTerms, body: Notice["body"], say: NoticeSay, words: Words): string | undefined {
  if (terms.kind !== "alert" || terms.event !== "price") return undefined;
  const { symbol } = terms;
  const price = (text: string): string => words.amount(text, assetsOf(symbol).quote);
  const print = textIn(body, "print");
  const stood =
    "above" in terms
      ? say("fired.above", { symbol, price: price(terms.above) })
      : say("fired.below", { symbol, price: price(terms.below) });
  return print === undefined ? stood : `${stood} ${say("fired.seen", { price: price(print) })}`;
}

/** Since when nobody watched, and what is known of that time. */
function gapWords(body: Notice["body"], say: NoticeSay, words: Words): readonly string[] {
  const symbol = textIn(body, "symbol") ?? UNKNOWN;
  const [from, to] = ["from", "to"].map((name) => words.when(textIn(body, name) ?? UNKNOWN));
  const why = gapWhy(textIn(body, "why") ?? UNKNOWN, words);
  const gap = { symbol, why, from: from ?? UNKNOWN };
  if (textIn(body, "to") === undefined) return [say("gap.begun", gap)];
  const [low, high] = [textIn(body, "low"), textIn(body, "high")];
  const price = (text: string): string => words.amount(text, assetsOf(symbol).quote);
  return [
    say("gap.ended", { ...gap, to: to ?? UNKNOWN }),
    ...(low === undefined || high === undefined ? [] : [say("gap.span", { low: price(low), high: price(high) })]),
  ];
}

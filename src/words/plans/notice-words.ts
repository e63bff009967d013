/**
 * Owns what a notice of a plan says to people, in one text.
 *
 * Invariant: a figure is one of the notice's own, and so of its time; those of the plan that it does not have are left out.
 */
import { defined } from "../../contract/index.ts";
import { assetsOf } from "../amount.ts";
import { type Say, sayFrom, type Words } from "../words.ts";
import { NOTICES_EN } from "./notice-en.ts";
import { NOTICES_KO } from "./notice-ko.ts";
import { gapWhy, type PlanNow, planSay, planState, planSummary, type ShownPlan } from "./plan-words.ts";
import { stepLabel } from "./step-words.ts";

export const NOTICE_CATALOGS = { en: NOTICES_EN, ko: NOTICES_KO } as const;

type TypeIn<Name> = Name extends `is.${infer Type}` ? Type : never;

/** Holds what a notice tells, as the desk has it. */
export interface ShownNotice {
  readonly type: TypeIn<keyof typeof NOTICES_EN>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Whose notice it is. */
interface NoticePlace {
  readonly environment: "sandbox" | "live";
  /** The unit of account. */
  readonly unit: string;
}

type NoticeSay = Say<typeof NOTICES_EN>;

/** @param terms of its plan; undefined of one that is not kept any more */
export function noticeWords(
  { type, body }: ShownNotice,
  terms: (ShownPlan & { readonly note?: string }) | undefined,
  { environment, unit }: NoticePlace,
  words: Words,
): string {
  const say: NoticeSay = sayFrom<typeof NOTICES_EN>(NOTICE_CATALOGS[words.locale]);
  const fired = type === "alert.fired" && terms !== undefined ? firedWords(terms, body, say, words) : undefined;
  const plan = fired ?? (terms === undefined ? say("unknown") : planSummary(terms, nowIn({ type, body }, unit), words));
  const isGap = type === "plan.gap" && textIn(body, "from") !== undefined;
  const [gap, ...more] = isGap ? gapWords(body, say, words) : [];
  const state = planState(textIn(body, "state") ?? UNKNOWN, words);
  const why = isGap ? undefined : textIn(body, "why");
  const isHindered = type === "plan.gap" && !isGap;
  const isCarried = type === "plan.step_missed" && body["carried"] === true;
  return [
    words.say(`money.${environment}`),
    isHindered
      ? say(body["over"] === true ? "hindered_over" : "hindered", { plan })
      : say(isCarried ? "carried" : `is.${type}`, { plan, state, gap: gap ?? UNKNOWN }),
    ...more,
    ...stepWords(body, say, words),
    ...(type === "plan.step_done" ? soldWords(body, terms, say, words) : []),
    ...(why === undefined ? [] : [say("why", { why: words.told(why) })]),
    ...(terms?.note === undefined ? [] : [say("note", { note: terms.note })]),
  ].join(" ");
}

/** What is said where something is not known. */
const UNKNOWN = "–";

function textIn(body: ShownNotice["body"], name: string): string | undefined {
  const value = body[name];
  return typeof value === "string" ? value : undefined;
}

/** What of the plan was so as the notice has it: of a gap the prices are those of the gap, and of a take-profit they are not those of the stop. */
function nowIn({ type, body }: ShownNotice, unit: string): PlanNow {
  const plan = { unit, leavesOut: true } as const;
  if (type === "plan.gap" || body["leg"] === "take") return plan;
  const [trigger, floor, high] = [
    textIn(body, "trigger") ?? textIn(body, "below"),
    textIn(body, "floor"),
    textIn(body, "high"),
  ];
  return { ...plan, ...defined({ trigger, floor, high }) };
}

/** What has come true: of a price, of a fill, of the whole account. */
function firedWords(terms: ShownPlan, body: ShownNotice["body"], say: NoticeSay, words: Words): string | undefined {
  if (terms.kind !== "alert") return undefined;
  if (terms.event === "price") return priceWords(terms, body, say, words);
  const at = words.when(textIn(body, "at") ?? UNKNOWN);
  if (terms.event === "fill") return fillWords(body, at, say, words);
  const unit = textIn(body, "unit") ?? "";
  const sum = (text: string | undefined): string => (text === undefined ? UNKNOWN : words.amount(text, unit));
  const figure = sum(textIn(body, terms.event === "portfolio" ? "worth" : "loss"));
  if (terms.event === "day_loss") return say("fired.loss", { at, figure, sum: sum(terms.above) });
  return "above" in terms
    ? say("fired.worth_above", { at, figure, sum: sum(terms.above) })
    : say("fired.worth_below", { at, figure, sum: sum(terms.below) });
}

function priceWords(
  terms: Extract<ShownPlan, { readonly event: "price" }>,
  body: ShownNotice["body"],
  say: NoticeSay,
  words: Words,
): string {
  const { symbol } = terms;
  const price = (text: string): string => words.amount(text, assetsOf(symbol).quote);
  const print = textIn(body, "print");
  const stood =
    "above" in terms
      ? say("fired.above", { symbol, price: price(terms.above) })
      : say("fired.below", { symbol, price: price(terms.below) });
  return print === undefined ? stood : `${stood} ${say("fired.seen", { price: price(print) })}`;
}

function fillWords(body: ShownNotice["body"], at: string, say: NoticeSay, words: Words): string {
  const symbol = textIn(body, "symbol") ?? UNKNOWN;
  const { base, quote } = assetsOf(symbol);
  const shown = (name: string, asset: string): string => {
    const text = textIn(body, name);
    return text === undefined ? UNKNOWN : words.amount(text, asset);
  };
  const name = textIn(body, "side");
  const side = name === "buy" || name === "sell" ? words.say(`side.${name}`) : UNKNOWN;
  const [volume, price] = [shown("volume", base), shown("price", quote)];
  return say("fired.fill", { at, symbol, volume, price, side });
}

/** Which step it is about, and what has executed of it. */
function stepWords(body: ShownNotice["body"], say: NoticeSay, words: Words): readonly string[] {
  const [symbol, side, volume] = ["symbol", "side", "volume"].map((name) => textIn(body, name));
  if (typeof body["step"] !== "number") return [];
  const step = stepLabel(textIn(body, "label") ?? String(body["step"]), words);
  if (symbol === undefined || (side !== "buy" && side !== "sell") || volume === undefined)
    return [say("step.named", { step })];
  const { base, quote } = assetsOf(symbol);
  const [value, price] = ["value", "average_price"].map((name) => words.amount(textIn(body, name) ?? "0", quote));
  const done = { step, symbol, side: words.say(`side.${side}`), volume: words.amount(volume, base) };
  return [say("step.executed", { ...done, value: value ?? UNKNOWN, price: price ?? UNKNOWN })];
}

/** Of a protection: which of its prices has sold, and what is left. */
function soldWords(
  body: ShownNotice["body"],
  terms: ShownPlan | undefined,
  say: NoticeSay,
  words: Words,
): readonly string[] {
  const [symbol, leg, left] = ["symbol", "leg", "left"].map((name) => textIn(body, name));
  if (symbol === undefined || left === undefined || (leg !== "stop" && leg !== "take")) return [];
  const trails = terms !== undefined && ("trail" in terms || ("stop" in terms && "trail" in terms.stop));
  const kind = leg === "take" ? "take_profit" : trails ? "trailing_stop" : "stop";
  return [say("sold", { leg: planSay(words)(`kind.${kind}`), left: words.amount(left, assetsOf(symbol).base) })];
}

/** Since when nobody watched, and what is known of that time. */
function gapWords(body: ShownNotice["body"], say: NoticeSay, words: Words): readonly string[] {
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

/**
 * Owns a plan in words: what it does in one line, what it comes to at worst, what a person is asked of it.
 *
 * Invariant: what is not known is shown as a dash, never left out, where a person decides by it; what there is none of, as a plan has ended or never began, is left out.
 */
import { amount, assetsOf } from "../amount.ts";
import { type Say, sayFrom, type Words } from "../words.ts";
import { PLAN_CATALOGS, type PLANS_EN } from "./plan-catalog.ts";

export function planSay({ locale }: Pick<Words, "locale">): Say<typeof PLANS_EN> {
  return sayFrom<typeof PLANS_EN>(PLAN_CATALOGS[locale]);
}

type Trail = { readonly percent: string } | { readonly amount: string };
type Size = { readonly quoteAmount: string } | { readonly volume: string };
interface Sold {
  readonly symbol: string;
  readonly volume: string;
}

/** Hold what a plan says, as the desk keeps it. */
export type ShownPlan =
  | (Sold & { readonly kind: "stop"; readonly stopPrice: string; readonly limitPrice?: string })
  | (Sold & { readonly kind: "take_profit"; readonly takePrice: string })
  | (Sold & { readonly kind: "trailing_stop"; readonly trail: Trail })
  | (Sold & {
      readonly kind: "oco";
      readonly stop: { readonly stopPrice: string } | { readonly trail: Trail };
      readonly takePrice: string;
      readonly after?: ShownAfter;
    })
  | ShownRecurring
  | ShownSlices
  | ShownRebalance
  | ShownAlert;

/** The buy that an oco begins with; absent once it has begun. Shares in percent. */
interface ShownAfter {
  readonly order: string;
  readonly stop?: string;
  readonly take: string;
  /** What it may execute at. */
  readonly price: string;
}

interface ShownRebalance {
  readonly kind: "rebalance";
  readonly weights: Readonly<Record<string, string>>;
  readonly quote: string;
  /** Each with about what it comes to, in the quote currency. */
  readonly orders: readonly {
    readonly symbol: string;
    readonly side: "buy" | "sell";
    readonly size: Size;
    readonly value: string;
  }[];
  readonly left: readonly { readonly asset: string; readonly why: "small" | "halted" | "locked" }[];
}

interface ShownRecurring {
  readonly kind: "recurring";
  readonly symbol: string;
  readonly side: "buy" | "sell";
  readonly size: Size;
  readonly schedule: string;
  readonly timezone: string;
  readonly limitPrice?: string;
}

interface ShownSlices {
  readonly kind: "slices";
  readonly symbol: string;
  readonly side: "buy" | "sell";
  readonly size: Size;
  readonly count: number;
  readonly durationMs: number;
  readonly limitPrice?: string;
}

type Beyond = { readonly above: string } | { readonly below: string };

type ShownAlert = { readonly kind: "alert" } & (
  | ({ readonly event: "price"; readonly symbol: string } & Beyond)
  | { readonly event: "fill"; readonly symbol?: string }
  | ({ readonly event: "portfolio" } & Beyond)
  | { readonly event: "day_loss"; readonly above: string }
);

/** What of a plan changes while it runs. Prices as plain decimal text, times as `Words.when` takes them. */
export interface PlanNow {
  /** When the price was there that levels are of; absent where that is now. */
  readonly asOf?: string;
  readonly trigger?: string;
  readonly high?: string;
  readonly floor?: string;
  readonly turnsLeft?: number;
  readonly next?: string | number;
  /** It waits for a yes: its high is what it would begin at. */
  readonly isAsked?: boolean;
  /** It has ended: it has no turns to come, and where it never began no high and no floor either. */
  readonly isOver?: boolean;
  /** The unit of account. */
  readonly unit: string;
  /** Figures that are not known are not spoken of, as nobody decides by what is told. */
  readonly leavesOut?: true;
}

/** What is said where something is not known. */
const UNKNOWN = "–";

/** What a plan does, in one line. */
export function planSummary(plan: ShownPlan, now: PlanNow, words: Words): string {
  switch (plan.kind) {
    case "stop":
    case "take_profit":
    case "trailing_stop":
      return asOfThen(legWords(plan, now, words), now, words);
    case "oco": {
      const { symbol, volume, stop, takePrice, after } = plan;
      const fall =
        "trail" in stop
          ? ({ kind: "trailing_stop", symbol, volume, trail: stop.trail } as const)
          : ({ kind: "stop", symbol, volume, stopPrice: stop.stopPrice } as const);
      const whole = planSay(words)("plan.oco", { volume: coins(plan, words) });
      const said = [
        ...(after === undefined ? [] : afterWords(plan, after, words)),
        whole,
        // Of one that begins with a buy the prices are of what that executes at, whenever it is approved.
        legWords(fall, after === undefined ? now : { ...now, isAsked: false }, words),
        legWords({ kind: "take_profit", symbol, volume, takePrice }, now, words),
      ].join(" ");
      return asOfThen(said, now, words);
    }
    case "recurring":
    case "slices":
      return datedWords(plan, now, words);
    case "rebalance":
      return basketWords(plan, words);
    case "alert":
      return alertWords(plan, now, words);
    default:
      return plan satisfies never;
  }
}

/** Prices that are of an earlier time are said to be. */
function asOfThen(text: string, { asOf }: PlanNow, words: Words): string {
  return asOf === undefined ? text : planSay(words)("plan.then", { time: words.when(asOf), text });
}

/** What it waits for, and what its prices will be of: those that follow are as if that were so. */
function afterWords(
  { symbol, volume, stop }: Extract<ShownPlan, { readonly kind: "oco" }>,
  { order, stop: share, take, price }: ShownAfter,
  words: Words,
): readonly string[] {
  const say = planSay(words);
  const { quote } = assetsOf(symbol);
  const at = { take: percentText(take, words), price: words.amount(price, quote) };
  const begins = say("plan.after", { order, volume: coins({ symbol, volume }, words) });
  if (!("trail" in stop))
    return [begins, say("plan.after_stop", { ...at, stop: percentText(share ?? UNKNOWN, words) })];
  return [begins, say("plan.after_trail", { ...at, trail: trailText(stop.trail, quote, words) })];
}

function trailText(trail: Trail, quote: string, words: Words): string {
  return "percent" in trail ? percentText(trail.percent, words) : words.amount(trail.amount, quote);
}

/** In Korean a counter stands behind the number, and the market says of what. */
function coins({ symbol, volume }: Sold, { locale, amount: shown }: Words): string {
  return locale === "ko" ? amount(volume, "") : shown(volume, assetsOf(symbol).base);
}

type Leg = Extract<ShownPlan, { readonly kind: "stop" | "take_profit" | "trailing_stop" }>;

function legWords(plan: Leg, now: PlanNow, words: Words): string {
  const say = planSay(words);
  const { symbol } = plan;
  const { quote } = assetsOf(symbol);
  const price = (text: string | undefined): string => (text === undefined ? UNKNOWN : words.amount(text, quote));
  const sold = { symbol, volume: coins(plan, words) };
  const floor = price(now.floor);
  if (plan.kind === "take_profit") return say("plan.take", { ...sold, trigger: price(plan.takePrice) });
  if (plan.kind === "trailing_stop") {
    const trail = trailText(plan.trail, quote, words);
    if (leavesOut(now, now.high, now.trigger, now.floor)) return say("plan.trailing_bare", { ...sold, trail });
    const name =
      now.isAsked === true ? "plan.trailing_asked" : now.asOf === undefined ? "plan.trailing" : "plan.trailing_then";
    return say(name, { ...sold, trail, high: price(now.high), trigger: price(now.trigger), floor });
  }
  const trigger = price(plan.stopPrice);
  if (plan.limitPrice !== undefined) return say("plan.stop_rests", { ...sold, trigger, limit: price(plan.limitPrice) });
  if (leavesOut(now, now.floor)) return say("plan.stop_bare", { ...sold, trigger });
  return say("plan.stop", { ...sold, trigger, floor });
}

function leavesOut(now: PlanNow, ...figures: readonly unknown[]): boolean {
  return (now.leavesOut === true || now.isOver === true) && figures.includes(undefined);
}

function percentText(percent: string, { locale }: Words): string {
  return locale === "ko" ? `${percent}%` : `${percent} %`;
}

function datedWords(plan: ShownRecurring | ShownSlices, now: PlanNow, words: Words): string {
  const say = planSay(words);
  const { symbol, side: name, limitPrice } = plan;
  const { base, quote } = assetsOf(symbol);
  const side = words.say(`side.${name}`);
  const size =
    "quoteAmount" in plan.size
      ? say("plan.worth", { sum: words.amount(plan.size.quoteAmount, quote) })
      : words.amount(plan.size.volume, base);
  const of = { side: `${side.charAt(0).toUpperCase()}${side.slice(1)}`, size, symbol };
  const what =
    plan.kind === "slices"
      ? say("plan.slices", { ...of, count: plan.count, duration: lasting(plan.durationMs, say) })
      : turnsWords(plan, of, now, words);
  if (limitPrice === undefined) return what;
  return `${what} ${say(name === "buy" ? "plan.no_higher" : "plan.no_lower", { limit: words.amount(limitPrice, quote) })}`;
}

function turnsWords(
  { schedule, timezone }: ShownRecurring,
  of: Readonly<Record<"side" | "size" | "symbol", string>>,
  now: PlanNow,
  words: Words,
): string {
  const say = planSay(words);
  const at = { ...of, schedule: scheduleWords(schedule, words), zone: timezone };
  if (now.isOver === true || now.turnsLeft === 0 || leavesOut(now, now.turnsLeft, now.next))
    return say("plan.recurring_bare", at);
  const next = now.next === undefined ? UNKNOWN : words.when(now.next);
  return say("plan.recurring", { ...at, turns: now.turnsLeft ?? UNKNOWN, next });
}

/** All of it, order by order. */
function basketWords({ weights, quote, orders, left }: ShownRebalance, words: Words): string {
  const say = planSay(words);
  const shares = Object.entries(weights).map(([asset, percent]) => `${asset} ${percentText(percent, words)}`);
  const each = orders.map(({ symbol, size, value }) => {
    const sum = words.amount(value, quote);
    const { base } = assetsOf(symbol);
    if ("quoteAmount" in size) return say("plan.basket_buy", { base, sum });
    return say("plan.basket_sell", { volume: words.amount(size.volume, base), sum });
  });
  const kept = left.map(({ asset, why }) => `${asset} (${say(`left.${why}`)})`).join(", ");
  return [
    say("plan.rebalance", { shares: shares.join(", "), orders: each.join("; ") }),
    ...(left.length === 0 ? [] : [say("plan.rebalance_left", { left: kept })]),
    say("plan.rebalance_named"),
  ].join(" ");
}

const SCHEDULE = /^(daily|weekly|monthly)(?: (\S+))? (\S+)$/;

/** "weekly mon,thu 09:00" is "매주 월·목 09:00". */
export function scheduleWords(schedule: string, words: Pick<Words, "locale">): string {
  const say = planSay(words);
  const [, every = "", list = "", time = ""] = SCHEDULE.exec(schedule) ?? [];
  const join = words.locale === "ko" ? "·" : ",";
  const days = list.split(",");
  if (every === "daily") return say("every.day", { time });
  if (every === "weekly")
    return say("every.week", { time, days: days.map((day) => weekdayWord(day, words)).join(join) });
  if (every !== "monthly") return schedule;
  const named = days.map((day) => (day === "last" ? say("monthday.last") : say("monthday.other", { day })));
  return say("every.month", { time, days: named.join(join) });
}

function weekdayWord(day: string, { locale }: Pick<Words, "locale">): string {
  const catalog: Readonly<Record<string, string>> = PLAN_CATALOGS[locale];
  return catalog[`weekday.${day}`] ?? day;
}

/** "1 h 30 min". */
function lasting(ms: number, say: Say<typeof PLANS_EN>): string {
  const seconds = Math.round(ms / 1_000);
  const parts = [
    ["h", Math.floor(seconds / 3_600)],
    ["m", Math.floor(seconds / 60) % 60],
    ["s", seconds % 60],
  ] as const;
  return parts.flatMap(([unit, count]) => (count === 0 ? [] : [say(`lasting.${unit}`, { count })])).join(" ");
}

function alertWords(plan: ShownAlert, { unit }: PlanNow, words: Words): string {
  const say = planSay(words);
  switch (plan.event) {
    case "price": {
      const { symbol } = plan;
      const { quote } = assetsOf(symbol);
      return "above" in plan
        ? say("plan.alert_above", { symbol, price: words.amount(plan.above, quote) })
        : say("plan.alert_below", { symbol, price: words.amount(plan.below, quote) });
    }
    case "fill":
      return plan.symbol === undefined ? say("plan.alert_any_fill") : say("plan.alert_fill", { symbol: plan.symbol });
    case "portfolio":
      return "above" in plan
        ? say("plan.alert_worth_above", { sum: words.amount(plan.above, unit) })
        : say("plan.alert_worth_below", { sum: words.amount(plan.below, unit) });
    case "day_loss":
      return say("plan.alert_loss", { sum: words.amount(plan.above, unit) });
    default:
      return plan satisfies never;
  }
}

/** What a plan comes to at worst. Sums as plain decimal text. */
export interface ShownWorst {
  /** When the price was there that it is valued by; absent where that is now. */
  readonly asOf?: string;
  /** In the unit of account. */
  readonly value: string;
  /** Of a protection: the lowest price that it sells at, and what all of it brings there, in the quote currency. */
  readonly atLeast?: { readonly price: string; readonly value: string };
  /** Of what sells by the clock: coins in all. */
  readonly volume?: string;
  /** It ended without having begun. */
  readonly isNever?: boolean;
}

export function worstWords(plan: ShownPlan, worst: ShownWorst, unit: string, words: Words): string {
  const say = planSay(words);
  if (plan.kind === "alert") return say("plan.worst_alert");
  if (worst.isNever === true) return say("plan.worst_never");
  if (plan.kind === "rebalance") return say("plan.worst_basket", { value: words.amount(worst.value, unit) });
  const { base, quote } = assetsOf(plan.symbol);
  const value = words.amount(worst.value, unit);
  const time = worst.asOf === undefined ? undefined : words.when(worst.asOf);
  if (plan.kind === "recurring" || plan.kind === "slices") {
    if ("quoteAmount" in plan.size) return say("plan.worst_buys", { value });
    const volume = worst.volume === undefined ? UNKNOWN : words.amount(worst.volume, base);
    if (time !== undefined) return say("plan.worst_sells_then", { volume, value, time });
    return say("plan.worst_sells", { volume, value });
  }
  const { atLeast } = worst;
  const protects = say("plan.worst_protects", {
    volume: words.amount(plan.volume, base),
    floor: atLeast === undefined ? UNKNOWN : words.amount(atLeast.price, quote),
    value: atLeast === undefined ? UNKNOWN : words.amount(atLeast.value, quote),
  });
  return time === undefined ? protects : say("plan.worst_protects_then", { worst: protects, value, time });
}

/** "plan: stop". */
export function planTitle(plan: ShownPlan, words: Pick<Words, "locale">): string {
  return `${planSay(words)("plan.name")}: ${planKind(plan, words)}`;
}

/** "stop". */
export function planKind(plan: ShownPlan, words: Pick<Words, "locale">): string {
  const say = planSay(words);
  const sells = plan.kind === "recurring" && plan.side === "sell";
  return sells ? say("kind.recurring_sell") : say(`kind.${plan.kind}`);
}

/** The name of a state of a plan; what is none stands as it is. */
export function planState(name: string, { locale }: Pick<Words, "locale">): string {
  const catalog: Readonly<Record<string, string>> = PLAN_CATALOGS[locale];
  return catalog[`state.${name}`] ?? name;
}

/** What a figure of a plan is called. */
export function planFigure(name: "worst" | "reserved" | "until", words: Pick<Words, "locale">): string {
  return planSay(words)(`figure.${name}`);
}

/** Why nobody watched. */
export function gapWhy(why: string, { locale }: Pick<Words, "locale">): string {
  const catalog: Readonly<Record<string, string>> = PLAN_CATALOGS[locale];
  return catalog[`gap.${why}`] ?? why;
}

/**
 * Owns a rehearsal in words: what a plan would have done on past prices.
 *
 * Invariants: the first line says that the prices are past, and the last what candles do not know; of prices the worst comes first.
 */
import { assetsOf } from "../amount.ts";
import { type Say, sayFrom, type Words } from "../words.ts";
import type { ShownPlan } from "./plan-words.ts";
import { REHEARSAL_CATALOGS, type REHEARSALS_EN } from "./rehearsal-catalog.ts";

/** Holds one time at which the plan would have acted, as the desk has it. Prices and sums in the quote currency. */
interface ShownAct {
  readonly atMs: number;
  readonly leg: "stop" | "take" | "turn" | "slice";
  /** What it would have traded at, the worst first. */
  readonly from: string;
  readonly to: string;
  readonly volume: string;
  readonly value: string;
  readonly isSure: boolean;
}

export interface ShownRehearsal {
  readonly fromMs: number;
  readonly toMs: number;
  readonly acts: readonly ShownAct[];
  readonly without: number;
  readonly value: string;
}

type OrderPlan = Exclude<ShownPlan, { readonly kind: "alert" | "rebalance" }>;
type RehearsalSay = Say<typeof REHEARSALS_EN>;

/** Of a plan that acts often the first ones are said, and how many more there are. */
const ACTS_MAX = 10;

/** What a rehearsal has shown, line by line. An alert and a basket have none. */
export function rehearsalWords(plan: ShownPlan, rehearsal: ShownRehearsal, words: Words): readonly string[] {
  if (plan.kind === "alert" || plan.kind === "rebalance") return [];
  const say: RehearsalSay = sayFrom<typeof REHEARSALS_EN>(REHEARSAL_CATALOGS[words.locale]);
  const { fromMs, toMs, acts, without, value } = rehearsal;
  const { symbol } = plan;
  const [count, more] = [acts.length, acts.length - ACTS_MAX];
  const sum = words.amount(value, assetsOf(symbol).quote);
  return [
    say("rehearsal.past", { symbol, from: words.when(fromMs), to: words.when(toMs) }),
    ...(count === 0 ? [say("rehearsal.nothing")] : []),
    ...acts.slice(0, ACTS_MAX).map((act) => actWords(plan, act, say, words)),
    ...(more > 0 ? [say("rehearsal.more", { count: more })] : []),
    ...(count > 1 ? [say(buys(plan) ? "rehearsal.spent" : "rehearsal.brought", { count, value: sum })] : []),
    ...(without > 0 ? [say("rehearsal.without", { count: without })] : []),
    say("rehearsal.unknown"),
  ];
}

function buys(plan: OrderPlan): boolean {
  return "side" in plan && plan.side === "buy";
}

function actWords(plan: OrderPlan, { atMs, leg, from, to, isSure, ...act }: ShownAct, say: RehearsalSay, words: Words) {
  const { base, quote } = assetsOf(plan.symbol);
  const [worst, best] = [from, to].map((text) => words.amount(text, quote));
  const prices =
    from === to
      ? say("rehearsal.price", { worst: worst ?? "" })
      : say("rehearsal.prices", { worst: worst ?? "", best: best ?? "" });
  const [volume, value] = [words.amount(act.volume, base), words.amount(act.value, quote)];
  const acted = { at: words.when(atMs), volume, prices, value };
  const dated = leg === "turn" || leg === "slice";
  const name = dated ? (buys(plan) ? "bought" : "sold") : leg;
  const said = say(`rehearsal.${name}`, acted);
  const isLimited = dated || ("limitPrice" in plan && plan.limitPrice !== undefined);
  return isSure ? said : `${said} ${say(isLimited ? "rehearsal.unsure_limit" : "rehearsal.unsure_floor")}`;
}

/**
 * What a plan has done: sums over the orders of its steps, as the exchange last showed them.
 *
 * Invariant: nothing of it is stored, so nothing is counted twice.
 *
 * Source: decision 0105.
 */
import { defined, type Market, type Order } from "../../contract/index.ts";
import { type Notional, notional } from "../../decimal/index.ts";
import { executedAtMost } from "../model/account-usage.ts";
import type { IntentRecord } from "../model/intent.ts";
import {
  inForce,
  isProtection,
  type PlanRecord,
  type PlanStep,
  type RebalanceTerms,
  userrefOfStep,
  waitsForBuy,
} from "../model/plan.ts";
import type { PlanStepView, PlanView } from "../model/plan-report.ts";
import { averageOf, executedOf, executedOrders, executedValue, leftOf } from "../risk/executed.ts";
import { seenOf } from "./running/basket-order.ts";

type Figures = Pick<PlanView, "left_volume" | "filled_volume" | "average_price" | "spent" | "order_id">;

/** @param market without it nothing is said of what it cost */
export function figuresOf(plan: PlanRecord, children: readonly IntentRecord[], market: Market | undefined): Figures {
  const { terms, openStep } = plan;
  if (terms.kind === "alert") return {};
  if (terms.kind === "rebalance") return basketFigures(terms, openStep, children);
  const volume = volumeInAll(plan);
  const buys = !isProtection(terms) && terms.side === "buy";
  const open = children.find(({ plan: step }) => openStep !== null && step?.step === openStep);
  return {
    filled_volume: executedOf(children).toString(),
    ...(buys &&
      market !== undefined && {
        spent: sumOf([executedValue(children), ...feesIn(market.quote, executedOrders(children))]).toString(),
      }),
    ...defined({
      average_price: averageOf(children)?.toString(),
      left_volume: volume === undefined ? undefined : leftOf(volume, children).toString(),
      order_id: open?.orderId ?? undefined,
    }),
  };
}

/** Its coins are several, so that no volume is told. */
function basketFigures({ quote }: RebalanceTerms, openStep: number | null, children: readonly IntentRecord[]): Figures {
  const open = children.find(({ plan: step }) => openStep !== null && step?.step === openStep);
  const bought = seenOf(children, "buy");
  return {
    spent: sumOf([...bought.map(executedAtMost), ...feesIn(quote, bought)]).toString(),
    ...defined({ order_id: open?.orderId ?? undefined }),
  };
}

function volumeInAll(plan: PlanRecord): string | undefined {
  const { terms } = inForce(plan);
  if (waitsForBuy(plan)) return undefined;
  if ("volume" in terms) return terms.volume;
  return terms.kind === "slices" && "volume" in terms.size ? terms.size.volume : undefined;
}

function sumOf(sums: readonly Notional[]): Notional {
  return sums.reduce((sum, each) => sum.plus(each), notional("0"));
}

function feesIn(quote: string, orders: readonly Order[]): readonly Notional[] {
  return orders.flatMap(({ fee, fee_currency }) => (fee !== undefined && fee_currency === quote ? notional(fee) : []));
}

export function stepViews(steps: readonly PlanStep[], children: readonly IntentRecord[]): readonly PlanStepView[] {
  return steps.map(({ planId, step, label, state, dueAtMs, intentId, why }) => {
    const child = children.find((each) => each.intentId === intentId);
    return {
      ...{ step, label, state, why },
      due_at: dueAtMs === null ? null : new Date(dueAtMs).toISOString(),
      userref: intentId === null ? null : userrefOfStep(planId, step),
      order_id: child?.orderId ?? null,
      executed_volume: child === undefined ? null : (child.body.seen?.executed_volume ?? "0"),
    };
  });
}

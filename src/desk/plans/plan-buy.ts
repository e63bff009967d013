/**
 * The buy that a plan begins with, as the journal has it.
 *
 * Source: decision 0124.
 */
import { failed, localFault, ok, quoted, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { PlanTerms } from "../model/plan.ts";
import { isAfterBuy } from "../model/plan.ts";
import type { PlanRequest } from "../model/plan-report.ts";
import { type Buy, boughtBy, hasBuyEnded } from "./terms/bought.ts";

/** @returns undefined where the plan begins with none */
export async function buyAsked(
  { parts: { journal } }: DeskContext,
  account: string,
  { kind, after }: Pick<PlanRequest, "kind" | "after">,
): Promise<Result<Buy | undefined>> {
  if (after === undefined || kind !== "oco") return ok(undefined);
  const byId = await journal.byOrderId(account, after);
  const found = byId.ok && byId.value === undefined ? await journal.byUserref(account, after) : byId;
  if (!found.ok || found.value !== undefined) return found;
  return failed(
    localFault("ELocal:Invalid input", {
      field: "after",
      message: `The journal of this account knows no order ${quoted(after, 60)}. Nothing was recorded.`,
      nextAction: "Name a buy that was placed with hoga by its order_id or its userref; get_open_orders has both.",
    }),
  );
}

/** Why a plan has nothing to begin with any more; undefined where it has, or may have. */
export async function endedInVain(
  { parts: { journal } }: DeskContext,
  terms: PlanTerms,
): Promise<Result<string | undefined>> {
  if (!isAfterBuy(terms)) return ok(undefined);
  const { intentId, order } = terms.after;
  const found = await journal.byId(intentId);
  if (!found.ok) return found;
  const buy = found.value;
  const [base = ""] = terms.symbol.split("/", 1);
  const isInVain = buy === undefined || (hasBuyEnded(buy) === true && boughtBy(buy, base).volume.isZero());
  return ok(isInVain ? inVain(order) : undefined);
}

export function inVain(order: string): string {
  return `Order ${order} has ended and bought nothing.`;
}

export function waitsWhy(order: string): string {
  return `It waits for order ${order} to end, and protects nothing before.`;
}

/** Plans that a person has approved, put into the book as they are, and the way of their orders. */

import type { CreateOrderBody } from "../../../src/contract/index.ts";
import { DeskContext, readingParts } from "../../../src/desk/core/context.ts";
import { DuplicateGuard } from "../../../src/desk/execution/duplicate-guard.ts";
import { submittedOrders } from "../../../src/desk/execution/order-kind.ts";
import { PlaceChild } from "../../../src/desk/execution/place-child.ts";
import { SubmitOrder } from "../../../src/desk/execution/submit-order.ts";
import { VerifiedCancel } from "../../../src/desk/execution/verified-cancel.ts";
import type {
  DeskParts,
  Mandate,
  NewPlan,
  NewStep,
  PlanBook,
  PlanBounds,
  PlanRecord,
  PlanStep,
  PlanTerms,
} from "../../../src/desk/index.ts";
import type { JournaledOrder } from "../../../src/desk/model/intent.ts";
import { OrderAcknowledgements } from "../../../src/desk/reconciliation/acknowledgements.ts";
import { orderReconciler } from "../../../src/desk/reconciliation/order-lookup.ts";
import { OrderTracker } from "../../../src/desk/reconciliation/order-tracker.ts";
import { PreTradeCheck } from "../../../src/desk/risk/pre-trade-check.ts";
import type { Seat, World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";

export const DAY_MS = 86_400_000;

let made = 0;

export interface ActiveOptions {
  readonly terms?: PlanTerms;
  readonly bounds?: Partial<PlanBounds>;
  readonly mandate?: Partial<Mandate>;
  /** By default the first is due at once, and another a day later. */
  readonly steps?: readonly NewStep[];
  readonly untilMs?: number;
  readonly plan?: Partial<NewPlan>;
}

export const BUYS: PlanTerms = {
  ...{ kind: "recurring", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "50000" } },
  ...{ schedule: "daily 09:00", timezone: "Asia/Seoul" },
};

export function stepAt(step: number, dueAtMs: number, more: Partial<NewStep> = {}): NewStep {
  const label = `2026-01-${String(step).padStart(2, "0")}`;
  return { step, label, symbol: "BTC/KRW", side: "buy", dueAtMs, worstValue: "50000", unit: "KRW", ...more };
}

/** Buys for 50 000 won each day, unless it is told otherwise. */
export async function activePlan(
  { store, clock, sandbox }: Pick<World, "store" | "clock" | "sandbox">,
  { terms = BUYS, bounds, mandate, steps, plan, ...given }: ActiveOptions = {},
): Promise<PlanRecord> {
  const nowMs = clock.now();
  const untilMs = given.untilMs ?? nowMs + 30 * DAY_MS;
  const account = sandbox.accountId;
  const written = await unwrap(
    store.plans.record<{ readonly why: string }>(
      {
        planId: `plan-01900000-0000-7000-8000-${String(++made).padStart(12, "0")}`,
        ...{ account, terms, state: "active", asked: null, progress: {}, replaces: null },
        mandate: {
          ...{ by: "person", way: "pin", digest: "d", approvedAtMs: nowMs },
          bounds: {
            ...{ account, environment: "sandbox", symbol: "BTC/KRW", side: "buy", stepsMax: 366 },
            ...{ untilMs, over: [], ...bounds },
          },
          ...mandate,
        },
        ...{ untilMs, createdAtMs: nowMs, notices: [], ...plan },
        steps: steps ?? [stepAt(1, nowMs - 1_000), stepAt(2, nowMs + DAY_MS)],
      },
      () => undefined,
    ),
  );
  if (!("written" in written)) throw new Error(`not recorded: ${JSON.stringify(written)}`);
  return written.written;
}

/** The way of a plan's orders, made of a desk's parts. */
export function childrenOf(parts: DeskParts, book: PlanBook): PlaceChild {
  const context = new DeskContext(readingParts(parts, parts.venue));
  const tracker = new OrderTracker(context);
  const assessment = { context, check: new PreTradeCheck(context), tracker: () => tracker };
  const reconciler = orderReconciler(context);
  const duplicates = new DuplicateGuard(context, reconciler, new OrderAcknowledgements(context));
  const kind = submittedOrders({ ...assessment, duplicates, writes: parts.venue });
  const submission = new SubmitOrder(context, kind, reconciler, () => new VerifiedCancel(context, parts.venue));
  return new PlaceChild({ ...assessment, book, submission });
}

/** The plan as the book has it now. */
export async function storedPlan({ store }: Pick<World, "store">, planId: string): Promise<PlanRecord> {
  const plan = await unwrap(store.plans.byId(planId));
  if (plan === undefined) throw new Error("the plan is gone");
  return plan;
}

/** Its steps, the first of them first. */
export async function stepsInOrder({ store }: Pick<World, "store">, planId: string): Promise<readonly PlanStep[]> {
  return [...(await unwrap(store.plans.steps(planId, 400)))].reverse();
}

/** Time passes until it is so. @throws where that takes longer than a minute of the exchange */
export async function passUntil(
  { pass }: { readonly pass: (ms: number) => Promise<void> },
  isSo: () => Promise<boolean>,
): Promise<void> {
  for (let passedMs = 0; passedMs < 60_000; passedMs += 500) {
    if (await isSo()) return;
    await pass(500);
  }
  throw new Error("it did not come to that within a minute");
}

/** The exchange has an order of which no journal knows, as one that has left before the store was put back from a copy. */
export async function sentElsewhere({ parts: { venue } }: Pick<Seat, "parts">, order: CreateOrderBody): Promise<void> {
  // not the way of any order of ours
  await unwrap(venue.submit(order as JournaledOrder, async () => true));
}

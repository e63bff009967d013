/** An order that comes of a plan is sent while that allows it, asked where its request is numbered; the exchange and the check answer what each case says. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { failed, localFault, ok } from "../../../src/contract/index.ts";
import { DeskContext, type DeskParts } from "../../../src/desk/core/context.ts";
import { DuplicateGuard } from "../../../src/desk/execution/duplicate-guard.ts";
import { submittedOrders } from "../../../src/desk/execution/order-kind.ts";
import { SubmitOrder } from "../../../src/desk/execution/submit-order.ts";
import { VerifiedCancel } from "../../../src/desk/execution/verified-cancel.ts";
import type { IntentBody, IntentRecord, IntentState, Venue } from "../../../src/desk/index.ts";
import { userrefOfStep } from "../../../src/desk/model/plan.ts";
import { OrderAcknowledgements } from "../../../src/desk/reconciliation/acknowledgements.ts";
import { orderReconciler } from "../../../src/desk/reconciliation/order-lookup.ts";
import { OrderTracker } from "../../../src/desk/reconciliation/order-tracker.ts";
import { mandateFault } from "../../../src/desk/risk/plan-in-force.ts";
import type { Assessment, PreTradeCheck } from "../../../src/desk/risk/pre-trade-check.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { cardOf } from "../../../src/venues/index.ts";
import { order as sample } from "../../fixture/order-sample.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { EXCHANGE_MS, mandate, newPlan, planIdOf, TURNS } from "../../store/plan.ts";
import { written } from "../../store/plan-suite.ts";

const NOW = 1_784_538_000_000;
const clock = { now: () => NOW, sleep: async () => {} };
const id = planIdOf(1);
const userref = userrefOfStep(id, 1);

let store: Store<IntentState, IntentBody>;
let sent: number;
/** How far the exchange's clock is ahead of ours. */
let offsetMs: number;

beforeEach(async () => {
  store = await openStore({ memory: true }, { clock, random: () => 0 });
  [sent, offsetMs] = [0, 0];
});
afterEach(() => {
  store.close();
});

/** Of a plan that ends a second from now. */
async function claimed(): Promise<IntentRecord> {
  const untilMs = NOW + 1_000;
  const approved = mandate({ account: "paper", untilMs });
  const plan = newPlan(1, { account: "paper", state: "active", mandate: approved, untilMs, steps: TURNS });
  await unwrap(store.plans.record(plan, () => undefined));
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.015", price: "95000000", userref } as const;
  const body = { order, environment: "sandbox", keyId: "k", digest: "" } as const;
  const intent = { intentId: "i-1", userref, state: "approved", body, unit: "KRW" } as const;
  const claim = { planId: id, version: 1, step: 1, intent, exchangeMs: EXCHANGE_MS, atMs: NOW };
  return written(await unwrap(store.plans.claim(claim))).intent;
}

/** By a check that allows it. */
async function submit(given: IntentRecord): Promise<IntentRecord> {
  const submitting: Venue["submit"] = async (_order, beforeSend) => {
    if (!(await beforeSend("7"))) return failed(localFault("ELocal:Not placed"));
    sent += 1;
    return ok({ ...sample, userref });
  };
  const lookup = async () => failed(localFault("ELocal:No answer"));
  const port = { keyId: "k", clockOffsetMs: () => offsetMs, submit: submitting, order: lookup, lookup };
  const venue = { ...port, environment: "sandbox", card: cardOf(undefined) } as unknown as Venue;
  const context = new DeskContext({ journal: store.journal, venue, clock } as unknown as DeskParts);
  await context.setAccount("paper");
  const verdict = { kind: "allow" } as const;
  const found = { price: null, value: undefined, policy: LOOSE, verdict, countsFor: "1425000", sinceMs: [] };
  const assessment = { ...found, recheck: () => undefined } as unknown as Assessment;
  const renewed = { ...assessment, renewed: async () => assessment };
  const check = { assess: async () => ok(renewed) } as unknown as PreTradeCheck;
  const reconciler = orderReconciler(context);
  const duplicates = new DuplicateGuard(context, reconciler, new OrderAcknowledgements(context));
  const tracker = new OrderTracker(context);
  const kind = submittedOrders({ context, check, tracker: () => tracker, duplicates, writes: venue });
  const sending = new SubmitOrder(context, kind, reconciler, () => new VerifiedCancel(context, venue));
  return (await sending.submit(given, { requestedAtMs: NOW })).item;
}

it("is sent while its plan is active, and stays the plan's", async () => {
  offsetMs = 999;
  const intent = await submit(await claimed());
  expect([intent.state, intent.plan, sent]).toEqual(["open", { planId: id, step: 1 }, 1]);
  expect(await unwrap(store.plans.children(id))).toEqual([intent]);
});

it.each([
  ["stands still", { to: "paused" }, 0, "is paused"],
  ["waits for a person", { to: "attention" }, 0, "is waiting for a person"],
  ["has come to its end by the exchange's clock", {}, 1_000, "has come to its end"],
] as const)("is denied by the rule of the mandate where its plan %s", async (_where, change, aheadMs, why) => {
  const intent = await claimed();
  const isMoved = "to" in change;
  if (isMoved) written(await unwrap(store.plans.change({ planId: id, version: 2, ...change, atMs: NOW })));
  offsetMs = aheadMs;
  const now = await submit(intent);
  const message = `The plan ${id} of this order ${why}. Nothing was sent.`;
  expect([now.state, now.body.fault?.rule, now.body.fault?.message, sent]).toEqual(["denied", "mandate", message, 0]);
  const over = { planId: id, version: isMoved ? 3 : 2, step: 1, to: "denied", atMs: NOW } as const;
  expect(written(await unwrap(store.plans.settleStep(over)))).toMatchObject({ openStep: null });
});

it("is denied where its plan has gone on without it, or is gone", async () => {
  const intent = await claimed();
  written(await unwrap(store.plans.settleStep({ planId: id, version: 2, step: 1, to: "nothing", atMs: NOW })));
  const now = await submit(intent);
  expect([now.state, now.body.fault?.rule, sent]).toEqual(["denied", "mandate", 0]);
  expect(mandateFault(null, NOW)).toMatchObject({ rule: "mandate", figure: "gone" });
});

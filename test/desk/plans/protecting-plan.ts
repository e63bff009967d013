/** Protections that a person has approved, put into the book as they are. */
import type { Market } from "../../../src/contract/index.ts";
import { price, quantity } from "../../../src/decimal/index.ts";
import type { NewPlan, PlanRecord, PlanRequest } from "../../../src/desk/index.ts";
import { planDraft } from "../../../src/desk/plans/terms/terms.ts";
import { boundsOfTerms, worstCase } from "../../../src/desk/plans/terms/worst-case.ts";
import type { World } from "../../fixture/desk-over-sandbox.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { won } from "./sandbox-market.ts";

let made = 0;

/** The market as it is when the plans are made: 104 is bid, 105 asked. */
const QUOTES = { bid: price(won(104)), ask: price(won(105)) };

export async function protecting(
  { store, clock, sandbox }: Pick<World, "store" | "clock" | "sandbox">,
  market: Market,
  request: PlanRequest,
  more: Partial<NewPlan> = {},
): Promise<PlanRecord> {
  const [nowMs, account] = [clock.now(), sandbox.accountId];
  const draft = unwrapped(
    planDraft(
      { symbol: market.symbol, ...request },
      { market, quotes: QUOTES, available: quantity("1"), policy: LOOSE, timeZone: "UTC", nowMs, candles: [] },
    ),
  );
  const untilMs = more.untilMs ?? draft.untilMs;
  const facts = { market, quotes: QUOTES, unit: "KRW", rules: LOOSE.plans, fromMs: nowMs, untilMs } as const;
  const worst = worstCase(draft.terms, facts);
  const bounds = worst && boundsOfTerms(draft.terms, worst, { ...facts, account, environment: "sandbox" });
  if (bounds === undefined) throw new Error(`no bounds of ${JSON.stringify(request)}`);
  const written = await unwrap(
    store.plans.record<{ readonly why: string }>(
      {
        planId: `plan-01900000-0000-7000-8000-${String(++made).padStart(12, "1")}`,
        ...{ account, terms: draft.terms, state: "active", asked: null, replaces: null },
        mandate: { by: "person", way: "pin", digest: "d", approvedAtMs: nowMs, slippagePct: "3", bounds },
        progress: request.trail === undefined ? {} : { high: won(104) },
        ...{ createdAtMs: nowMs, notices: [], steps: [], ...more, untilMs },
      },
      () => undefined,
    ),
  );
  if (!("written" in written)) throw new Error(`not recorded: ${JSON.stringify(written)}`);
  return written.written;
}

function unwrapped<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: object },
) {
  if (!result.ok) throw new Error(JSON.stringify(result.fault));
  return result.value;
}

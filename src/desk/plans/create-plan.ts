/**
 * Makes a plan, or tells what would be made. So far alerts on a price, which need no person: they trade never.
 *
 * Invariants: what is recorded was checked in the transaction that records it; the same request within ten minutes is the same plan, also where both came at
 * once; a preview records nothing.
 *
 * Source: decision 0108.
 */
import {
  canonicalJson,
  type Fault,
  failed,
  localFault,
  type Market,
  ok,
  quoted,
  type Result,
} from "../../contract/index.ts";
import { inUnit, quantity } from "../../decimal/index.ts";
import type { DeskContext, ReadingParts } from "../core/context.ts";
import { localTime } from "../core/local-time.ts";
import { judgedMarket } from "../market/judged-market.ts";
import { type Quotes, quotesOf } from "../market/order-value.ts";
import { withoutOwn } from "../market/own-orders.ts";
import type { PlanRecord, PlanRequest } from "../model/plan.ts";
import type { PlanActor, PlanWriteReport } from "../model/plan-report.ts";
import type { Policy } from "../model/policy.ts";
import type { PlanBook } from "../ports/plan-book.ts";
import { planDenialFault } from "../risk/protective-sell.ts";
import { planView, previewView, refusedWrite } from "./plan-view.ts";
import { checkPlanLimits } from "./terms/plan-limits.ts";
import { type PlanDraft, planDraft } from "./terms/terms.ts";
import { worstCase } from "./terms/worst-case.ts";

/** So long the same request is the same plan. */
const TWIN_MS = 10 * 60_000;
/** A process that stays notices a new plan within a second. */
const NOTICED_MS = 2_500;
const LOOK_EVERY_MS = 250;

interface Asked {
  readonly account: string;
  readonly policy: Policy;
  readonly draft: PlanDraft;
}

type Refusal = { readonly twin: PlanRecord } | { readonly fault: Fault };

export class CreatePlan {
  readonly #context: DeskContext;
  readonly #parts: ReadingParts;
  readonly #book: PlanBook;

  constructor(context: DeskContext, book: PlanBook) {
    const { parts } = context;
    this.#context = context;
    this.#parts = parts;
    this.#book = book;
  }

  async create(request: PlanRequest, by: PlanActor): Promise<PlanWriteReport> {
    const asked = await this.#asked(request);
    if (!asked.ok) return refusedWrite(this.#context, asked.fault);
    const { account, draft } = asked.value;
    const { clock, ids } = this.#parts;
    const planId = `plan-${ids.intentId()}`;
    const createdAtMs = clock.now();
    const replaces = request.replaces ?? null;
    const recorded = await this.#book.record<Refusal>(
      {
        ...{ planId, account, terms: draft.terms, state: "active", mandate: null, progress: {}, asked: null, replaces },
        ...{ untilMs: draft.untilMs, createdAtMs, steps: [] },
        notices: [{ type: "plan.active", key: "1", body: { state: "active", by } }],
      },
      ({ open }) => {
        const twin = twinOf(open, draft, replaces, createdAtMs);
        return twin === undefined ? limited(asked.value, open, replaces) : { twin };
      },
    );
    if (!recorded.ok) return refusedWrite(this.#context, recorded.fault);
    if ("written" in recorded.value) return this.#made(recorded.value.written, draft.warnings);
    if ("blocked" in recorded.value)
      return refusedWrite(this.#context, recorded.value.blocked === "halted" ? haltedFault() : unreplaceable(replaces));
    const { refused } = recorded.value;
    if ("fault" in refused) return refusedWrite(this.#context, refused.fault);
    return this.#made(refused.twin, [
      ...draft.warnings,
      `The same was asked for at ${new Date(refused.twin.createdAtMs).toISOString()}: this is that plan, and no second one was made.`,
    ]);
  }

  async preview(request: PlanRequest): Promise<PlanWriteReport> {
    const asked = await this.#asked(request);
    if (!asked.ok) return refusedWrite(this.#context, asked.fault);
    const { account, draft } = asked.value;
    const open = await this.#book.open(account);
    if (!open.ok) return refusedWrite(this.#context, open.fault);
    const against = limited(asked.value, open.value, request.replaces ?? null);
    if (against !== undefined) return refusedWrite(this.#context, against.fault);
    const { terms, untilMs, warnings } = draft;
    const state = "preview" as const;
    return { outcome: "not_sent", state, plan: previewView(terms, untilMs), warnings, ...this.#context.stamp() };
  }

  /** What is asked for, with all that it is held against, as it is now. */
  async #asked(request: PlanRequest): Promise<Result<Asked>> {
    const unoffered = unofferedFault(request);
    if (unoffered !== undefined) return failed(unoffered);
    const { clock, venue, policy: source, timeZone } = this.#parts;
    // Whether the exchange is one to practise on is known by then, and with it what holds where the file says nothing.
    const account = await this.#context.account();
    if (!account.ok) return account;
    const policy = source.read();
    if (!policy.ok) return policy;
    const market = await this.#market(request.symbol);
    if (!market.ok) return market;
    const quotes = market.value === undefined ? ok({}) : await this.#quotes(market.value, policy.value);
    if (!quotes.ok) return quotes;
    const nowMs = Math.round(clock.now() + (venue.clockOffsetMs() ?? 0));
    const draft = planDraft(request, {
      ...{ market: market.value, quotes: { bid: undefined, ask: undefined, ...quotes.value }, policy: policy.value },
      // An alert is no share of what is held, and no distance of it is held against ordinary movement.
      ...{ available: quantity("0"), candles: [] },
      timeZone: localTime(nowMs, timeZone).timezone,
      nowMs,
    });
    return draft.ok ? ok({ account: account.value, policy: policy.value, draft: draft.value }) : draft;
  }

  async #market(symbol: string | undefined): Promise<Result<Market | undefined>> {
    return symbol === undefined ? ok(undefined) : this.#context.market(symbol, "taken");
  }

  /** Best prices of others. */
  async #quotes({ symbol }: Market, policy: Policy): Promise<Result<Pick<Quotes, "bid" | "ask">>> {
    const judged = await judgedMarket(this.#context, symbol, policy);
    if (!judged.ok) return judged;
    const { book, ownOrders } = judged.value;
    return ok(quotesOf(withoutOwn(book, ownOrders === "too many" ? [] : ownOrders)));
  }

  async #made(plan: PlanRecord, warnings: readonly string[]): Promise<PlanWriteReport> {
    const isWatched = this.#parts.endsAfterCommand !== true || (await this.#isNoticed(plan));
    return {
      ...{ outcome: "accepted", state: plan.state, plan: planView(plan), ...this.#context.stamp() },
      warnings: isWatched ? warnings : [...warnings, this.#nobodyWatches],
    };
  }

  get #nobodyWatches(): string {
    const { terminal } = this.#context;
    const [start, install] = [terminal.command("start"), terminal.command("service", "install")];
    return `No hoga server of this profile runs, and until one does nobody watches: a person starts it with \`${start}\`, or for good with \`${install}\`.`;
  }

  /** Whether a process that stays looks after the account's plans: one begins to when there is one. */
  async #isNoticed({ account }: PlanRecord): Promise<boolean> {
    const { clock } = this.#parts;
    const askedAtMs = clock.now();
    for (let waitedMs = 0; waitedMs <= NOTICED_MS; waitedMs += LOOK_EVERY_MS) {
      const watch = await this.#book.watch(account);
      if (watch.ok && (watch.value?.seenMs ?? 0) >= askedAtMs) return true;
      await clock.sleep(LOOK_EVERY_MS);
    }
    return false;
  }
}

/** What no process looks after yet is not taken. */
function unofferedFault({ kind }: PlanRequest): Fault | undefined {
  if (kind !== "alert")
    return localFault("ELocal:Invalid input", {
      field: "kind",
      message: `There is no plan of kind ${quoted(kind, 40)} so far: kind is alert. Nothing was recorded.`,
    });
  return undefined;
}

/** The plan that the same request has made lately. */
function twinOf(
  open: readonly PlanRecord[],
  { terms, untilMs }: PlanDraft,
  replaces: string | null,
  nowMs: number,
): PlanRecord | undefined {
  const text = canonicalJson(terms);
  return open.find(
    (plan) =>
      Math.abs(nowMs - plan.createdAtMs) <= TWIN_MS &&
      // An end that was left out is counted from each request.
      Math.abs(untilMs - plan.untilMs) <= TWIN_MS &&
      plan.replaces === replaces &&
      canonicalJson(plan.terms) === text,
  );
}

function limited(
  { policy, draft }: Pick<Asked, "policy" | "draft">,
  open: readonly PlanRecord[],
  replaces: string | null,
): { readonly fault: Fault } | undefined {
  const others = open.filter(({ planId }) => planId !== replaces);
  if (replaces !== null && others.length === open.length) return { fault: unreplaceable(replaces) };
  const alerts = others.filter(({ terms }) => terms.kind === "alert").length;
  const worst = worstCase(draft.terms, {
    ...{ market: undefined, quotes: { bid: undefined, ask: undefined }, unit: policy.unit, rules: policy.plans },
    ...{ fromMs: 0, untilMs: draft.untilMs },
  });
  if (worst === undefined) throw new Error("an alert comes to nothing, whatever its market");
  const found = checkPlanLimits({
    ...{ terms: draft.terms, worst, policy, open: { plans: others.length - alerts, alerts } },
    // It takes nothing of the day.
    usedOfDay: inUnit("0"),
  });
  return found && { fault: planDenialFault(found.denial, found.line) };
}

function haltedFault(): Fault {
  return localFault("ELocal:Trading halted", {
    message: "Trading is halted, so no plan begins. Nothing was recorded.",
  });
}

function unreplaceable(planId: string | null): Fault {
  return localFault("ELocal:Unknown plan", {
    field: "replaces",
    message: `The account has no plan ${quoted(planId ?? "", 60)} whose place another could take: it may have ended. Nothing was recorded.`,
  });
}

/**
 * Takes the turns and pieces that are due, each within its time.
 *
 * Invariants: what is due is said by the exchange's clock; what came too late is told and not made up; what is denied by what passes, or could not be asked, is
 * tried again, as long as its time is not over, and told where that lasts; what is denied for good makes the plan wait for a person; a plan of which nothing is
 * left to come is done.
 *
 * Source: decision 0106; decision 0111; decision 0130.
 */
import { type CreateOrderBody, defined, type Fault, type Market } from "../../../contract/index.ts";
import { withTimeout } from "../../core/attempt.ts";
import type { DeskContext, ReadingParts } from "../../core/context.ts";
import type { ChildOrders, ChildOutcome, ChildReason, ChildRequest } from "../../execution/place-child.ts";
import type { PlanRecord, PlanStep } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import type { PlanBook, PlanChange } from "../../ports/plan-book.ts";
import { symbolOf } from "../plan-view.ts";
import { basketActNow } from "./basket-order.ts";
import { deniedNotice, goesOn, leftSaid, overWhy, stepBody, sumsOf } from "./calendar-ending.ts";
import { HeldUpSteps, unsentWhy } from "./held-up-steps.ts";
import { asksForKey } from "./hindrances.ts";
import type { PlanDefects } from "./plan-defects.ts";
import { PolicyNow } from "./policy-now.ts";
import { moveNotice } from "./settle-steps.ts";
import {
  isLate,
  isOfCalendar,
  lessCarried,
  marketNow,
  type OfCalendar,
  orderOf,
  type StepSize,
  sizeOf,
} from "./step-order.ts";

/** More steps than any plan has. */
const STEPS_MAX = 400;
/** An exchange that is well answers within that. */
const TURN_MS = 2_000;

/** So often at once a price is reckoned anew where the market has moved by the time that it is judged. */
const PRICE_TRIES = 3;

export interface CalendarParts {
  readonly context: DeskContext;
  readonly book: PlanBook;
  readonly children: ChildOrders;
  readonly defects: PlanDefects;
}

/** What all plans that are looked at together are looked at by. */
export interface StepsDue {
  /** What of all of them is due; undefined where that is not known. */
  readonly due: () => Promise<readonly PlanStep[] | undefined>;
  /** The exchange's time at that moment, Unix milliseconds; undefined where it is not known. */
  readonly exchangeMs: () => number | undefined;
  /** Asked before anything leaves. */
  readonly mayAct: () => boolean;
}

type Placing = (order: ChildRequest["order"]) => Promise<ChildOutcome>;
type OfSizes = Parameters<typeof sizeOf>[0];

export class CalendarSteps {
  readonly #parts: CalendarParts;
  readonly #desk: ReadingParts;
  readonly #held: HeldUpSteps;
  /** The version of a plan of which it is known that something is left to come. */
  readonly #unfinished = new Map<string, number>();
  readonly #policy: PolicyNow;
  /** The order that was given its turn last, until it is over; neither rejects. */
  #last: { readonly begun: Promise<unknown>; readonly done: Promise<unknown> } | undefined;

  constructor(parts: CalendarParts) {
    const { parts: desk } = parts.context;
    this.#parts = parts;
    this.#desk = desk;
    this.#policy = new PolicyNow(desk);
    this.#held = new HeldUpSteps(desk.clock);
  }

  /** @param open all that have not ended */
  async due(open: readonly PlanRecord[], exchangeMs: number | undefined): Promise<readonly PlanStep[] | undefined> {
    const [first, ...others] = open.filter(isOfCalendar);
    if (first === undefined || exchangeMs === undefined) return undefined;
    const due = await this.#parts.book.due(first.account, exchangeMs, (1 + others.length) * STEPS_MAX);
    return due.ok ? due.value : undefined;
  }

  /**
   * @param plan one that is active
   * @returns it as it is now, where something was written of it
   */
  async look(plan: OfCalendar, at: StepsDue): Promise<PlanRecord | undefined> {
    const { planId } = plan;
    const { defects } = this.#parts;
    if (defects.isLeft(planId)) return undefined;
    try {
      const due = await at.due();
      if (due === undefined) return undefined;
      const own = due.filter((step) => step.planId === planId);
      const after = await (own.length === 0 ? this.#finish(plan) : this.#take(plan, own, at));
      defects.clear(planId);
      return after;
    } catch (error) {
      defects.note(planId, error);
      return undefined;
    }
  }

  async #take(
    plan: OfCalendar,
    due: readonly PlanStep[],
    { exchangeMs, mayAct }: Pick<StepsDue, "exchangeMs" | "mayAct">,
  ): Promise<PlanRecord | undefined> {
    const now = this.#policy.read();
    if (now === undefined) return undefined;
    if ("unreadable" in now) return this.#unreadable(plan, now.unreadable);
    const nowMs = exchangeMs();
    if (nowMs === undefined) return undefined;
    const isLateAt = (step: PlanStep, atMs: number): boolean => isLate(plan.terms, step, atMs, now.policy.plans);
    const late = due.filter((step) => isLateAt(step, nowMs));
    const missed = late.length === 0 ? undefined : await this.#missed(plan, late);
    const next = this.#nextOf(
      plan,
      due.filter((step) => !late.includes(step)),
    );
    // What is written of the plan is of the version that was read.
    if (late.length > 0 || next === undefined || plan.openStep !== null) return missed;
    if (this.#held.waits(next)) return this.#tellHeldUp(plan, next);
    // What is asked for an order may take long, as may the wait for its turn.
    const reason = (): ChildReason | undefined => {
      const atMs = exchangeMs();
      return atMs !== undefined && mayAct() && !isLateAt(next, atMs) ? { exchangeMs: atMs } : undefined;
    };
    return this.#inTurn(async () => {
      const then = this.#policy.read();
      if (reason() === undefined || then === undefined || "unreadable" in then) return undefined;
      return this.#place(plan, next, then.policy, reason);
    });
  }

  /** One behind the other, as each takes of what the next is judged by; but none waits for long, as an exchange may not answer. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#desk;
    const before = this.#last;
    const begun = before?.begun.then(() => withTimeout(clock, TURN_MS, before.done)) ?? Promise.resolve();
    const placed = begun.then(work);
    const done = placed.catch(() => undefined);
    const own = { begun, done };
    this.#last = own;
    void done.then(() => {
      if (this.#last === own) this.#last = undefined;
    });
    return placed;
  }

  /** Of a basket any that may come now: a sell as long as there is one, whatever holds up another. */
  #nextOf({ terms }: OfCalendar, due: readonly PlanStep[]): PlanStep | undefined {
    if (terms.kind !== "rebalance") return due[0];
    const inTurn = [...due].sort((a, b) => a.step - b.step);
    const sells = inTurn.filter(({ side }) => side === "sell");
    const may = sells.length > 0 ? sells : inTurn;
    return may.find((step) => !this.#held.waits(step)) ?? may[0];
  }

  async #tellHeldUp(plan: OfCalendar, step: PlanStep): Promise<PlanRecord | undefined> {
    const notice = this.#held.notice(step, stepBody(step));
    if (notice === undefined) return undefined;
    const written = await this.#change(plan, { notices: [notice] });
    if (written !== undefined) this.#held.told(step);
    return written;
  }

  async #place(
    plan: OfCalendar,
    step: PlanStep,
    policy: Policy,
    reason: ChildRequest["reason"],
  ): Promise<PlanRecord | undefined> {
    const { book, children, context } = this.#parts;
    // An order that the exchange refuses is over: that its market takes orders is asked anew, as what is known of it is some seconds old.
    const [fresh, before] = await Promise.all([context.markets(undefined, 0), book.children(plan.planId)]);
    const market = fresh.ok ? await context.market(step.symbol, "proposed") : fresh;
    if (!market.ok) return this.#unsure(plan, step, market.fault);
    if (!before.ok) return this.#unsure(plan, step, before.fault);
    const place: Placing = (order) => children.place({ plan, step: step.step, order, reason });
    const { terms } = plan;
    const at = { market: market.value, children: before.value };
    if (terms.kind !== "rebalance") {
      const size = sizeOf(terms, step.step, at.market, at.children);
      return this.#outcome(plan, step, await this.#sized(terms, size, { market: at.market, policy }, place));
    }
    const act = await basketActNow(context, terms, step, at);
    if (!act.ok) return this.#unsure(plan, step, act.fault);
    if ("nothing" in act.value) return this.#dropped(plan, step, { message: act.value.nothing }, "skipped");
    return this.#outcome(plan, step, await place(act.value.order));
  }

  /**
   * What is denied for good with what it carries is tried with less of that; what is left so goes to no other piece. Where the market has moved away from its
   * price by the time that it is judged, that is reckoned anew.
   */
  async #sized(terms: OfSizes, size: StepSize, by: JudgedBy, place: Placing, tries = 1): Promise<ChildOutcome> {
    const now = await marketNow(this.#parts.context, terms, by.market, by.policy);
    if (!now.ok) return { kind: "unsure", fault: now.fault };
    const order = orderOf(terms, size.carrying, { market: by.market, now: now.value });
    const outcome = await place(order);
    if (outcome.kind !== "denied") return outcome;
    if (tries < PRICE_TRIES && isOutrun(terms, order, outcome.fault))
      return this.#sized(terms, size, by, place, tries + 1);
    const less = outcome.passes ? undefined : lessCarried(terms, size, outcome.fault, by.market);
    return less === undefined ? outcome : this.#sized(terms, less, by, place, tries);
  }

  async #outcome(plan: OfCalendar, step: PlanStep, outcome: ChildOutcome): Promise<PlanRecord | undefined> {
    switch (outcome.kind) {
      case "claimed":
        this.#held.over(step);
        return outcome.plan;
      case "denied":
        if (!outcome.passes) return this.#denied(plan, step, outcome);
        this.#held.hold(step, outcome.fault, true);
        return undefined;
      case "unsure":
        return this.#unsure(plan, step, outcome.fault);
      case "known_there":
        return this.#attention(plan, outcome.fault.message);
      case "blocked":
        return undefined;
      default:
        return outcome satisfies never;
    }
  }

  /** It may be asked in a moment, but for what another key is needed for. */
  async #unsure(plan: OfCalendar, step: PlanStep, fault: Fault): Promise<PlanRecord | undefined> {
    if (asksForKey(fault)) return this.#attention(plan, unsentWhy(fault));
    this.#held.hold(step, fault, false);
    return undefined;
  }

  /** One notice for all. */
  async #missed(plan: OfCalendar, late: readonly PlanStep[]): Promise<PlanRecord | undefined> {
    const held = late.map((step) => this.#held.whyOf(step)).find((each) => each !== undefined);
    const why =
      held === undefined
        ? "Nobody looked after it in time."
        : `It could not be sent in time (${held.code}). ${held.message}`;
    const steps = late.map(({ step }) => step);
    const labels = late.flatMap(({ label }) => label ?? []);
    const [first, last] = [steps[0], steps.at(-1)];
    const body = {
      ...{ state: "missed", ...defined({ symbol: symbolOf(plan.terms) }), count: steps.length, steps, why },
      ...(labels.length > 0 && { labels }),
    };
    const written = await this.#change(plan, {
      dropped: { steps, to: "missed", why },
      notices: [{ type: "plan.step_missed", key: `${first} to ${last}`, body }],
    });
    if (written !== undefined) for (const step of late) this.#held.over(step);
    return written;
  }

  /** Its next would be denied as well, as a rule. */
  #denied(
    plan: OfCalendar,
    step: PlanStep,
    { fault, denied }: Extract<ChildOutcome, { kind: "denied" }>,
  ): Promise<PlanRecord | undefined> {
    if (goesOn(plan, fault)) return this.#dropped(plan, step, fault, "denied");
    this.#held.over(step);
    const why = fault.message;
    return this.#change(plan, {
      to: "attention",
      dropped: { steps: [step.step], to: "denied", why },
      progress: { ...plan.progress, why, denied },
      notices: [deniedNotice(plan, step, fault)],
    });
  }

  #dropped(
    plan: OfCalendar,
    step: PlanStep,
    { message: why, rule }: Pick<Fault, "message" | "rule">,
    to: "denied" | "skipped",
  ): Promise<PlanRecord | undefined> {
    this.#held.over(step);
    const body = { state: to, ...stepBody(step), why, ...defined({ rule }) };
    return this.#change(plan, {
      dropped: { steps: [step.step], to, why },
      notices: [{ type: "plan.step_missed", key: String(step.step), body }],
    });
  }

  #attention(plan: OfCalendar, why: string): Promise<PlanRecord | undefined> {
    const progress = { ...plan.progress, why };
    return this.#change(plan, { to: "attention", progress, notices: [moveNotice(plan, "attention", why)] });
  }

  #unreadable(plan: OfCalendar, { message }: Fault): Promise<PlanRecord | undefined> {
    return this.#attention(plan, `The file of limits cannot be read, so no order of it may leave. ${message}`);
  }

  /** Nothing of it is due: it may be that nothing is left to come. */
  async #finish(plan: OfCalendar): Promise<PlanRecord | undefined> {
    const { book } = this.#parts;
    const { planId, version, openStep } = plan;
    if (openStep !== null || this.#unfinished.get(planId) === version) return undefined;
    const [steps, children] = await Promise.all([book.steps(planId, STEPS_MAX), book.children(planId)]);
    if (!steps.ok || !children.ok) return undefined;
    if (steps.value.some(({ state }) => state === "planned" || state === "claimed" || state === "unknown")) {
      this.#unfinished.set(planId, version);
      return undefined;
    }
    this.#unfinished.delete(planId);
    const count = (of: PlanStep["state"]): number => steps.value.filter(({ state }) => state === of).length;
    const why = [overWhy(steps.value), ...leftSaid(plan.terms, children.value)].join(" ");
    const notice = moveNotice(plan, "done", why);
    const counts = {
      done: count("done"),
      missed: count("missed"),
      denied: count("denied"),
      rejected: count("rejected"),
    };
    const came = { steps: steps.value.length, ...counts };
    const body = { ...notice.body, ...came, ...sumsOf(plan.terms, children.value) };
    return this.#change(plan, { to: "done", progress: { ...plan.progress, why }, notices: [{ ...notice, body }] });
  }

  async #change(
    { planId, version }: PlanRecord,
    change: Omit<PlanChange, "planId" | "version" | "atMs">,
  ): Promise<PlanRecord | undefined> {
    const atMs = this.#desk.clock.now();
    const changed = await this.#parts.book.change({ planId, version, ...change, atMs });
    return changed.ok && "written" in changed.value ? changed.value.written : undefined;
  }
}

interface JudgedBy {
  readonly market: Market;
  readonly policy: Policy;
}

/** Tells whether the price was reckoned by a market that has moved away since: a limit that is given is what it is. */
function isOutrun({ limitPrice }: OfSizes, { price }: Pick<CreateOrderBody, "price">, { rule }: Fault): boolean {
  return price !== limitPrice && rule === "price_collar";
}

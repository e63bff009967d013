/**
 * The order of a protection whose price the market stands at: what is held and what others bid is read, the order that follows is placed, and what keeps it from
 * being placed is written down.
 *
 * Invariants: nothing is read of the account before the market would buy at the plan's price; what is written of a plan asks for the version that was judged, so
 * of many processes one claims; what cannot go on alone waits for a person, with the reason in words; what may pass is told once, and watched on.
 *
 * Entry point: `ProtectionSale`. Source: decision 0112.
 */
import { type Fault, failed, localFault, type Market, ok, type Result } from "../../../contract/index.ts";
import { notionalOf, type Price, price, type Quantity, quantity } from "../../../decimal/index.ts";
import { withTimeout } from "../../core/attempt.ts";
import type { DeskContext, ReadingParts } from "../../core/context.ts";
import type { ChildOrders, ChildOutcome, ChildReason } from "../../execution/place-child.ts";
import { judgedMarket } from "../../market/judged-market.ts";
import { quotesOf } from "../../market/order-value.ts";
import { withoutOwn } from "../../market/own-orders.ts";
import { counted, MONEY_LIMITS } from "../../model/account-usage.ts";
import type { IntentRecord } from "../../model/intent.ts";
import type { PlanRecord, ProtectionTerms } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import type { PlanBook } from "../../ports/plan-book.ts";
import type { Triggered } from "../watch/waiting-plans.ts";
import { hinderedWhy, LastingFaults, UNREAD } from "./hindrances.ts";
import { PlanNotes } from "./plan-notes.ts";
import { PolicyNow, UNREADABLE_WHY } from "./policy-now.ts";
import {
  ATTEMPT_APART_MS,
  nextAct,
  type ProtectionAct,
  type ProtectionFacts,
  type ProtectionLeg,
} from "./protection-act.ts";
import { baseOf } from "./protection-ending.ts";
import { levelDetail, sampleDetail } from "./trigger-detail.ts";

export interface ProtectionParts {
  readonly context: DeskContext;
  readonly book: PlanBook;
  readonly children: ChildOrders;
}

export type Protecting = PlanRecord & { readonly terms: ProtectionTerms };

export interface Standing {
  readonly triggered: Triggered & { readonly leg: ProtectionLeg };
  /** The exchange's time, Unix milliseconds. */
  readonly exchangeMs: number;
}

/** A protection whose price the market stands at. */
export interface DueSale extends Pick<Standing, "triggered"> {
  readonly plan: Protecting;
  /** The exchange's time, Unix milliseconds, as is the next. */
  readonly nowMs: number;
  /** When an order of it was last tried. */
  readonly triedAtMs: number | undefined;
  /** What the market shows now, as long as it still does, and may be acted on; asked before anything leaves. */
  readonly standing: () => Standing | undefined;
}

/** When it is looked at again, from now. `claimed`: an order was tried. */
export interface NextLook {
  readonly inMs: number;
  readonly claimed?: true;
}

/** What it came to; `hindered`: something could not be asked, or is not known. */
type Tried = NextLook | { readonly hindered: Fault };

/** Nobody buys, or something could not be asked. */
const SOON: NextLook = { inMs: 1_000 };
/** Denied by what may pass: judged again, which costs a look at the balance. */
const DENIED: NextLook = { inMs: 5_000 };
/** Longer waits nobody. */
export const LONGEST_MS = DENIED.inMs;
/** So often at once its order is reckoned anew. */
const TRIES = 3;
/** So often in a row its order is denied before that is told. */
const DENIED_TOLD = 4;
const NAMED_MAX = 3;

const NOTHING = quantity("0");
const BELOW_FLOOR_WHY = "The market is below its floor, so nothing is sold.";
const UNSENT = "Its price has come, and no order of it could leave";

interface Judged extends DueSale {
  readonly market: Market;
  readonly children: readonly IntentRecord[];
}

/** Sells that are on their way to the exchange, by coin: what is free does not show yet what they take. */
class SellsOnWay {
  readonly #sells = new Map<string, Map<Promise<unknown>, Quantity>>();

  /** @returns settles when those have an answer that leave too few coins for one more; undefined where there are enough for all */
  inTheWay(base: string, volume: Quantity, available: Quantity): Promise<unknown> | undefined {
    const others = this.#sells.get(base);
    if (others === undefined || others.size === 0) return undefined;
    const all = [...others.values()].reduce((sum, each) => sum.plus(each), volume);
    return all.lte(available) ? undefined : Promise.allSettled(others.keys());
  }

  async during<T>(base: string, volume: Quantity, placing: Promise<T>): Promise<T> {
    const others = this.#sells.get(base) ?? new Map<Promise<unknown>, Quantity>();
    this.#sells.set(base, others.set(placing, volume));
    try {
      return await placing;
    } finally {
      others.delete(placing);
    }
  }
}

export class ProtectionSale {
  readonly #onWay = new SellsOnWay();
  readonly #parts: ProtectionParts;
  readonly #desk: ReadingParts;
  readonly #notes: PlanNotes;
  readonly #policy: PolicyNow;
  readonly #faults: LastingFaults;
  /** How often in a row its order was denied by what may pass. */
  readonly #denied = new Map<string, number>();

  constructor(parts: ProtectionParts) {
    const { parts: desk } = parts.context;
    this.#parts = parts;
    this.#desk = desk;
    this.#notes = new PlanNotes(parts);
    this.#policy = new PolicyNow(desk);
    this.#faults = new LastingFaults(desk.clock);
  }

  async attempt(sale: DueSale): Promise<NextLook> {
    const begunMs = this.#desk.clock.rising();
    const tried = await this.#try(sale);
    if ("hindered" in tried) return this.#hindered(sale, tried.hindered, begunMs);
    this.#faults.over(sale.plan.planId);
    return tried;
  }

  /** What lasts is told, and where it cannot pass by itself a person has to look. */
  async #hindered({ plan, triggered }: DueSale, fault: Fault, begunMs: number): Promise<NextLook> {
    const lasts = this.#faults.noted(plan.planId, fault, begunMs);
    const why = hinderedWhy(UNSENT, fault);
    if (lasts === "for_good") return this.#attention(plan, why);
    if (lasts === "lasting") await this.#tellUnsent(plan, triggered, { what: UNREAD, why });
    return SOON;
  }

  async #try(sale: DueSale): Promise<Tried> {
    const { context, book } = this.#parts;
    const { plan, triggered } = sale;
    const now = this.#policy.read();
    if (now === undefined) return SOON;
    if ("unreadable" in now) return this.#attention(plan, UNREADABLE_WHY);
    const { policy } = now;
    const [market, children] = [await context.market(plan.terms.symbol, "proposed"), await book.children(plan.planId)];
    if (!market.ok) return { hindered: market.fault };
    if (!children.ok) return { hindered: children.fault };
    const judged = { ...sale, market: market.value, children: children.value };
    // Supposing that all of it is held: where that sells nothing, nothing else has to be asked.
    const held = { available: quantity(plan.terms.volume), locked: NOTHING };
    const act = nextAct(plan, children.value, factsOf(judged, policy, held, triggered.last.bid));
    return act.kind === "sell" ? this.#approach(judged, policy) : this.#follow(judged, act);
  }

  /** By what is held and bid now, and at once again where others bid more, or have taken coins, by the time that it is judged. */
  async #approach(judged: Judged, policy: Policy): Promise<Tried> {
    const { plan, market, children, standing } = judged;
    let hasWaited = false;
    for (let tries = 1; tries <= TRIES; tries++) {
      const held = await this.#held(market);
      if (!held.ok) return { hindered: held.fault };
      const bid = await this.#bid(market, policy);
      if (!bid.ok) return { hindered: bid.fault };
      if (standing() === undefined) return SOON;
      const act = nextAct(plan, children, factsOf(judged, policy, held.value, bid.value));
      if (act.kind !== "sell") return this.#follow({ ...judged, plan: await this.#notes.over(plan, UNREAD) }, act);
      const { volume = "0" } = act.order;
      const ahead = this.#onWay.inTheWay(market.base, quantity(volume), held.value.available);
      if (ahead !== undefined && !hasWaited) {
        // Once, as what is free may have lost already what they take.
        hasWaited = true;
        await withTimeout(this.#desk.clock, ATTEMPT_APART_MS, ahead);
        tries -= 1;
        continue;
      }
      const outcome = await this.#onWay.during(market.base, quantity(volume), this.#place(judged, act));
      if (outcome.kind !== "denied" || outcome.fault.rule !== "protective" || tries === TRIES)
        return this.#after(judged, outcome);
    }
    return SOON;
  }

  async #held({ base }: Market): Promise<Result<Pick<ProtectionFacts, "available" | "locked">>> {
    const accounts = await this.#desk.venue.accounts();
    if (!accounts.ok) return accounts;
    const { available = "0", locked = "0" } = accounts.value.balances.find(({ asset }) => asset === base) ?? {};
    return ok({ available: quantity(available), locked: quantity(locked) });
  }

  /** The best bid of others; undefined where nobody else buys. */
  async #bid({ symbol }: Market, policy: Policy): Promise<Result<Price | undefined>> {
    const judged = await judgedMarket(this.#parts.context, symbol, policy);
    if (!judged.ok) return judged;
    const { book, ownOrders } = judged.value;
    if (ownOrders === "too many")
      return failed(
        localFault("ELocal:Not checked", { message: "Too many own orders are open to tell those of others." }),
      );
    return ok(quotesOf(withoutOwn(book, ownOrders)).bid);
  }

  /** What follows where no order does. */
  async #follow(
    { plan, triggered, children }: Judged,
    act: Exclude<ProtectionAct, { readonly kind: "sell" }>,
  ): Promise<NextLook> {
    switch (act.kind) {
      case "wait":
      case "no_bid":
        return SOON;
      case "below_floor": {
        const { bid, floor } = act;
        const told = { leg: triggered.leg, what: "below_floor", why: BELOW_FLOOR_WHY, floor };
        await this.#notes.tellOnce(plan, told, "plan.below_floor", { ...levelDetail(triggered), bid, floor });
        return SOON;
      }
      case "locked":
        return this.#attention(plan, await this.#lockedWhy(plan.terms, act.volume));
      case "spent":
        await this.#notes.spent(plan, children);
        return SOON;
      case "nothing_left":
        await this.#notes.done(plan, children);
        return SOON;
      default:
        return act satisfies never;
    }
  }

  async #place(
    { plan, standing, market: { symbol } }: Judged,
    { order, floor, progress }: Extract<ProtectionAct, { readonly kind: "sell" }>,
  ): Promise<ChildOutcome> {
    const { book, children, context } = this.#parts;
    const steps = await book.steps(plan.planId, 1);
    if (!steps.ok) return { kind: "unsure", fault: steps.fault };
    const step = (steps.value[0]?.step ?? 0) + 1;
    const { price: at = "0", volume = "0" } = order;
    const worth = counted(notionalOf(price(at), quantity(volume)), context.unit);
    return children.place({
      ...{ plan, step, order, floor, progress },
      adds: { symbol, side: "sell", worstValue: worth.toString(), unit: context.unit, volume },
      reason: () => {
        const now = standing();
        return now && { exchangeMs: now.exchangeMs, ...toldOf(now.triggered, symbol, step) };
      },
    });
  }

  async #after(judged: Judged, outcome: ChildOutcome): Promise<Tried> {
    const { plan } = judged;
    switch (outcome.kind) {
      case "claimed":
        this.#denied.delete(plan.planId);
        return { inMs: ATTEMPT_APART_MS, claimed: true };
      case "denied":
        if (outcome.passes || isOfUnknownHolding(outcome.fault)) return this.#deniedNow(judged, outcome.fault);
        await this.#notes.attention(plan, outcome.fault.message, outcome.denied);
        return SOON;
      case "known_there":
        return this.#attention(plan, outcome.fault.message);
      case "blocked":
        // Where another process has claimed it meanwhile, the plan has gone on, and nothing is written.
        if (outcome.block === "taken") return this.#attention(plan, "Another order has the name of its next one.");
        return SOON;
      case "unsure":
        return { hindered: outcome.fault };
      default:
        return outcome satisfies never;
    }
  }

  /** What may pass is told where it comes again. */
  async #deniedNow({ plan, triggered }: Judged, fault: Fault): Promise<NextLook> {
    const denied = (this.#denied.get(plan.planId) ?? 0) + 1;
    this.#denied.set(plan.planId, denied);
    if (denied < DENIED_TOLD) return SOON;
    await this.#tellUnsent(plan, triggered, { what: fault.rule ?? fault.code, why: hinderedWhy(UNSENT, fault) });
    return DENIED;
  }

  async #tellUnsent(
    plan: Protecting,
    triggered: DueSale["triggered"],
    { what, why }: { readonly what: string; readonly why: string },
  ): Promise<void> {
    const { leg } = triggered;
    const body = { ...levelDetail(triggered), why, sent: false };
    await this.#notes.tellOnce(plan, { leg, what, why }, "plan.triggered", body);
  }

  async #attention(plan: Protecting, why: string): Promise<NextLook> {
    await this.#notes.attention(plan, why);
    return SOON;
  }

  /** Names the orders that have the coins. */
  async #lockedWhy(terms: ProtectionTerms, volume: string): Promise<string> {
    const base = baseOf(terms);
    const open = await this.#desk.venue.orders({ state: "open" });
    const all = open.ok ? open.value.orders : [];
    const ids = all.filter(({ side, symbol }) => side === "sell" && symbol.startsWith(`${base}/`));
    const named = ids.map(({ orderId }) => orderId).slice(0, NAMED_MAX);
    const which = named.length === 0 ? "open orders" : `open order${named.length === 1 ? "" : "s"} ${named.join(", ")}`;
    return `${volume} ${base} that it would sell is locked in ${which}: cancel that, and start the plan again.`;
  }
}

function toldOf(
  triggered: DueSale["triggered"],
  symbol: string,
  step: number,
): Pick<ChildReason, "notices" | "trigger"> {
  const { leg, first, last } = triggered;
  const [seen, now] = [{ symbol, leg, ...levelDetail(triggered) }, sampleDetail(last)];
  return {
    notices: [{ type: "plan.triggered", key: String(step), body: { ...seen, step, ...now } }],
    trigger: { ...seen, first: sampleDetail(first), last: now },
  };
}

function factsOf(
  { triggered: { leg, level, high }, market, nowMs, triedAtMs }: Judged,
  { plans: rules }: Policy,
  held: Pick<ProtectionFacts, "available" | "locked">,
  bid: Price | undefined,
): ProtectionFacts {
  return { leg, level: level.price, high, market, rules, nowMs, triedAtMs, bid, ...held };
}

/** Rules that a mandate answers as long as it is known that the coins are held: where one denies, that could not be asked. */
function isOfUnknownHolding({ rule }: Fault): boolean {
  return rule === "day_loss" || rule === "open_orders" || MONEY_LIMITS.some((limit) => limit === rule);
}

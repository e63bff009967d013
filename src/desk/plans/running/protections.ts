/**
 * Acts on the protections whose price the market stands at: reads what is held and what others bid, and has the order that follows placed.
 *
 * Invariants: nothing is read of the account before the market would buy at the plan's price; what is written of a plan asks for the version that was
 * judged, so of many processes one claims; a high is stored, and never falls; what keeps a plan from selling is told once for as long as the market stands
 * there, and it is watched on; what cannot go on alone waits for a person, with the reason in words.
 *
 * Entry point: `Protections`. Source: decision 0112.
 */
import type { Market } from "../../../contract/index.ts";
import { notionalOf, type Price, price, quantity } from "../../../decimal/index.ts";
import type { DeskContext, ReadingParts } from "../../core/context.ts";
import type { ChildOrders, ChildOutcome } from "../../execution/place-child.ts";
import { judgedMarket } from "../../market/judged-market.ts";
import { quotesOf } from "../../market/order-value.ts";
import { withoutOwn } from "../../market/own-orders.ts";
import { counted } from "../../model/account-usage.ts";
import type { IntentRecord } from "../../model/intent.ts";
import { isProtection, type PlanRecord, type ProtectionTerms } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import type { PlanBook } from "../../ports/plan-book.ts";
import { tickBandsOf } from "../../risk/order-proposals.ts";
import { levelsOf } from "../terms/protection-levels.ts";
import type { MarketWatch } from "../watch/market-watch.ts";
import { type Outcome, type Triggered, type WaitingPlan, waitingPlan } from "../watch/waiting-plans.ts";
import {
  ATTEMPT_APART_MS,
  nextAct,
  type ProtectionAct,
  type ProtectionFacts,
  type ProtectionLeg,
} from "./protection-act.ts";
import { baseOf } from "./protection-ending.ts";
import { ProtectionNotes } from "./protection-notes.ts";
import { levelDetail, sampleDetail } from "./trigger-detail.ts";

export interface ProtectionParts {
  readonly context: DeskContext;
  readonly book: PlanBook;
  readonly children: ChildOrders;
}

/** What the runner knows of the markets that it watches. */
export type Seen = Pick<MarketWatch, "exchangeNowMs" | "market">;

type Protecting = PlanRecord & { readonly terms: ProtectionTerms };
type OfLeg = Triggered & { readonly leg: ProtectionLeg };
type Due = OfLeg & { readonly symbol: string };

/** Tick sizes hardly change. */
const MARKETS_MS = 60_000;
/** Nobody buys, or nothing could be asked: looked again. */
const SOON_MS = 1_000;
/** Denied by what may pass: judged again, which costs a look at the balance. */
const DENIED_MS = 5_000;
/** For so long a file of limits may be unreadable, as while it is being written. */
const UNREADABLE_MS = 60_000;

const NOTHING = quantity("0");

export class Protections {
  readonly #parts: ProtectionParts;
  readonly #desk: ReadingParts;
  readonly #notes: ProtectionNotes;
  /** What stands at its price at this moment, by plan. */
  readonly #due = new Map<string, Due>();
  readonly #risen = new Map<string, Price>();
  readonly #acting = new Map<string, Promise<void>>();
  /** When an order of it was last tried, by the exchange's clock, as is from when on it is looked at again. */
  readonly #triedMs = new Map<string, number>();
  readonly #againMs = new Map<string, number>();
  #markets: ReadonlyMap<string, Market> = new Map();
  /** By `Clock.rising`. */
  #unreadableSinceMs: number | undefined;
  /** Of what went on beside: told by the next look. */
  #defect: { readonly error: unknown } | undefined;

  constructor(parts: ProtectionParts) {
    const { context } = parts;
    this.#parts = parts;
    this.#desk = context.parts;
    this.#notes = new ProtectionNotes(parts);
  }

  /** Learns the markets of these. Where that fails they are as they were; a stop that trails waits until they are known. */
  async prepare(active: readonly PlanRecord[]): Promise<void> {
    if (!active.some(({ terms }) => isProtection(terms))) return;
    const markets = await this.#parts.context.markets(undefined, MARKETS_MS);
    if (markets.ok) this.#markets = new Map(markets.value.map((market) => [market.symbol, market]));
  }

  /** What of a plan waits for a price; undefined where nothing does. */
  waiting(plan: PlanRecord): WaitingPlan | undefined {
    const market = isProtection(plan.terms) ? this.#markets.get(plan.terms.symbol) : undefined;
    if (market === undefined && "high" in plan.progress) return undefined;
    return waitingPlan(plan, market === undefined ? [] : tickBandsOf(market));
  }

  /** Takes what a sample of a market has shown. @returns whether something is to be done that was not before */
  sampled(symbol: string, { triggered, risen }: Outcome): boolean {
    for (const { planId, high } of risen) this.#risen.set(planId, high);
    const standing = new Map(triggered.flatMap((each) => (isOfLeg(each) ? [[each.planId, each]] : [])));
    const isNew = [...standing.keys()].some((planId) => !this.#due.has(planId));
    // A protection acts only as long as the market stands there.
    for (const [planId, due] of this.#due) if (due.symbol === symbol && !standing.has(planId)) this.#due.delete(planId);
    for (const [planId, each] of standing) this.#due.set(planId, { ...each, symbol });
    return isNew;
  }

  /** Looks at nothing, and forgets what it has seen. */
  forget(): void {
    this.#due.clear();
    this.#risen.clear();
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#acting.values());
  }

  /**
   * Stores highs, and begins to act on what stands at its price; that goes on beside.
   * @param mayAct asked before anything leaves
   * @returns the plans as they are now
   */
  async look(active: readonly PlanRecord[], seen: Seen, mayAct: () => boolean): Promise<readonly PlanRecord[]> {
    if (this.#defect !== undefined) throw this.#defect.error;
    const after: PlanRecord[] = [];
    for (const each of active) {
      const plan = isProtecting(each) && !this.#acting.has(each.planId) ? await this.#noted(each, seen) : each;
      after.push(plan);
      if (isProtecting(plan)) this.#begin(plan, seen, mayAct);
    }
    return after;
  }

  #begin(plan: Protecting, seen: Seen, mayAct: () => boolean): void {
    const { planId } = plan;
    const [due, nowMs] = [this.#due.get(planId), seen.exchangeNowMs()];
    if (due === undefined || nowMs === undefined || plan.openStep !== null || this.#acting.has(planId)) return;
    const waitMs = (this.#againMs.get(planId) ?? nowMs) - nowMs;
    // Longer where the exchange's clock has gone back.
    if (waitMs > 0 && waitMs <= DENIED_MS) return;
    const stands = (): boolean => mayAct() && this.#due.get(planId)?.leg === due.leg;
    const acting = this.#act(plan, due, nowMs, stands)
      .catch((error: unknown) => {
        this.#defect ??= { error };
      })
      .finally(() => this.#acting.delete(planId));
    this.#acting.set(planId, acting);
  }

  /** The plan with its new high, and without what was told of a time that is over. */
  async #noted(plan: Protecting, seen: Seen): Promise<PlanRecord> {
    const { planId, terms, progress } = plan;
    const [risen, sample] = [this.#risen.get(planId), seen.market(terms.symbol)?.sample];
    const isHigher = risen?.gt(price(progress.high ?? "0")) === true && progress.latchedAtMs === undefined;
    const { told, ...kept } = progress;
    const isOver = told !== undefined && sample !== undefined && this.#isAway(plan, told.leg, sample);
    if (!isHigher && !isOver) {
      this.#risen.delete(planId);
      return plan;
    }
    const high = isHigher ? { high: risen.toString() } : {};
    const changed = await this.#notes.change(plan, {
      progress: { ...kept, ...(told !== undefined && !isOver && { told }), ...high },
    });
    if (changed === undefined) return plan;
    this.#risen.delete(planId);
    return changed;
  }

  /** Tells whether the market is surely not at the price of a leg. */
  #isAway(
    { terms, progress: { high } }: Protecting,
    leg: ProtectionLeg,
    { bid, ask }: { readonly bid: Price | undefined; readonly ask: Price | undefined },
  ): boolean {
    const market = this.#markets.get(terms.symbol);
    const level = market && levelsOf(terms, market, high === undefined ? undefined : price(high))[leg];
    if (level === undefined) return false;
    return leg === "stop" ? bid?.gt(level) === true : ask?.lt(level) === true;
  }

  async #act(plan: Protecting, due: Due, nowMs: number, stands: () => boolean): Promise<void> {
    const { context, book } = this.#parts;
    const policy = this.#policy();
    if (policy === "unreadable") {
      await this.#notes.attention(
        plan,
        "The file of limits (policy.toml) cannot be read, so no order of it may leave.",
      );
      return;
    }
    const market = policy && (await context.market(plan.terms.symbol, "proposed"));
    const children = await book.children(plan.planId);
    if (policy === undefined || market?.ok !== true || !children.ok) {
      this.#lookAgain(plan, nowMs, SOON_MS);
      return;
    }
    const known = this.#known(plan, due, { market: market.value, policy, nowMs });
    // Supposing that all of it is held: where that sells nothing, nothing else has to be asked.
    const supposed = { ...known, bid: due.last.bid, available: quantity(plan.terms.volume), locked: NOTHING };
    let act: ProtectionAct | undefined = nextAct(plan, children.value, supposed);
    if (act.kind === "sell") {
      const account = await this.#account(market.value, policy);
      act = account && nextAct(plan, children.value, { ...known, ...account });
    }
    if (act === undefined || !stands()) this.#lookAgain(plan, nowMs, SOON_MS);
    else await this.#follow({ plan, due, nowMs, market: market.value, children: children.value }, act);
  }

  /** @returns `unreadable` where it has been for long; undefined where it is */
  #policy(): Policy | "unreadable" | undefined {
    const { clock, policy: source } = this.#desk;
    const policy = source.read();
    if (policy.ok) {
      this.#unreadableSinceMs = undefined;
      return policy.value;
    }
    this.#unreadableSinceMs ??= clock.rising();
    return clock.rising() - this.#unreadableSinceMs >= UNREADABLE_MS ? "unreadable" : undefined;
  }

  #known(
    { planId }: Protecting,
    { leg, level, high }: Due,
    { market, policy, nowMs }: { readonly market: Market; readonly policy: Policy; readonly nowMs: number },
  ): Omit<ProtectionFacts, "available" | "locked" | "bid"> {
    return { leg, level: level.price, high, market, nowMs, rules: policy.plans, triedAtMs: this.#triedMs.get(planId) };
  }

  /** What is held, and the best bid of others; undefined where it is not known. */
  async #account(
    { base, symbol }: Market,
    policy: Policy,
  ): Promise<Pick<ProtectionFacts, "available" | "locked" | "bid"> | undefined> {
    const [accounts, judged] = await Promise.all([
      this.#desk.venue.accounts(),
      judgedMarket(this.#parts.context, symbol, policy),
    ]);
    if (!accounts.ok || !judged.ok || judged.value.ownOrders === "too many") return undefined;
    const balance = accounts.value.balances.find(({ asset }) => asset === base);
    const { bid } = quotesOf(withoutOwn(judged.value.book, judged.value.ownOrders));
    return { bid, available: quantity(balance?.available ?? "0"), locked: quantity(balance?.locked ?? "0") };
  }

  async #follow(judged: Judged, act: ProtectionAct): Promise<void> {
    const { plan, due, nowMs, children } = judged;
    const { leg } = due;
    switch (act.kind) {
      case "sell":
        return this.#sell(judged, act);
      case "wait":
        return;
      case "no_bid":
        return this.#lookAgain(plan, nowMs, SOON_MS);
      case "below_floor": {
        this.#lookAgain(plan, nowMs, SOON_MS);
        const body = { ...levelDetail(due), bid: act.bid, floor: act.floor };
        return this.#notes.tellOnce(plan, { leg, what: "below_floor" }, "plan.below_floor", body);
      }
      case "locked":
        return this.#notes.attention(plan, await this.#lockedWhy(plan.terms, act.volume));
      case "spent":
        return this.#notes.spent(plan, children);
      case "nothing_left":
        return this.#notes.done(plan, children);
      default:
        return act satisfies never;
    }
  }

  async #sell(
    { plan, due, nowMs, market }: Judged,
    { order, floor, progress }: Extract<ProtectionAct, { readonly kind: "sell" }>,
  ): Promise<void> {
    const { book, children, context } = this.#parts;
    const steps = await book.steps(plan.planId, 1);
    if (!steps.ok) return this.#lookAgain(plan, nowMs, SOON_MS);
    const step = (steps.value[0]?.step ?? 0) + 1;
    const { symbol } = market;
    const volume = order.volume ?? "0";
    const worth = counted(notionalOf(price(order.price ?? "0"), quantity(volume)), context.unit);
    const seen = { symbol, leg: due.leg, ...levelDetail(due) };
    const told = { ...seen, step, ...sampleDetail(due.last) };
    this.#triedMs.set(plan.planId, nowMs);
    const request = {
      ...{ plan, step, order, floor, progress, exchangeMs: nowMs },
      adds: { symbol, side: "sell", worstValue: worth.toString(), unit: context.unit, volume },
      notices: [{ type: "plan.triggered", key: String(step), body: told }],
      trigger: { ...seen, first: sampleDetail(due.first), last: sampleDetail(due.last) },
    } as const;
    return this.#outcome({ plan, due, nowMs }, await children.place(request));
  }

  async #outcome({ plan, due, nowMs }: Pick<Judged, "plan" | "due" | "nowMs">, outcome: ChildOutcome): Promise<void> {
    const { leg } = due;
    switch (outcome.kind) {
      case "claimed":
        return this.#lookAgain(plan, nowMs, ATTEMPT_APART_MS);
      case "denied": {
        const { message: why, rule } = outcome.fault;
        if (!outcome.passes) return this.#notes.attention(plan, why);
        this.#lookAgain(plan, nowMs, DENIED_MS);
        const body = { ...levelDetail(due), why, sent: false };
        return this.#notes.tellOnce(plan, { leg, what: rule ?? outcome.fault.code }, "plan.triggered", body);
      }
      case "known_there":
        return this.#notes.attention(plan, outcome.fault.message);
      case "blocked":
        // A name that another order has: it is not the plan's to take.
        if (outcome.block === "taken") return this.#taken(plan, nowMs);
        return this.#lookAgain(plan, nowMs, SOON_MS);
      case "unsure":
        return this.#lookAgain(plan, nowMs, SOON_MS);
      default:
        return outcome satisfies never;
    }
  }

  /** Another process may have claimed the step since the plan was read: then the plan has gone on, and nothing is written. */
  async #taken(plan: Protecting, nowMs: number): Promise<void> {
    this.#lookAgain(plan, nowMs, SOON_MS);
    await this.#notes.attention(
      plan,
      "Another order has the name of its next one, so that it could not be told apart.",
    );
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

  #lookAgain({ planId }: Protecting, nowMs: number, inMs: number): void {
    this.#againMs.set(planId, nowMs + inMs);
  }
}

const NAMED_MAX = 3;

interface Judged {
  readonly plan: Protecting;
  readonly due: Due;
  readonly nowMs: number;
  readonly market: Market;
  readonly children: readonly IntentRecord[];
}

function isOfLeg(triggered: Triggered): triggered is OfLeg {
  return triggered.leg !== "alert";
}

function isProtecting(plan: PlanRecord): plan is Protecting {
  return isProtection(plan.terms);
}

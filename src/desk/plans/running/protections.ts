/**
 * Looks after the protections of an account: which of them the market stands at the price of, how high it has been, and when each is acted on.
 *
 * Invariants: a protection is acted on only as long as the market stands at its price, by one act at a time; a high is stored, and never falls; what was told of a
 * time that is over is told anew the next time; a defect with one keeps no other from being looked after.
 *
 * Entry point: `Protections`. Source: decision 0112; decision 0121.
 */
import { type Fault, localFault, type Market, type Result } from "../../../contract/index.ts";
import { type Price, price } from "../../../decimal/index.ts";
import { isProtection, type PlanRecord, type PlanTold, protectsNow } from "../../model/plan.ts";
import type { Clock } from "../../ports/runtime.ts";
import { tickBandsOf } from "../../risk/order-proposals.ts";
import { levelsOf, trails } from "../terms/protection-levels.ts";
import type { MarketWatch } from "../watch/market-watch.ts";
import { isOfNow, type Sample } from "../watch/trigger.ts";
import { type Outcome, type Triggered, type WaitingPlan, waitingPlan } from "../watch/waiting-plans.ts";
import { UnreadPlans } from "./hindrances.ts";
import type { PlanDefects } from "./plan-defects.ts";
import { PlanNotes } from "./plan-notes.ts";
import type { ProtectionLeg } from "./protection-act.ts";
import { LONGEST_MS, type Protecting, type ProtectionParts, ProtectionSale, type Standing } from "./protection-sale.ts";

/** What the runner knows of the markets that it watches. */
export type Seen = Pick<MarketWatch, "exchangeNowMs" | "market">;

type OfLeg = Triggered & { readonly leg: ProtectionLeg };
type Quotes = Pick<Sample, "bid" | "ask">;
type Due = OfLeg & { readonly symbol: string };

/** What a plan waits for, by its version and by its market as it was then. */
interface Waits {
  readonly plan: PlanRecord;
  readonly market: Market | undefined;
  readonly waiting: WaitingPlan | undefined;
}

/** Tick sizes hardly change. */
const MARKETS_MS = 60_000;

/** So often in a row may what it does fail inside. */
const FAILED_MAX = 3;
const FAILED_WHY =
  "Something inside hoga itself failed each time that it was to sell. What it was is in the log of the server.";

export class Protections {
  readonly #parts: ProtectionParts & { readonly defects: PlanDefects };
  readonly #clock: Clock;
  readonly #sale: ProtectionSale;
  readonly #notes: PlanNotes;
  readonly #unread: UnreadPlans;
  /** What stands at its price at this moment, by plan. */
  readonly #due = new Map<string, Due>();
  readonly #risen = new Map<string, Price>();
  readonly #acting = new Map<string, Promise<void>>();
  /** When an order of it was last tried, by the exchange's clock, as is from when on it is looked at again. */
  readonly #triedMs = new Map<string, number>();
  readonly #againMs = new Map<string, number>();
  #markets: ReadonlyMap<string, Market> = new Map();
  #waits: ReadonlyMap<string, Waits> = new Map();
  #learning: Promise<void> | undefined;

  constructor(parts: ProtectionParts & { readonly defects: PlanDefects }) {
    const { parts: desk } = parts.context;
    this.#parts = parts;
    this.#clock = desk.clock;
    this.#sale = new ProtectionSale(parts);
    this.#notes = new PlanNotes(parts);
    this.#unread = new UnreadPlans(parts.context, parts.book);
  }

  /** Learns the markets of these, beside. Where that fails they are as they were; a stop that trails waits until they are known, and that is told where it lasts. */
  prepare(active: readonly PlanRecord[]): void {
    const protecting = active.filter(isProtecting);
    if (this.#learning !== undefined || protecting.length === 0) return;
    const { context, defects } = this.#parts;
    const begunMs = this.#clock.rising();
    this.#learning = context
      .markets(undefined, MARKETS_MS)
      .then((markets) => this.#learned(markets, protecting, begunMs))
      .catch((error: unknown) => void defects.note("markets", error))
      .finally(() => {
        this.#learning = undefined;
      });
  }

  /** One that is listed no more is as it was when it still was: its price goes on being watched, and what keeps an order from leaving there is told with that. */
  #learned(markets: Result<readonly Market[]>, protecting: readonly Protecting[], begunMs: number): void {
    if (markets.ok)
      this.#markets = new Map([...this.#markets, ...markets.value.map((market) => [market.symbol, market] as const)]);
    for (const { planId, terms } of protecting.filter(protectsNow)) {
      const isLacking = trails(terms) && !this.#markets.has(terms.symbol);
      const fault = markets.ok ? unlisted(terms.symbol) : markets.fault;
      this.#unread.looked(planId, isLacking ? fault : undefined, begunMs);
    }
  }

  /** What of these waits for a price; of a plan that has not moved in a market that has not, what it was before. */
  waiting(active: readonly PlanRecord[]): readonly WaitingPlan[] {
    const waits = active.map((plan): Waits => {
      const market = isProtecting(plan) ? this.#markets.get(plan.terms.symbol) : undefined;
      const before = this.#waits.get(plan.planId);
      if (before?.plan.version === plan.version && before.market === market) return before;
      return { plan, market, waiting: waitingPlan(plan, market && tickBandsOf(market)) };
    });
    this.#waits = new Map(waits.map((each) => [each.plan.planId, each]));
    return waits.flatMap(({ waiting }) => waiting ?? []);
  }

  /** Takes what a sample of a market has shown. @returns whether something is to be done that was not before */
  sampled(symbol: string, { triggered, risen }: Outcome): boolean {
    for (const { planId, high } of risen) this.#risen.set(planId, high);
    const standing = new Map(triggered.flatMap((each) => (isOfLeg(each) ? [[each.planId, each]] : [])));
    const isNew = [...standing.keys()].some((planId) => !this.#due.has(planId));
    for (const [planId, due] of this.#due) if (due.symbol === symbol && !standing.has(planId)) this.#due.delete(planId);
    for (const [planId, each] of standing) this.#due.set(planId, { ...each, symbol });
    return isNew;
  }

  /** Something stands at its price, or is being sold. */
  get isActing(): boolean {
    return this.#due.size > 0 || this.#acting.size > 0;
  }

  /** Looks at nothing, and forgets what it has seen. */
  forget(): void {
    this.#due.clear();
    this.#risen.clear();
    this.#unread.forget();
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await Promise.all([this.#learning, ...this.#acting.values()]);
  }

  /**
   * Stores highs, and begins to act on what stands at its price; that goes on beside, as an order may take longer than the watch holds.
   * @param mayAct asked before anything leaves
   * @returns the plans as they are now
   */
  async look(active: readonly PlanRecord[], seen: Seen, mayAct: () => boolean): Promise<readonly PlanRecord[]> {
    const after: PlanRecord[] = [];
    for (const each of active) {
      const isFree = isProtecting(each) && !this.#acting.has(each.planId);
      const plan = isFree ? await this.#unread.tell(await this.#noted(each, seen)) : each;
      after.push(plan);
      if (isProtecting(plan) && plan.state === "active") this.#begin(plan, seen, mayAct);
    }
    return after;
  }

  #begin(plan: Protecting, seen: Seen, mayAct: () => boolean): void {
    const { planId } = plan;
    const [triggered, nowMs] = [this.#standing(planId, seen), seen.exchangeNowMs()];
    if (triggered === undefined || nowMs === undefined || plan.openStep !== null || this.#acting.has(planId)) return;
    if (this.#parts.defects.isLeft(planId)) return;
    const waitMs = (this.#againMs.get(planId) ?? nowMs) - nowMs;
    // Longer where the exchange's clock has gone back.
    if (waitMs > 0 && waitMs <= LONGEST_MS) return;
    const standing = (): Standing | undefined => {
      const [now, exchangeMs] = [this.#standing(planId, seen), seen.exchangeNowMs()];
      if (!mayAct() || now?.leg !== triggered.leg || exchangeMs === undefined) return undefined;
      return { triggered: now, exchangeMs };
    };
    const acting = this.#act({ plan, triggered, nowMs, triedAtMs: this.#triedMs.get(planId), standing })
      .catch((error: unknown) => this.#failed(plan, error))
      .finally(() => this.#acting.delete(planId));
    this.#acting.set(planId, acting);
  }

  /** What the market shows now: where no sample has come for a while it may be anywhere. */
  #standing(planId: string, seen: Seen): Due | undefined {
    const [due, nowMs] = [this.#due.get(planId), seen.exchangeNowMs()];
    return due !== undefined && nowMs !== undefined && isOfNow(due.last, nowMs) ? due : undefined;
  }

  async #act(sale: Parameters<ProtectionSale["attempt"]>[0]): Promise<void> {
    const { planId } = sale.plan;
    const { inMs, claimed } = await this.#sale.attempt(sale);
    this.#againMs.set(planId, sale.nowMs + inMs);
    if (claimed === true) this.#triedMs.set(planId, sale.nowMs);
    this.#parts.defects.clear(planId);
  }

  /** It goes on by itself where that passes; else a person is told, as it protects nothing. */
  async #failed(plan: Protecting, error: unknown): Promise<void> {
    const { defects } = this.#parts;
    if (defects.note(plan.planId, error) < FAILED_MAX) return;
    try {
      await this.#notes.attention(plan, FAILED_WHY);
    } catch (another) {
      defects.note(plan.planId, another);
    }
  }

  /** The plan with its new high, and without what was told of a time that is over. */
  async #noted(plan: Protecting, seen: Seen): Promise<PlanRecord> {
    const { planId, terms, progress } = plan;
    const { told, latchedAtMs, ...kept } = progress;
    const [risen, sample] = [this.#risen.get(planId), seen.market(terms.symbol)?.sample];
    const isHigher = risen !== undefined && latchedAtMs === undefined && risen.gt(price(progress.high ?? "0"));
    const isOver = told !== undefined && sample !== undefined && this.#isOver(plan, told, sample);
    if (!isHigher && !isOver) {
      this.#risen.delete(planId);
      return plan;
    }
    const changed = await this.#notes.change(plan, {
      progress: {
        ...kept,
        ...(latchedAtMs !== undefined && { latchedAtMs }),
        ...(told !== undefined && !isOver && { told }),
        ...(isHigher && { high: risen.toString() }),
      },
    });
    if (changed !== plan) this.#risen.delete(planId);
    return changed;
  }

  /** Tells whether the market is surely not at the price of the leg that was told of, or no more below its floor, where no order is about to say so. */
  #isOver(plan: Protecting, { leg, floor }: PlanTold, quotes: Quotes): boolean {
    if (leg === undefined) return false;
    if (floor !== undefined && !this.#due.has(plan.planId) && quotes.bid?.gte(price(floor)) === true) return true;
    return this.#isAway(plan, leg, quotes);
  }

  #isAway({ terms, progress: { high } }: Protecting, leg: ProtectionLeg, { bid, ask }: Quotes): boolean {
    const market = this.#markets.get(terms.symbol);
    const level = levelsOf(terms, market, high === undefined ? undefined : price(high))[leg];
    if (level === undefined) return false;
    return leg === "stop" ? bid?.gt(level) === true : ask?.lt(level) === true;
  }
}

function isOfLeg(triggered: Triggered): triggered is OfLeg {
  return triggered.leg !== "alert";
}

function isProtecting(plan: PlanRecord): plan is Protecting {
  return isProtection(plan.terms);
}

function unlisted(symbol: string): Fault {
  return localFault("ELocal:Unknown market", { message: `The exchange does not list ${symbol}.` });
}

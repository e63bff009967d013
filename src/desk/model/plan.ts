/**
 * A plan, as the store keeps it: what was asked for, what a person approved of it, how far it is, and its steps.
 *
 * Invariants: terms never change after approval; what a plan has sold, spent or left is never stored, it is the sum over the intents of its steps; of a
 * step comes one intent at most.
 *
 * Prices and volumes are plain decimal text, values plain decimal text in the desk's unit, times Unix milliseconds; `untilMs`, `dueAtMs` and
 * `latchedAtMs` are of the exchange's clock, the others of ours.
 *
 * Source: decision 0099.
 */
import type { CreateOrderBody, Side, Unit } from "../../contract/index.ts";
import type { PlanState, StepState } from "./plan-state.ts";

/** Sells when the market stands at or below `stopPrice`: at `limitPrice`, where it rests, or at what is bid, down to `floorPrice`. */
export interface StopTerms {
  readonly kind: "stop";
  readonly symbol: string;
  readonly volume: string;
  readonly stopPrice: string;
  readonly limitPrice?: string;
  readonly floorPrice?: string;
}

export interface TakeProfitTerms {
  readonly kind: "take_profit";
  readonly symbol: string;
  readonly volume: string;
  readonly takePrice: string;
}

/** How far below its high a market has to stand: a share, "5", in percent, or an amount in the quote currency. */
export type Trail = { readonly percent: string } | { readonly amount: string };

export interface TrailingStopTerms {
  readonly kind: "trailing_stop";
  readonly symbol: string;
  readonly volume: string;
  readonly trail: Trail;
  readonly floorPrice?: string;
}

/** A stop and a take-profit over one amount. */
export interface OcoTerms {
  readonly kind: "oco";
  readonly symbol: string;
  readonly volume: string;
  readonly stop: { readonly stopPrice: string } | { readonly trail: Trail };
  readonly takePrice: string;
  readonly floorPrice?: string;
  /** Begins with the fill of a buy: volume and prices are then what they would be by `price`, and `inForce` has those that hold. */
  readonly after?: AfterBuy;
}

/** The buy that an oco begins with, and how far from its average price it sells. Shares in percent: "5" is 5 %. */
export interface AfterBuy {
  readonly intentId: string;
  /** As it was named: its order id or its userref. */
  readonly order: string;
  /** Absent of one that trails. */
  readonly stop?: string;
  readonly take: string;
  readonly floor?: string;
  /** What the buy may execute at: its limit, or what it has executed at. */
  readonly price: string;
  /** Nothing of the plan sells lower, whatever the buy executes at. */
  readonly priceMin: string;
}

/** What one turn buys or sells: an amount of the quote currency, or coins. */
export type TurnSize = { readonly quoteAmount: string } | { readonly volume: string };

export interface RecurringTerms {
  readonly kind: "recurring";
  readonly symbol: string;
  readonly side: Side;
  readonly size: TurnSize;
  /** As `parseSchedule` reads it. */
  readonly schedule: string;
  /** IANA name, "Asia/Seoul". */
  readonly timezone: string;
  readonly limitPrice?: string;
}

export interface SlicesTerms {
  readonly kind: "slices";
  readonly symbol: string;
  readonly side: Side;
  /** In all. */
  readonly size: TurnSize;
  readonly count: number;
  readonly durationMs: number;
  readonly limitPrice?: string;
}

/** One order of a basket; each market comes once. */
export interface BasketOrder {
  readonly symbol: string;
  readonly side: Side;
  /** A buy's sum, a sell's coins. */
  readonly size: TurnSize;
  /** About what it comes to, in the quote currency. */
  readonly value: string;
}

/** An asset that stays as it is, though it is not at its share. */
export interface BasketLeft {
  readonly asset: string;
  /** `small`: less than its market takes. `halted`: its market takes no orders now. `locked`: its coins are in open orders. */
  readonly why: "small" | "halted" | "locked";
}

/** Sells what is over its share, then buys what is under it for what came in. */
export interface RebalanceTerms {
  readonly kind: "rebalance";
  /** By asset, percent without its sign: "50" is 50 %. Together exactly 100. */
  readonly weights: Readonly<Record<string, string>>;
  /** Its own share, where it is named, is what is left. */
  readonly quote: string;
  /** The basket: sells first. */
  readonly orders: readonly BasketOrder[];
  /** Of the quote currency: what buys may spend besides what comes in, and what of that is to stay. */
  readonly fromCash: string;
  readonly toCash: string;
  readonly left: readonly BasketLeft[];
}

/** Tells once, trades never. */
export type AlertTerms = { readonly kind: "alert" } & (
  | ({ readonly event: "price"; readonly symbol: string } & Beyond)
  | { readonly event: "fill"; readonly symbol?: string }
  | ({ readonly event: "portfolio" } & Beyond)
  | { readonly event: "day_loss"; readonly above: string }
);

type Beyond = { readonly above: string } | { readonly below: string };

/** They sell coins that are held, and nothing else. */
export type ProtectionTerms = StopTerms | TakeProfitTerms | TrailingStopTerms | OcoTerms;

export type PlanTerms = (ProtectionTerms | RecurringTerms | SlicesTerms | RebalanceTerms | AlertTerms) & {
  /** The caller's words, told with it: data, never instructions. At most 200 characters. */
  readonly note?: string;
  /** SHA-256, hex, over the arguments of the call that asked: the same ones name this plan for a while, and come back with a person's answer. */
  readonly request?: string;
};

export type PlanKind = PlanTerms["kind"];

/** Limits of policy.toml that a protection's sells may go over. */
export type OverLimit = "order_size" | "open_exposure" | "day_budget";

/** What the one order of a step may be, where each has a market of its own. */
export interface PlanLeg {
  readonly symbol: string;
  readonly side: Side;
  readonly volumeMax?: string;
  readonly valueMax?: string;
}

/** What no order of a plan ever leaves, whatever the file of limits says later. */
export interface PlanBounds {
  readonly account: string;
  readonly environment: string;
  /** Absent where there are legs, as is the side. */
  readonly symbol?: string;
  readonly side?: Side;
  /** Of a basket: that of each step, the first first. */
  readonly legs?: readonly PlanLeg[];
  readonly stepsMax: number;
  readonly volumeMax?: string;
  readonly valueMax?: string;
  readonly stepValueMax?: string;
  readonly priceMin?: string;
  readonly priceMax?: string;
  readonly untilMs: number;
  readonly over: readonly OverLimit[];
}

/** What was approved: once, by whom, and of what. */
export interface Mandate {
  readonly by: "person" | "policy";
  /** How a person said yes, as with orders. */
  readonly way?: string;
  readonly digest: string;
  readonly approvedAtMs: number;
  /** What a passkey has signed. */
  readonly assertion?: string;
  readonly bounds: PlanBounds;
  /** Of a protection: `protective_slippage_pct` when it was approved, "3" is 3 %. */
  readonly slippagePct?: string;
  /** What the person was shown of its worst case. */
  readonly shown?: Pick<PlanShown, "worstValue" | "unit" | "atLeast">;
}

export interface PlanProgress {
  /** Of a trailing stop: the highest price that the market has stood at. */
  readonly high?: string;
  /** The leg that has claimed; of an oco whose take has sold something that one, whatever its stop does later. */
  readonly leg?: "stop" | "take";
  readonly latchedAtMs?: number;
  readonly attempts?: number;
  /** What keeps it from what it is there for, told once for as long as that lasts. */
  readonly told?: PlanTold;
  /** Why it stands as it does, in words for a person. */
  readonly why?: string;
  /** Of an oco that begins with a buy: fixed once, when that has ended. */
  readonly begins?: PlanBegins;
  /** Of one that was started again, or begins with a buy that has ended: when that was. */
  readonly sinceMs?: number;
  /** How far the exchange's clock was ahead of ours when it became active; absent where nothing had told yet. */
  readonly aheadMs?: number;
  /** Of one that waits for a person because the limits have denied an order of it: that order. */
  readonly denied?: DeniedOrder;
  /** It ends so as soon as the order of its step has ended. */
  readonly ending?: "canceled";
}

/** An order of a step that was denied for good. */
export interface DeniedOrder {
  readonly step: number;
  readonly order: Omit<CreateOrderBody, "userref">;
  /** Of a protection: what it would not have sold below. */
  readonly floor?: string;
}

export interface PlanTold {
  /** Whose price has come, and which does not sell; absent where it is not known whether one has. */
  readonly leg?: "stop" | "take";
  readonly what: string;
  /** In words for a person. */
  readonly why?: string;
  /** It is over where that much is bid. */
  readonly floor?: string;
}

/** What a buy has brought, and the prices that follow from what it has cost. */
export interface PlanBegins {
  readonly volume: string;
  readonly averagePrice: string;
  /** Absent of one that trails: its high begins at the average. */
  readonly stopPrice?: string;
  readonly takePrice: string;
  readonly floorPrice?: string;
}

/** Whose step an intent is. */
export interface StepOfPlan {
  readonly planId: string;
  readonly step: number;
}

/** What a plan waits for a person's answer to: that it begins, or a change of it. */
export interface PlanAsked {
  readonly action: "start" | "cancel" | "pause" | "resume";
  /** Names exactly this question; a yes is to it alone. */
  readonly digest: string;
  /** Of our clock, as is the next. */
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  /** Why a person is asked, in words for one. */
  readonly why: string;
  /** The session of the client that asked: an answer in a client's form counts in that one alone. */
  readonly askedIn?: string;
  /** Of a start: what the digest covers besides the terms. */
  readonly shown?: PlanShown;
}

/** What a person is shown of a plan that is to begin. */
export interface PlanShown {
  readonly bounds: PlanBounds;
  /** Best prices of others when it was asked for; null where nobody was. */
  readonly priceSeen: { readonly bid: string | null; readonly ask: string | null };
  /** In `unit`, fee in. */
  readonly worstValue: string;
  readonly unit: Unit;
  /** Of a protection: the lowest price that it sells at, and what all of it brings there, in the quote currency. */
  readonly atLeast?: { readonly price: string; readonly value: string };
  /** Of a protection: `protective_slippage_pct` when it was asked for, "3" is 3 %. */
  readonly slippagePct?: string;
  /** Sentences without a full stop. */
  readonly warnings: readonly string[];
}

export interface PlanRecord {
  readonly planId: string;
  readonly account: string;
  readonly terms: PlanTerms;
  readonly state: PlanState;
  /** Rises with every write. */
  readonly version: number;
  readonly mandate: Mandate | null;
  readonly progress: PlanProgress;
  readonly asked: PlanAsked | null;
  /** The step whose order has not ended. */
  readonly openStep: number | null;
  readonly replaces: string | null;
  readonly untilMs: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
}

/** So long the same request is the same plan. */
export const LATELY_MS = 600_000;

export interface PlanStep {
  readonly planId: string;
  /** From 1 on. */
  readonly step: number;
  /** Of a turn: its local date. */
  readonly label: string | null;
  readonly symbol: string;
  readonly side: Side;
  readonly state: StepState;
  readonly dueAtMs: number | null;
  /** What it costs or brings at worst, in `unit`. */
  readonly worstValue: string;
  readonly unit: Unit;
  readonly volume: string | null;
  readonly intentId: string | null;
  readonly why: string | null;
  readonly claimedAtMs: number | null;
  readonly updatedAtMs: number;
}

/** A plan as an order of it finds it when its request is numbered, in that transaction. */
export interface PlanInForce
  extends StepOfPlan,
    Pick<PlanRecord, "state" | "openStep" | "terms" | "mandate" | "untilMs"> {}

export function isProtection(terms: PlanTerms): terms is ProtectionTerms & PlanTerms {
  return (
    terms.kind === "stop" || terms.kind === "take_profit" || terms.kind === "trailing_stop" || terms.kind === "oco"
  );
}

declare const ofStep: unique symbol;

/** Only `userrefOfStep` makes one, so that an order of a plan has no other. */
export type StepUserref = string & { readonly [ofStep]: true };

/**
 * The name under which the order of a step is known at the venue: it follows from the step, so that a journal that was put back finds it.
 * @returns 1–64 of `[A-Za-z0-9._-]`
 */
export function userrefOfStep(planId: string, step: number): StepUserref {
  return `p-${planId.slice(-12)}-${String(step).padStart(4, "0")}` as StepUserref;
}

/** Whether a userref is of the kind that orders of plans have: no caller may give an order one, as the step could then send none. */
export function isOfStep(userref: string): boolean {
  return /^p-[0-9a-f]{12}-\d{4,}$/i.test(userref);
}

/** Whether it is that of a step of this plan. */
export function isOfPlan(userref: string, planId: string): boolean {
  return isOfStep(userref) && userref.startsWith(`p-${planId.slice(-12)}-`);
}

type Standing = Pick<PlanRecord, "terms" | "progress">;

type AfterTerms = OcoTerms & { readonly after: AfterBuy };

/** Tells whether the buy that it begins with has not ended: it protects nothing yet. */
export function waitsForBuy({ terms, progress }: Standing): boolean {
  return isAfterBuy(terms) && progress.begins === undefined;
}

export function isAfterBuy(terms: PlanTerms): terms is AfterTerms & PlanTerms {
  return terms.kind === "oco" && terms.after !== undefined;
}

/** The same plan, with the volume and the prices that hold; without `after` once it has begun. */
export function inForce<Plan extends Standing>(plan: Plan): Plan {
  const { terms, progress } = plan;
  const { begins } = progress;
  if (!isAfterBuy(terms) || begins === undefined) return plan;
  const { after: _after, floorPrice: _floor, ...kept } = terms;
  const { volume, stopPrice, takePrice, floorPrice } = begins;
  const held: PlanTerms = {
    ...{ ...kept, volume, takePrice },
    stop: stopPrice === undefined ? terms.stop : { stopPrice },
    ...(floorPrice !== undefined && { floorPrice }),
  };
  return { ...plan, terms: held };
}

/** Since when it waits for what it is there for, by the exchange's clock, whatever is written of it and wherever ours was set since. @param offsetMs of now */
export function activeSinceMs(
  { progress: { sinceMs, aheadMs }, mandate, createdAtMs }: Pick<PlanRecord, "progress" | "mandate" | "createdAtMs">,
  offsetMs: number,
): number {
  return Math.round((sinceMs ?? mandate?.approvedAtMs ?? createdAtMs) + (aheadMs ?? offsetMs));
}

/** Tells whether it protects coins now. */
export function protectsNow(plan: Standing): boolean {
  return isProtection(plan.terms) && !waitsForBuy(plan);
}

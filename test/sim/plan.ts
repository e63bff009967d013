/**
 * What a schedule consists of, as plain data: who takes part, what is asked for when, and what goes wrong. The same plan always
 * leads to the same history, and a plan from which a part was taken out is a plan too.
 */
import type { ApprovalWay, AwaitedState, OrderRequest, PlanRequest } from "../../src/desk/index.ts";
import type { RequestKind, VenueName } from "./wire.ts";

/**
 * What becomes of one request.
 * - it never leaves: `refused`
 * - it leaves and never arrives: `lost` (no answer ever), `reset` (the connection breaks at once)
 * - somebody in between answers: `busy` (503), `limited` (429), `html` (502)
 * - it takes effect and the answer is lost: `lost_after`, `reset_after`, `fail_after` (503), `html_after`, `garbled_after` (bytes
 *   missing), `not_http`, `contradicted_after` (what was done, and that the service failed)
 * - `slow`: the answer takes `ms` more. `late`: it arrives after `ms`; `late_reset`: and the sender is told at once that it broke.
 * - `twice`: it arrives a second time after `ms`; `twice_second`: only the second answer comes back.
 */
export const FAULT_KINDS = [
  "refused",
  "lost",
  "reset",
  "busy",
  "limited",
  "html",
  "lost_after",
  "reset_after",
  "fail_after",
  "html_after",
  "garbled_after",
  "not_http",
  "slow",
  "late",
  "late_reset",
  "twice",
  "twice_second",
] as const;
/** What an envelope with room for both makes possible. */
export type FaultKind = (typeof FAULT_KINDS)[number] | "contradicted_after";

/** Where a process can be interrupted; each has a before and an after. `safety`: kill switch, timers and seal in the store. */
export const POINTS = ["journal.read", "journal.write", "audit", "safety", "lane", "send", "answer"] as const;
/** ... and with a store on a server: in what is asked of it, one by one. */
export type ServerPoint = "statement" | "commit";
/** ... and near an order of a plan: where its step is claimed, and where its request is numbered. */
export type PlanPoint = "claim" | "begin";
export type Point = (typeof POINTS)[number] | ServerPoint | PlanPoint;

export type StoreTrouble = "disk_full" | "io_error" | "busy" | "audit_unwritable";

export type Trouble =
  /** The `nth` request to the endpoint, by whomever, and the next ones up to `times`. */
  | {
      readonly type: "fault";
      readonly endpoint: RequestKind;
      readonly nth: number;
      readonly times: number;
      readonly kind: FaultKind;
      readonly ms: number;
    }
  /** Every request that leaves in this time. */
  | { readonly type: "outage"; readonly fromMs: number; readonly toMs: number; readonly kind: FaultKind }
  /** The process dies at its `nth` pass of the point, and another is started after `downMs`. */
  | {
      readonly type: "crash";
      readonly seat: number;
      readonly point: Point;
      readonly nth: number;
      readonly when: "before" | "after";
      readonly downMs: number;
    }
  /** The process stands still for `ms`, as on a suspended machine. */
  | {
      readonly type: "stall";
      readonly seat: number;
      readonly point: Point;
      readonly nth: number;
      readonly when: "before" | "after";
      readonly ms: number;
    }
  /** The seat's `nth` statement or commit is lost `before` it arrives, or its answer `after`, and the session with it, which the server notices later. */
  | {
      readonly type: "cut";
      readonly seat: number;
      readonly at: ServerPoint;
      readonly nth: number;
      readonly when: "before" | "after";
      readonly noticedMs: number;
    }
  /** The store's server ends and starts again, in order or not; or nothing gets through to it or back. */
  | {
      readonly type: "server";
      readonly atMs: number;
      readonly forMs: number;
      readonly kind: "restart" | "crash" | "silence";
    }
  | { readonly type: "store"; readonly fromMs: number; readonly toMs: number; readonly kind: StoreTrouble }
  /**
   * A person gives hoga a new key of the same account: every process that starts from now on has it, those of `seats` start again at
   * once, the others go on with the old one. `revokedAfterMs`: the old one is taken from them; without it both hold.
   */
  | {
      readonly type: "rotation";
      readonly atMs: number;
      readonly seats: readonly number[];
      readonly revokedAfterMs: number | undefined;
    }
  /**
   * The data directory is copied at `copyMs`. At `atMs` everything ends, the copy is put back, and processes start again. Not `isMarked`: what
   * is kept outside of the directory is lost too, as with a snapshot of the whole machine.
   */
  | {
      readonly type: "restore";
      readonly copyMs: number;
      readonly atMs: number;
      readonly downMs: number;
      readonly isMarked: boolean;
    }
  /** Everything ends, and starts again much later: nobody watches meanwhile. */
  | { readonly type: "night"; readonly atMs: number; readonly downMs: number }
  /** The machine's clock is set forward or back. */
  | { readonly type: "clock"; readonly atMs: number; readonly byMs: number };

/** How a step names an order: by the wish it came of, under its own userref or by the id the venue gave it. */
export type Naming = "userref" | "order_id";

export type Action =
  | { readonly type: "place"; readonly wish: number }
  /** Previewed, and the draft then placed so many times; `pauseMs` later, where it is given. */
  | { readonly type: "draft"; readonly wish: number; readonly times: number; readonly pauseMs?: number }
  | { readonly type: "cancel"; readonly wish: number; readonly by: Naming }
  | { readonly type: "cancel_all"; readonly symbol?: string }
  | {
      readonly type: "replace";
      readonly wish: number;
      readonly by: Naming;
      readonly price?: string;
      readonly base_volume?: string;
    }
  | { readonly type: "look"; readonly wish: number; readonly by: Naming }
  | {
      readonly type: "await";
      readonly wish: number;
      readonly by: Naming;
      readonly until: AwaitedState;
      readonly timeoutMs: number;
    }
  | {
      readonly type: "read";
      readonly what: "orders" | "balances" | "fills" | "status" | "orderbook";
      readonly times: number;
    }
  | { readonly type: "reconcile" }
  | { readonly type: "upkeep" }
  /** A person answers everything that waits for approval; `other`: a yes comes back with the arguments of another call. */
  | { readonly type: "person"; readonly says: "yes" | "no" | "other"; readonly way: ApprovalWay }
  /** A person who has looked at the exchange says what became of an order; not `isRight`: the opposite of what stands there. */
  | { readonly type: "settle"; readonly wish: number; readonly isRight: boolean }
  | { readonly type: "halt" }
  | { readonly type: "resume" }
  /** The dead-man's timer; 0 switches it off. */
  | { readonly type: "timer"; readonly seconds: number }
  /** `again`: of the quote that was had before, where there was one. */
  | { readonly type: "transfer"; readonly deal: number; readonly verb: TransferVerb; readonly again: boolean }
  /** A plan of the desk is made: an order that waits, repeats or is cut in pieces, or an alert. */
  | { readonly type: "wait"; readonly plan: number }
  /** A person answers everything that is asked about plans. */
  | { readonly type: "answer"; readonly says: "yes" | "no" }
  | {
      readonly type: "change";
      readonly plan: number;
      readonly action: "cancel" | "pause" | "resume";
      readonly by: "assistant" | "person";
    }
  | ({ readonly type: "market" } & Course)
  /** The other account rests an order, or takes what it can get; venue side, no desk involved. */
  | {
      readonly type: "maker";
      readonly symbol: string;
      readonly side: "buy" | "sell";
      readonly price: string;
      readonly volume: string;
      readonly takes: boolean;
    };

/**
 * What others make of the market, for a while. `stand`: they quote around the price and trade at it. `print`: they trade at it, through a book that
 * is as it was. `quotes`: they quote there, and nobody trades.
 */
export interface Course {
  readonly shape: "stand" | "print" | "quotes";
  readonly price: string;
  readonly forMs: number;
}

/** Plans of the desk, in a schedule that has some. */
export interface Waiting {
  readonly requests: readonly PlanRequest[];
  readonly approve: "always" | "bounded";
  readonly stopRemoval: "ask" | "allow";
  /** When nothing goes wrong any more, the market stands there for longer than a protection may take. */
  readonly finale: string | undefined;
}

/** Money that somebody wants to move: a payment in coins, or won that go abroad. Amounts in KRW differ, so that no two are taken for one. */
export interface Deal {
  readonly kind: "payment" | "remittance";
  readonly amount: string;
}

/** What is asked for of a deal: that it is made, that a part of it comes back, or how it stands. */
export type TransferVerb = "make" | "back" | "look";

export interface Step {
  readonly atMs: number;
  readonly seat: number;
  readonly action: Action;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The price may move by this part of itself between a question and the sending: 1 / 5 000, less than the maker moves it. */
export const DRIFT_DIVISOR = 5_000n;

/** What the policy file says, KRW as decimal text. */
export interface PolicySetting {
  readonly mode: "confirm" | "bounded";
  readonly maxOrder: string;
  readonly maxDay: string;
  readonly maxOpen: string;
  /** What may be lost in a day; absent where that is not limited. */
  readonly maxDayLoss?: string;
  readonly maxOpenOrders: number;
  readonly maxOrdersPerMinute: number;
  readonly approvalOver: string;
  /** Whether prices are held against the book. */
  readonly isPriceBound: boolean;
  /** What may be paid, and what may be remitted, in a day. */
  readonly maxTransfersKrw: string;
}

export interface Setting {
  /** Index of the API key each process uses. */
  readonly keys: readonly number[];
  /** How far each process's clock is ahead of the machine's, in milliseconds. */
  readonly skewsMs: readonly number[];
  readonly venueSkewMs: number;
  /** Whether the desk may rely on the nonce fence. */
  readonly fence: boolean;
  /** Limits of the venue, which the lane is told. */
  readonly limits: { readonly callsPerSecond: number; readonly weightPerMinute: number };
  readonly lane: { readonly leaseWaitMs: number; readonly leaseMs: number };
  readonly totalMs: number;
  /** Whether a process reconciles when it starts, too, not only one that takes the place of a dead one. */
  readonly looksAtStart: boolean;
  /** Pause between the rounds of upkeep of a process that stays; 0: it makes none. */
  readonly upkeepMs: number;
  readonly policy: PolicySetting;
  /** Without it the Trading API takes no order that settles at once. */
  readonly krwAccountLinked: boolean;
  /** Hours pass between some of the steps. */
  readonly isLong: boolean;
  /** Whether the venue refuses a userref that it has seen within a day. */
  readonly rejectsDuplicates: boolean;
  /** Longest way of a request or an answer when nothing goes wrong. */
  readonly latencyMs: number;
  /** A timer rings this late at most. */
  readonly coarseMs: number;
}

/** What the store is kept on. */
export const STORE_NAMES = ["sqlite", "postgres"] as const;
export type StoreName = (typeof STORE_NAMES)[number];

export interface Plan {
  readonly seed: number;
  readonly venue: VenueName;
  readonly store: StoreName;
  readonly setting: Setting;
  readonly wishes: readonly OrderRequest[];
  /** Empty where the desk moves no money. */
  readonly deals: readonly Deal[];
  /** Absent where the desk keeps no plans. */
  readonly waiting?: Waiting;
  readonly steps: readonly Step[];
  readonly troubles: readonly Trouble[];
}

/** Whether one nonce fence stands before all that is sent: a request of another key may arrive when it is long believed dead. */
export function isFencedIn({ setting, troubles }: Pick<Plan, "setting" | "troubles">): boolean {
  const { fence, keys } = setting;
  return fence && keys.every((key) => key === keys[0]) && troubles.every(({ type }) => type !== "rotation");
}

/** By how much clocks may disagree about how long ago something was, at most. */
export function clockErrorMs({ setting, troubles }: Pick<Plan, "setting" | "troubles">): number {
  const set = troubles.reduce((sum, each) => sum + (each.type === "clock" ? Math.abs(each.byMs) : 0), 0);
  return set + 2 * Math.max(...setting.skewsMs.map(Math.abs)) + 1_000;
}

/** How long the steps of a plan take when nothing is slow. */
export function lengthOf({ steps, troubles }: Pick<Plan, "steps" | "troubles">): number {
  const pauses = steps.map(({ action }) => (action.type === "draft" ? (action.pauseMs ?? 0) : 0));
  const nights = troubles.map((trouble) => (trouble.type === "night" ? trouble.atMs + trouble.downMs : 0));
  const courses = steps.map(({ atMs, action }) => (action.type === "market" ? atMs + action.forMs : 0));
  return Math.max((steps.at(-1)?.atMs ?? 0) + Math.max(0, ...pauses), ...nights, ...courses);
}

/**
 * Sends the order of a step of a plan: judged first, looked for at the exchange under the step's own name, claimed, then sent by the way of every order.
 *
 * Invariants: what is denied costs no look and no step; of a step one order leaves at most, under the name that follows from it; what cannot be asked is not
 * sent, nor what its reason is over of by the time that all is asked.
 *
 * Source: decision 0105, decision 0133.
 */
import { type CreateOrderBody, defined, type Fault, localFault } from "../../contract/index.ts";
import { price } from "../../decimal/index.ts";
import type { ReadingParts } from "../core/context.ts";
import type { IntentBody, IntentRecord } from "../model/intent.ts";
import { requestOf } from "../model/order-body.ts";
import {
  type DeniedOrder,
  type PlanProgress,
  type PlanRecord,
  type StepUserref,
  userrefOfStep,
} from "../model/plan.ts";
import type { Rule } from "../model/policy.ts";
import type { AuditDetail } from "../model/submission.ts";
import type { NewNotice } from "../ports/notices.ts";
import type { NewStep, PlanBlock, PlanBook } from "../ports/plan-book.ts";
import { holderOf } from "../reconciliation/lease.ts";
import { denialOf } from "../risk/pre-trade-check.ts";
import { type Assessed, type AssessOrderParts, assessOrder } from "./assess-order.ts";
import { buildOrder } from "./build-order.ts";
import type { SubmitOrder } from "./submit-order.ts";
import { userrefFault } from "./userref-check.ts";

/** An order that is to come of a plan now. */
export interface ChildRequest {
  /** As it was judged. */
  readonly plan: PlanRecord;
  readonly step: number;
  /** Of a step that was not planned. */
  readonly adds?: Omit<NewStep, "step">;
  /** Whose name follows from the step. */
  readonly order: Omit<CreateOrderBody, "userref">;
  /** Of a protection: what it does not sell below now; by default the lowest price that was approved. */
  readonly floor?: string;
  /** In place of the plan's, with the claim. */
  readonly progress?: PlanProgress;
  /** Its reason, as long as it may leave; asked right before the claim, as what is asked of the exchange before may take long. */
  readonly reason: () => ChildReason | undefined;
}

/** Why an order comes of a plan now, as it is told with the claim. */
export interface ChildReason {
  /** The exchange's time, Unix milliseconds. */
  readonly exchangeMs: number;
  readonly notices?: readonly NewNotice[];
  /** The first and last sample that decided. */
  readonly trigger?: AuditDetail;
}

/** What became of it. */
export type ChildOutcome =
  /** Claimed: the intent as it stands now, whatever that is, and the plan behind the claim. */
  | { readonly kind: "claimed"; readonly plan: PlanRecord; readonly intent: IntentRecord }
  /** Nothing was written. `passes`: it may be another verdict later, as by the book, the minute, or the exchange being down. */
  | { readonly kind: "denied"; readonly fault: Fault; readonly passes: boolean; readonly denied: DeniedOrder }
  /** Nothing was written: the plan, trading, or what it comes of is not as it was judged. */
  | { readonly kind: "blocked"; readonly block: PlanBlock | "passed" }
  /** The exchange has an order under its name that the journal does not know. */
  | { readonly kind: "known_there"; readonly fault: Fault }
  /** The exchange, or the store, could not be asked; also where an order by hand is denied for that. */
  | { readonly kind: "unsure"; readonly fault: Fault };

export interface ChildOrders {
  place(request: ChildRequest): Promise<ChildOutcome>;
  /** Tells whether an order that was denied for good would be no longer; false also where that cannot be asked. Nothing is written, and nothing leaves. */
  mayLeave(plan: PlanRecord, denied: DeniedOrder): Promise<boolean>;
}

/** What a process that died has left: claimed, and never sent. Both are moves from `approved`, of which one wins, also against that process should it wake. */
export interface ClaimedOrders {
  /**
   * Sends it, unless the exchange has it already.
   * @param isDue asked when the exchange has said that; where it is no more it stays
   * @returns the intent as it stands then
   */
  resume(intent: IntentRecord, isDue: () => boolean): Promise<IntentRecord>;
  /** Ends it unsent, where the exchange does not have it; where it cannot be asked it stays. */
  drop(intent: IntentRecord, why: string): Promise<IntentRecord>;
}

/** What denies by these may let it pass a minute later. */
const PASSING: readonly Rule[] = [
  "market_status",
  "book_age",
  "price_collar",
  "slippage",
  "protective",
  "orders_per_minute",
];

export interface PlaceChildParts extends AssessOrderParts {
  readonly book: PlanBook;
  readonly submission: Pick<SubmitOrder, "submit" | "submitLeftOver" | "dropLeftOver">;
}

export class PlaceChild implements ChildOrders, ClaimedOrders {
  readonly #parts: PlaceChildParts;
  readonly #desk: ReadingParts;

  constructor(parts: PlaceChildParts) {
    const { parts: desk } = parts.context;
    this.#parts = parts;
    this.#desk = desk;
  }

  async place(request: ChildRequest): Promise<ChildOutcome> {
    const { plan, step, order, floor } = request;
    const requestedAtMs = this.#desk.clock.now();
    const judged = await this.#judged(plan, { step, order, ...defined({ floor }) });
    if ("kind" in judged) return judged;
    const { userref, body, assessed } = judged;
    return (await this.#taken(body, plan)) ?? this.#claimed(request, { userref, body, requestedAtMs }, assessed);
  }

  async mayLeave(plan: PlanRecord, denied: DeniedOrder): Promise<boolean> {
    const judged = await this.#judged(plan, denied);
    return !("kind" in judged) || (judged.kind === "denied" && judged.passes);
  }

  /** What would keep it from leaving, if anything does. */
  async #judged(plan: PlanRecord, of: DeniedOrder): Promise<ChildOutcome | Judged> {
    const { context } = this.#parts;
    const { step, order, floor } = of;
    const userref = userrefOfStep(plan.planId, step);
    const built = await buildOrder(context, requestOf({ ...order, userref }), userref);
    if (!built.ok) return this.#unbuilt(built.fault, of);
    const body = built.value;
    const named = { planId: plan.planId, step, floor: floor === undefined ? undefined : price(floor) };
    const assessed = await assessOrder(this.#parts, body, undefined, named);
    if (!assessed.ok) return unassessed(assessed.fault, of);
    const { verdict, policy, unread } = assessed.value;
    const denial = denialOf(verdict, policy);
    if (denial === undefined) return { userref, body, assessed: assessed.value };
    return unread === undefined ? deniedBy(denial, of) : { kind: "unsure", fault: unread };
  }

  async resume(intent: IntentRecord, isDue: () => boolean): Promise<IntentRecord> {
    const requestedAtMs = this.#desk.clock.now();
    return (await this.#parts.submission.submitLeftOver(intent, { requestedAtMs }, isDue)).item;
  }

  async drop(intent: IntentRecord, why: string): Promise<IntentRecord> {
    const fault = localFault("ELocal:Not placed", { message: `${why} Nothing was sent.` });
    return (await this.#parts.submission.dropLeftOver(intent, fault)).item;
  }

  /** What does not fit its market never will, but for one that takes no orders now; a market that could not be asked may be. */
  async #unbuilt(fault: Fault, denied: DeniedOrder): Promise<ChildOutcome> {
    if (fault.retry !== "never") return { kind: "unsure", fault };
    const market = await this.#parts.context.market(denied.order.symbol, "proposed");
    return { kind: "denied", fault, passes: market.ok && market.value.status !== "trading", denied };
  }

  /** What the exchange has under its name already. Another process may have claimed and sent it meanwhile. */
  async #taken({ order }: IntentBody, { account }: PlanRecord): Promise<ChildOutcome | undefined> {
    const { context } = this.#parts;
    const fault = await userrefFault(context, order);
    if (fault === undefined) return undefined;
    if (fault.code !== "ELocal:Userref in use") return { kind: "unsure", fault };
    const ours = await this.#desk.journal.byUserref(account, order.userref ?? "");
    if (!ours.ok) return { kind: "unsure", fault: ours.fault };
    return ours.value === undefined ? { kind: "known_there", fault } : { kind: "blocked", block: "taken" };
  }

  async #claimed(
    { plan, step, adds, progress, reason }: ChildRequest,
    { userref, body, requestedAtMs }: { userref: StepUserref; body: IntentBody; requestedAtMs: number },
    assessed: Assessed,
  ): Promise<ChildOutcome> {
    const { context, book, submission } = this.#parts;
    const { clock, ids } = this.#desk;
    const { planId, version } = plan;
    const kept = { ...body, ...holderOf(context) };
    const intent = { intentId: ids.intentId(), userref, state: "approved", body: kept, unit: context.unit } as const;
    const why = reason();
    if (why === undefined) return { kind: "blocked", block: "passed" };
    const optional = defined({ adds, progress });
    const claimed = await book.claim({ planId, version, step, intent, atMs: clock.now(), ...why, ...optional });
    if (!claimed.ok) return { kind: "unsure", fault: claimed.fault };
    if ("blocked" in claimed.value) return { kind: "blocked", block: claimed.value.blocked };
    if ("refused" in claimed.value) return claimed.value.refused;
    const { plan: after, intent: recorded } = claimed.value.written;
    const { item } = await submission.submit(recorded, { requestedAtMs }, assessed);
    return { kind: "claimed", plan: after, intent: item };
  }
}

interface Judged {
  readonly userref: StepUserref;
  readonly body: IntentBody;
  readonly assessed: Assessed;
}

function unassessed(fault: Fault, of: DeniedOrder): ChildOutcome {
  return fault.code === "ELocal:Denied by policy" ? deniedBy(fault, of) : { kind: "unsure", fault };
}

/** While trading is halted nothing is decided of a step: the halt has paused its plan, or will have. */
function deniedBy(fault: Fault, denied: DeniedOrder): ChildOutcome {
  if (fault.rule === "brake") return { kind: "blocked", block: "halted" };
  return { kind: "denied", fault, passes: mayPass(fault), denied };
}

/** Tells whether what a rule denies now it may let pass a minute later. */
export function mayPass({ rule }: Pick<Fault, "rule">): boolean {
  return PASSING.some((each) => each === rule);
}

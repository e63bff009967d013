/** The witness of plans: judges at the moment at which an order of one is numbered, and when it leaves. */
import type { CreateOrderBody } from "../../src/contract/index.ts";
import type { Mandate, PlanClaim } from "../../src/desk/index.ts";
import { isProtection, type PlanTerms, userrefOfStep } from "../../src/desk/model/plan.ts";
import type { Row } from "../../src/store/sql/statement.ts";
import { clockErrorMs, DAY_MS, type Plan } from "./plan.ts";
import type { ChildLeft, TriggerSeen } from "./plan-history.ts";
import type { Storage } from "./storage.ts";
import type { SimVenue } from "./venue.ts";

export interface PlanWitnessParts {
  readonly plan: Plan;
  readonly storage: Storage;
  readonly venue: () => SimVenue;
  readonly notice: (invariant: string, what: string) => void;
}

const OF_INTENT = `SELECT plans.plan_id, plans.state, plans.open_step, plans.until_ms, plans.terms, plan_steps.step, plan_steps.due_at_ms
  FROM intents JOIN plans ON plans.plan_id = intents.plan_id
  JOIN plan_steps ON plan_steps.plan_id = intents.plan_id AND plan_steps.step = intents.plan_step
  WHERE intents.intent_id = ?`;
/** In whole KRW, as both are stored: what is open, what ended within a day, and what the next day's steps may come to. */
const IN_USE = `SELECT
  (SELECT coalesce(sum(held), 0) FROM intents WHERE intent_id <> ? AND (held_live = 1 OR held_at_ms > ?)) AS held,
  (SELECT coalesce(sum(worst_value), 0) FROM plan_steps JOIN plans ON plans.plan_id = plan_steps.plan_id
    WHERE plan_steps.state = 'planned' AND plans.state = 'active' AND due_at_ms <= ?) AS reserved`;
/** From the look at what is due until the request is numbered, an answer that is waited for in between. */
const ON_ITS_WAY_MS = 15_000;
const LATE_MS = 3_600_000;
/** So old a sample may be when an order is made of it: the next one is asked for every two seconds, and has to come. */
const SAMPLE_AGE_MS = 5_000;
/** From a look at what stands at its price to the claim, with the answers that are waited for in between. */
const JUDGED_WITHIN_MS = 4_000;

export class PlanWitness {
  readonly left: ChildLeft[] = [];
  readonly triggers: TriggerSeen[] = [];
  /** What a person has approved, also where the store has forgotten it since. */
  readonly approved = new Map<string, Mandate>();
  /** When a plan became active last, in true time of the exchange. */
  readonly #startedMs = new Map<string, number>();
  readonly #parts: PlanWitnessParts;

  constructor(parts: PlanWitnessParts) {
    this.#parts = parts;
  }

  /** Asked inside the transaction that numbers a request. @param held what it counts for */
  admitted(intentId: string, nowMs: number, held: string): void {
    const { plan, storage } = this.#parts;
    if (plan.waiting === undefined) return;
    const [row] = storage.rows(OF_INTENT, [intentId]);
    if (row !== undefined) this.#judge(row);
    if (row === undefined || !isProtection(termsOf(row))) this.#judgeDay(intentId, nowMs, held);
  }

  /** @returns whether it is an order of a plan */
  childLeft(order: CreateOrderBody, intentId: string): boolean {
    const { plan, storage, notice } = this.#parts;
    if (plan.waiting === undefined) return false;
    const [row] = storage.rows(OF_INTENT, [intentId]);
    if (row === undefined) return false;
    const [planId, step, userref] = [String(row["plan_id"]), Number(row["step"]), order.userref ?? ""]; // not money: a count
    if (userref !== userrefOfStep(planId, step))
      notice("an order of a plan is known by its step", `step ${step} of ${planId} left as ${userref}`);
    this.left.push({ planId, step, userref });
    return true;
  }

  /** A plan is active from now on. */
  started(planId: string): void {
    this.#startedMs.set(planId, this.#parts.venue().nowMs);
  }

  /** A trigger was written, with an order that is to come of it or with what is told. */
  triggered({ planId, trigger }: Pick<PlanClaim, "planId" | "trigger">): void {
    if (trigger === undefined) return;
    const { plan, venue, notice } = this.#parts;
    const { nowMs } = venue();
    const detail = trigger as TriggerSeen["detail"];
    this.triggers.push({ planId, atMs: nowMs, detail });
    const startedMs = this.#startedMs.get(planId);
    const seenMs = Date.parse(detail.last?.heard_at ?? "");
    const stoodMs = plan.troubles.reduce((sum, each) => sum + (each.type === "stall" ? each.ms : 0), 0);
    const oldMs = nowMs - seenMs - clockErrorMs(plan) - stoodMs;
    if (oldMs > SAMPLE_AGE_MS + JUDGED_WITHIN_MS)
      notice("what triggers is what the market shows now", `${planId}: the last sample is ${oldMs} ms old`);
    const earlyMs = startedMs === undefined ? 0 : startedMs - seenMs - clockErrorMs(plan);
    if (earlyMs > SAMPLE_AGE_MS)
      notice(
        "what was seen before a plan was started starts nothing of it",
        `${planId}: the last sample is from ${earlyMs} ms before`,
      );
  }

  /** How far the log has come. */
  logEnd(): number {
    return Number(this.#parts.storage.rows("SELECT coalesce(max(seq), 0) AS seq FROM audit")[0]?.["seq"]); // not money: a count
  }

  /** The brake is off: what was active is paused in the transaction that lifts it. @param before where the log ended then */
  released(before: number): void {
    const { plan, storage, notice } = this.#parts;
    if (plan.waiting === undefined) return;
    for (const { plan_id: planId } of storage.rows("SELECT plan_id FROM plans WHERE state = 'active'")) {
      const since = storage.rows("SELECT seq FROM audit WHERE intent_id = ? AND seq > ? AND event IN (?, ?, ?)", [
        ...[String(planId), before],
        ...["plan_recorded", "plan_approved", "plan_moved"],
      ]);
      if (since.length === 0) notice("after a halt no plan goes on by itself", `${planId} is active`);
    }
  }

  #judge(row: Row): void {
    const { plan, venue, notice } = this.#parts;
    const name = `step ${row["step"]} of ${row["plan_id"]}`;
    if (row["state"] !== "active")
      notice("no order of a plan begins that is not active", `${name}: it is ${row["state"]}`);
    if (row["open_step"] !== row["step"])
      notice("no order of a plan begins that is not active", `${name}: ${row["open_step"]} is open`);
    const { nowMs } = venue();
    const errorMs = clockErrorMs(plan);
    if (Number(row["until_ms"]) < nowMs - errorMs)
      // not money: a time
      notice("no order of a plan begins after its end", `${name}: it ended at ${row["until_ms"]}, it is ${nowMs}`);
    if (row["due_at_ms"] === null) return;
    const lateMs = nowMs - Number(row["due_at_ms"]); // not money: a time
    const stoodMs = plan.troubles.reduce((sum, each) => sum + (each.type === "stall" ? each.ms : 0), 0);
    if (lateMs > latestMs(termsOf(row)) + errorMs + stoodMs + ON_ITS_WAY_MS)
      notice("nothing is caught up", `${name} began ${lateMs} ms after it was due`);
    if (lateMs < -errorMs) notice("nothing is caught up", `${name} began ${-lateMs} ms before it was due`);
  }

  /** What is held by others, what plans have set aside, and what this one counts for: its own step is claimed, and sets nothing aside any more. */
  #judgeDay(intentId: string, nowMs: number, held: string): void {
    const { plan, storage, venue, notice } = this.#parts;
    const errorMs = clockErrorMs(plan);
    const [row] = storage.rows(IN_USE, [intentId, nowMs - DAY_MS + errorMs, venue().nowMs + DAY_MS - errorMs]);
    const reserved = BigInt(String(row?.["reserved"] ?? 0));
    const sum = BigInt(String(row?.["held"] ?? 0)) + reserved + BigInt(held);
    const most = BigInt(plan.setting.policy.maxDay);
    if (reserved > 0n && sum > most)
      notice(
        "what is sent leaves plans what they have set aside",
        `${intentId}: ${sum} with ${reserved} set aside, of ${most}`,
      );
  }
}

function termsOf(row: Row): PlanTerms {
  return JSON.parse(String(row["terms"])) as PlanTerms;
}

/** So long after it was due a step may begin. */
function latestMs(terms: PlanTerms): number {
  return terms.kind === "slices" ? terms.durationMs / terms.count / 2 : LATE_MS;
}

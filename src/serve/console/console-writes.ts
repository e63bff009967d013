/**
 * Owns what a person does at the console.
 *
 * Invariants: what adds risk, a yes and to resume, takes a proof for exactly that, and so does taking a protection away where money may be real; what only
 * takes risk away takes none; a halt is never refused for what it says; the desk judges all of it again.
 *
 * Source: architecture.md#rule-2, decision 0044, decision 0115.
 */
import { z } from "zod";
import { defined, ok, type Result } from "../../contract/index.ts";
import { type Desk, isProtection, NOBODY, type PlanView } from "../../desk/index.ts";
import type { ApprovalView, ChangePlanRequest } from "./console-api.ts";
import { ofFault, type Refusal, refused } from "./console-request.ts";
import type { Writes } from "./console-routes.ts";
import { type PasskeyPlace, type ProofParts, proof, prove } from "./person-proof.ts";
import { planOf } from "./plan-reads.ts";

/** Names for the audit log whoever did it. */
const BY = "a person at the console";

export const id = z.string().min(1).max(200);
export const planAction = z.enum(["cancel", "pause", "resume"]);
const REASON_MAX = 500;

export const WRITES = {
  approve: z.strictObject({ id, digest: z.string().max(200), proof }),
  deny: z.strictObject({ id }),
  halt: z.unknown().transform((body) => ({ reason: reasonIn(body) })),
  resume: z.strictObject({ proof, shown: z.string().max(200).optional() }),
  cancel: z.strictObject({ order_id: id }),
  plan: z.strictObject({ plan_id: id, action: planAction, proof: proof.optional() }),
} as const;

function reasonIn(body: unknown): string {
  const reason = typeof body === "object" && body !== null && "reason" in body ? body.reason : "";
  return typeof reason === "string" ? reason.slice(0, REASON_MAX) : "";
}

export interface WriteParts extends ProofParts {
  readonly desk: Desk;
}

/** What the id of a plan begins with, and of nothing else. */
const PLAN = "plan-";

/** Where money may be real. What stands still protects nothing. */
function isToBeProven({ terms, state }: PlanView, action: ChangePlanRequest["action"]): boolean {
  return action === "resume" || (isProtection(terms) && (state === "active" || state === "attention"));
}

type Asked<Path extends keyof Writes> = Writes[Path]["asked"];
export type Acted<Path extends keyof Writes> =
  | { readonly report: Writes[Path]["answer"] }
  | { readonly refusal: Refusal };

export class ConsoleWrites {
  readonly #parts: WriteParts;

  constructor(parts: WriteParts) {
    this.#parts = parts;
  }

  async approve({ id: wanted, digest, proof: given }: Asked<"approve">, at: PasskeyPlace): Promise<Acted<"approve">> {
    const { desk, words } = this.#parts;
    const found = await this.#waiting(wanted);
    if (!found.ok) return { refusal: ofFault(found.fault, words) };
    // Before a try of the PIN is spent on it; what counts is what the desk finds.
    if (found.value === undefined) return { refusal: this.#nothing() };
    if (found.value.digest !== digest)
      return { refusal: refused(409, "another_question", words.say("console.another")) };
    const proven = await prove(given, { purpose: "approve", id: wanted, digest }, at, this.#parts);
    if ("refusal" in proven) return proven;
    const { kind } = found.value;
    if (kind === "order") return { report: await desk.approve(wanted, proven.way, digest, proven.assertion) };
    const keeper = kind === "transfer" ? desk.transfers : desk.plans;
    const report = await keeper?.approve(wanted, proven.way, digest, proven.assertion);
    return report === undefined ? { refusal: this.#nothing() } : { report };
  }

  async deny({ id: wanted }: Asked<"deny">): Promise<Acted<"deny">> {
    const { words } = this.#parts;
    const found = await this.#waiting(wanted);
    // A no is tried also where it cannot be seen what waits.
    const kind = found.ok ? found.value?.kind : undefined;
    const denied = await this.#denied(wanted, kind);
    if (denied === undefined) return { refusal: this.#nothing() };
    return denied.ok ? { report: denied.value } : { refusal: ofFault(denied.fault, words) };
  }

  async halt({ reason }: { readonly reason: string }): Promise<Acted<"halt">> {
    return { report: await this.#parts.desk.halt(reason, BY) };
  }

  async resume({ proof: given, shown }: Asked<"resume">, at: PasskeyPlace): Promise<Acted<"resume">> {
    const { desk, words } = this.#parts;
    const other = { refusal: refused(409, "another_list", words.say("console.another_list")) };
    // As of an approval: no try of the PIN is spent on it, and what counts is what the desk finds.
    const list = await desk.sinceCopy();
    if (!list.ok) return { refusal: ofFault(list.fault, words) };
    if (list.value?.digest !== shown) return other;
    const proven = await prove(given, { purpose: "resume", ...defined({ shown }) }, at, this.#parts);
    if ("refusal" in proven) return proven;
    const report = await desk.resume(BY, { shown });
    return !report.resumed && report.since_copy !== undefined ? other : { report };
  }

  async cancel({ order_id }: Asked<"cancel">): Promise<Acted<"cancel">> {
    return { report: await this.#parts.desk.cancel({ orderId: order_id }, NOBODY) };
  }

  async plan({ plan_id, action, proof: given }: ChangePlanRequest, at: PasskeyPlace): Promise<Acted<"plan">> {
    const { desk, words } = this.#parts;
    const found = await planOf(desk, plan_id);
    if (!found.ok) return { refusal: ofFault(found.fault, words) };
    if (desk.plans === undefined) return { refusal: this.#nothing() };
    if (!desk.isPractice() && isToBeProven(found.value.plan, action)) {
      if (given === undefined) return { refusal: refused(403, "proof_needed", words.say("console.proof_needed")) };
      const proven = await prove(given, { purpose: "plan", plan_id, action }, at, this.#parts);
      if ("refusal" in proven) return proven;
    }
    return { report: await desk.plans.change(plan_id, action, "person") };
  }

  async #denied(
    wanted: string,
    kind: ApprovalView["kind"] | undefined,
  ): Promise<Result<Writes["deny"]["answer"]> | undefined> {
    const { desk } = this.#parts;
    if (kind === "transfer") return desk.transfers?.deny(wanted);
    return wanted.startsWith(PLAN) ? desk.plans?.deny(wanted) : desk.deny(wanted);
  }

  /** Finds what of this id waits for a person. */
  async #waiting(
    wanted: string,
  ): Promise<Result<{ readonly kind: "order" | "transfer" | "plan"; readonly digest: string } | undefined>> {
    const { desk } = this.#parts;
    if (wanted.startsWith(PLAN)) {
      const plans = (await desk.plans?.pending()) ?? ok([]);
      if (!plans.ok) return plans;
      const plan = plans.value.find(({ asked }) => asked.id === wanted);
      return ok(plan && { kind: "plan", digest: plan.digest });
    }
    const orders = await desk.pending();
    if (!orders.ok) return orders;
    const order = orders.value.pending.find(({ intent_id }) => intent_id === wanted);
    if (order !== undefined) return ok({ kind: "order", digest: order.digest });
    const transfers = (await desk.transfers?.pending()) ?? ok([]);
    if (!transfers.ok) return transfers;
    const transfer = transfers.value.find(({ asked }) => asked.transfer_id === wanted);
    return ok(transfer && { kind: "transfer", digest: transfer.digest });
  }

  #nothing(): Refusal {
    const { say } = this.#parts.words;
    return refused(404, "not_waiting", say("pending.no_such"));
  }
}

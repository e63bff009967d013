/**
 * Plans that wait for a person because the limits have denied an order of theirs: told once more when the limits would let it leave again.
 *
 * Invariants: nothing leaves by that, as a person starts them again; what cannot be asked is asked again.
 *
 * Source: decision 0130.
 */
import { defined } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { ChildOrders } from "../execution/place-child.ts";
import type { DeniedOrder, PlanRecord } from "../model/plan.ts";
import type { PlanBook } from "../ports/plan-book.ts";
import type { Clock } from "../ports/runtime.ts";
import { symbolOf } from "./plan-view.ts";

/** Between two judgements of one. */
const JUDGED_APART_MS = 60_000;

const OVER_WHY = "The limits that have denied its order would let it leave now: start the plan again, or cancel it.";

type Denied = PlanRecord & { readonly progress: { readonly denied: DeniedOrder } };

export function waitsForLimits(plan: PlanRecord): plan is Denied {
  return plan.state === "attention" && plan.progress.denied !== undefined;
}

export class DeniedPlans {
  readonly #clock: Clock;
  readonly #book: PlanBook;
  readonly #children: ChildOrders;
  /** When each is judged again, by `Clock.rising`. */
  readonly #againMs = new Map<string, number>();

  constructor({
    context,
    book,
    children,
  }: {
    readonly context: DeskContext;
    readonly book: PlanBook;
    readonly children: ChildOrders;
  }) {
    const { parts } = context;
    this.#clock = parts.clock;
    this.#book = book;
    this.#children = children;
  }

  async look(plan: PlanRecord): Promise<void> {
    if (!waitsForLimits(plan) || this.#clock.rising() < (this.#againMs.get(plan.planId) ?? 0)) return;
    this.#againMs.set(plan.planId, this.#clock.rising() + JUDGED_APART_MS);
    if (await this.#children.mayLeave(plan, plan.progress.denied)) await this.#tell(plan);
  }

  async #tell({ planId, version, terms, progress }: Denied): Promise<void> {
    const { denied: _, ...kept } = progress;
    const body = { state: "attention", ...defined({ symbol: symbolOf(terms) }), why: OVER_WHY };
    const notices = [{ type: "plan.attention", key: String(version + 1), body }] as const;
    const over = { planId, version, progress: { ...kept, why: OVER_WHY }, notices, atMs: this.#clock.now() };
    const written = await this.#book.change(over);
    if (written.ok) this.#againMs.delete(planId);
  }
}

/**
 * Ends plans whose end has come, by the exchange's clock, and tells a day before that a protection will.
 *
 * Invariants: where that time is not known none ends; a plan whose order rests at the exchange ends when that order has: it is canceled, verified, first, and
 * again until it is gone. So it is of one that somebody has canceled, whatever time it is.
 *
 * Source: decision 0108; decision 0112.
 */
import type { DeskContext } from "../../core/context.ts";
import { DAY_MS } from "../../model/account-usage.ts";
import type { IntentRecord } from "../../model/intent.ts";
import { inForce, isProtection, type PlanRecord, waitsForBuy } from "../../model/plan.ts";
import type { AuditDetail } from "../../model/submission.ts";
import type { PlanBook } from "../../ports/plan-book.ts";
import type { Clock } from "../../ports/runtime.ts";
import { type CancelChild, takeBack } from "../change-plan.ts";
import { isoTime, symbolOf } from "../plan-view.ts";
import { leftSaid, sumsOf } from "./calendar-ending.ts";
import { soldBody, unsoldWhy } from "./protection-ending.ts";

const OVER = "Its end has come.";
/** Between two cancels of one order, by `Clock.rising`. */
const CANCEL_APART_MS = 5_000;

export class PlanEnds {
  readonly #clock: Clock;
  readonly #book: PlanBook;
  readonly #cancelChild: CancelChild;
  /** Of whom it was told that they end, by this process. */
  readonly #told = new Set<string>();
  readonly #canceling = new Map<string, Promise<void>>();
  /** By `Clock.rising`. */
  readonly #canceledMs = new Map<string, number>();

  constructor(context: DeskContext, book: PlanBook, cancelChild: CancelChild) {
    const { parts } = context;
    this.#clock = parts.clock;
    this.#book = book;
    this.#cancelChild = cancelChild;
  }

  /**
   * @param exchangeMs the exchange's time; undefined where it is not known, or too far from ours: then none ends
   * @returns the plans that have not ended
   */
  async expire(open: readonly PlanRecord[], exchangeMs: number | undefined): Promise<readonly PlanRecord[]> {
    const left = await Promise.all(open.map((plan) => this.#after(plan, exchangeMs)));
    return left.filter((plan) => plan !== undefined);
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#canceling.values());
  }

  async #after(plan: PlanRecord, exchangeMs: number | undefined): Promise<PlanRecord | undefined> {
    const { planId, state, version, untilMs, openStep, progress } = plan;
    if (state === "awaiting_approval") return plan;
    const isOver = exchangeMs !== undefined && untilMs <= exchangeMs;
    if (openStep !== null && (isOver || progress.ending !== undefined)) {
      this.#takeBack(planId);
      return plan;
    }
    if (exchangeMs === undefined) return plan;
    if (!isOver) return this.#expiring(plan, exchangeMs);
    const children = await this.#book.children(planId);
    if (!children.ok) return plan;
    const { why, sums } = cameTo(plan, children.value);
    const { told: _, ...kept } = plan.progress;
    const body = { state: "expired", until: isoTime(untilMs), why, ...sums };
    const written = await this.#book.change({
      ...{ planId, version, to: "expired", progress: { ...kept, why }, atMs: this.#clock.now() },
      notices: [{ type: "plan.ended", key: String(version + 1), body }],
    });
    return written.ok && "written" in written.value ? undefined : plan;
  }

  /** Once, and not of a plan that was made for less than a day: whoever made it knows. */
  async #expiring(plan: PlanRecord, exchangeMs: number): Promise<PlanRecord> {
    const { planId, state, version, terms, untilMs, createdAtMs } = plan;
    const tells = state === "active" && isProtection(terms) && untilMs - createdAtMs > DAY_MS;
    if (!tells || untilMs - exchangeMs > DAY_MS || this.#told.has(planId)) return plan;
    const body = { symbol: symbolOf(terms), until: isoTime(untilMs) };
    const notices = [{ type: "plan.expiring", key: isoTime(untilMs), body }] as const;
    const written = await this.#book.change({ planId, version, notices, atMs: this.#clock.now() });
    if (!written.ok || !("written" in written.value)) return plan;
    this.#told.add(planId);
    return written.value.written;
  }

  /** Beside: a cancel waits until the exchange shows that the order is gone. */
  #takeBack(planId: string): void {
    const clock = this.#clock;
    const lastMs = this.#canceledMs.get(planId) ?? Number.NEGATIVE_INFINITY;
    if (this.#canceling.has(planId) || clock.rising() - lastMs < CANCEL_APART_MS) return;
    this.#canceledMs.set(planId, clock.rising());
    const canceling = takeBack(this.#book, this.#cancelChild, planId)
      .catch(() => undefined)
      .finally(() => this.#canceling.delete(planId));
    this.#canceling.set(planId, canceling);
  }
}

/** What a plan whose end has come was for, and what has come of it. */
function cameTo(
  recorded: PlanRecord,
  children: readonly IntentRecord[],
): { readonly why: string; readonly sums?: AuditDetail } {
  const plan = inForce(recorded);
  const { terms } = plan;
  if (terms.kind === "alert" || waitsForBuy(plan)) return { why: OVER };
  if (isProtection(terms)) return { why: unsoldWhy(terms, children), sums: soldBody(terms, children) };
  return { why: [OVER, ...leftSaid(terms, children)].join(" "), sums: sumsOf(terms, children) };
}

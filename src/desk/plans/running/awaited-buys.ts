/**
 * Looks after the buys that plans begin with: when one has ended, what it has brought and at what price becomes the plan's volume and levels.
 *
 * Invariants: a plan begins once, by its version, whoever looks; what the journal shows as ended is what counts, and the exchange is asked about a buy that
 * rests there, and what is held where others protect the coin; it is asked beside the runner's round, as an answer may take longer than the watch holds; what
 * keeps a plan from beginning is told where it lasts; coins are promised once; without such a plan nothing is read and nothing is asked.
 *
 * Source: decisions 0106, 0124.
 */
import { type Fault, localFault } from "../../../contract/index.ts";
import { formatAmount, type Quantity, quantity } from "../../../decimal/index.ts";
import { clockAhead, type DeskContext, exchangeNow, type ReadingParts } from "../../core/context.ts";
import type { IntentRecord } from "../../model/intent.ts";
import { isLive } from "../../model/intent-state.ts";
import type { AfterBuy, OcoTerms, PlanRecord } from "../../model/plan.ts";
import { inForce, isAfterBuy, waitsForBuy } from "../../model/plan.ts";
import type { AuditDetail } from "../../model/submission.ts";
import type { StreamWatch } from "../../ports/market-stream.ts";
import type { AdmitPlan, PlanBook, PlanChange } from "../../ports/plan-book.ts";
import { OrderTracker } from "../../reconciliation/order-tracker.ts";
import { leftToSell } from "../../risk/protected-coins.ts";
import { promisedBy } from "../plan-admission.ts";
import { inVain } from "../plan-buy.ts";
import { holdingOf } from "../plan-survey.ts";
import { type Beginning, beginningOf, beginningWith } from "../terms/after-terms.ts";
import { hasBuyEnded } from "../terms/bought.ts";
import { UnreadPlans } from "./hindrances.ts";
import type { PlanDefects } from "./plan-defects.ts";
import { PlanNotes } from "./plan-notes.ts";
import { PolicyNow, UNREADABLE_WHY } from "./policy-now.ts";

const NOTHING = quantity("0");
/** Between two questions about one buy or what it has brought, by `Clock.rising`; sooner where the exchange tells by itself that an order has changed. */
const ASK_EVERY_MS = 5_000;
const HINTED_APART_MS = 500;

type Begins = Extract<Beginning, { kind: "begins" }>;

type Awaiting = PlanRecord & { readonly terms: OcoTerms & { readonly after: AfterBuy } };

interface AwaitingParts {
  readonly context: DeskContext;
  readonly book: PlanBook;
  readonly defects: PlanDefects;
}

export class AwaitedBuys {
  readonly #context: DeskContext;
  readonly #parts: ReadingParts;
  readonly #book: PlanBook;
  readonly #wake: () => void;
  readonly #tracker: OrderTracker;
  readonly #unread: UnreadPlans;
  readonly #notes: PlanNotes;
  readonly #policy: PolicyNow;
  readonly #defects: PlanDefects;
  /** When the exchange was asked about a buy, by its intent. */
  readonly #askedMs = new Map<string, number>();
  /** What is under way of it, likewise, as are the next two. */
  readonly #doing = new Map<string, Promise<void>>();
  /** Other plans were found to protect some of what it has brought. */
  readonly #short = new Set<string>();
  /** When its plan may be begun again. */
  readonly #againMs = new Map<string, number>();
  #orders: StreamWatch | undefined;
  /** When it told of an order by itself, likewise. */
  #hintedMs = Number.NEGATIVE_INFINITY;

  /** @param wake something of a buy is known anew */
  constructor({ context, book, defects }: AwaitingParts, wake: () => void) {
    const { parts } = context;
    this.#context = context;
    this.#parts = parts;
    this.#book = book;
    this.#wake = wake;
    this.#tracker = new OrderTracker(context);
    this.#unread = new UnreadPlans(context, book);
    this.#notes = new PlanNotes({ context, book });
    this.#policy = new PolicyNow(parts);
    this.#defects = defects;
  }

  /** @returns the plans as they hold now; those whose buy brought nothing are left out, and those that wait still stand as they are */
  async look(active: readonly PlanRecord[]): Promise<readonly PlanRecord[]> {
    const awaits = active.some(waitsForBuy);
    this.#follow(awaits);
    if (!awaits) return active.map((plan) => inForce(plan));
    const left = await Promise.all(active.map(async (plan) => (isAwaiting(plan) ? this.#after(plan) : inForce(plan))));
    return left.filter((plan) => plan.state === "active").map((plan) => inForce(plan));
  }

  /** Looks at nothing. */
  rest(): void {
    this.#follow(false);
    this.#askedMs.clear();
    this.#unread.forget();
    this.#short.clear();
    this.#againMs.clear();
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#doing.values());
  }

  async #after(plan: Awaiting): Promise<PlanRecord> {
    const { planId, terms } = plan;
    const begunMs = this.#parts.clock.rising();
    const found = await this.#parts.journal.byId(terms.after.intentId);
    if (!found.ok) this.#unread.looked(planId, found.fault, begunMs);
    else if (found.value !== undefined && hasBuyEnded(found.value) !== true) this.#ask(plan, found.value);
    else this.#begin(plan, found.value);
    return this.#unread.tell(plan);
  }

  #begin(plan: Awaiting, buy: IntentRecord | undefined): void {
    const { intentId } = plan.terms.after;
    const { clock } = this.#parts;
    if (clock.rising() < (this.#againMs.get(intentId) ?? Number.NEGATIVE_INFINITY)) return;
    this.#beside(plan, async () => {
      const fault = await this.#tryToBegin(plan, buy);
      if (fault !== undefined) this.#againMs.set(intentId, clock.rising() + ASK_EVERY_MS);
      return fault;
    });
  }

  /** Over all that was bought, or what other plans leave of it. @returns what has kept it from that */
  async #tryToBegin(plan: Awaiting, buy: IntentRecord | undefined): Promise<Fault | undefined> {
    const now = this.#policy.read();
    if (now === undefined) return undefined;
    if ("unreadable" in now) {
      await this.#notes.attention(plan, UNREADABLE_WHY);
      return undefined;
    }
    const { symbol, after } = plan.terms;
    const found = await this.#context.market(symbol, "taken");
    if (!found.ok) return found.fault;
    const market = found.value;
    const all =
      buy === undefined ? ({ kind: "gone" } as const) : beginningOf(plan.terms, buy, market, now.policy.plans);
    const put = async (to: Beginning | Gone | Covered, held = NOTHING) => {
      const changed = await this.#book.change(this.#changeOf(plan, to, buy), admitOver(to, market.base, held));
      if (changed.ok && "written" in changed.value) this.#wake();
      return changed;
    };
    // As if nothing were held: where no other plan protects the coin that need not be known.
    const alone = await put(all);
    if (!alone.ok) return alone.fault;
    // Another may have begun it: it is read anew.
    if (all.kind !== "begins" || !("refused" in alone.value)) return undefined;
    const holding = await holdingOf(this.#context, market);
    if (!holding.ok) return holding.fault;
    const { held } = holding.value;
    const beside = await put(all, held);
    if (!beside.ok) return beside.fault;
    if (!("refused" in beside.value)) return undefined;
    if (!this.#short.has(after.intentId)) {
      // What was bought may be counted a moment after the buy has ended.
      this.#short.add(after.intentId);
      this.#againMs.set(after.intentId, this.#parts.clock.rising() + ASK_EVERY_MS);
      return undefined;
    }
    const { free } = beside.value.refused;
    const covered = { kind: "covered", volume: quantity(all.begins.volume) } as const;
    const less = await put(beginningWith(free, all, market) ?? covered, held);
    return less.ok ? undefined : less.fault;
  }

  #changeOf(plan: Awaiting, beginning: Beginning | Gone | Covered, buy: IntentRecord | undefined): PlanChange {
    const { planId, version, terms } = plan;
    const { after, symbol } = terms;
    const written = { planId, version, atMs: this.#parts.clock.now() };
    switch (beginning.kind) {
      case "begins":
        return {
          ...written,
          exchangeMs: exchangeNow(this.#context),
          ...begun(plan, beginning, buy, { sinceMs: written.atMs, ...clockAhead(this.#context) }),
        };
      case "in_vain":
        return { ...written, ...ended(plan, "canceled", inVainWhy(after, symbol, beginning)) };
      case "covered":
        return { ...written, ...ended(plan, "attention", coveredWhy(after, symbol, beginning)) };
      case "gone":
        return { ...written, ...ended(plan, "attention", `The journal does not know order ${after.order} any more.`) };
      default:
        return beginning satisfies never;
    }
  }

  /** What was never sent, or has no answer, is the reconciler's. */
  #ask(plan: Awaiting, buy: IntentRecord): void {
    const { intentId, orderId, state } = buy;
    if (!isLive(state) || orderId === null || this.#doing.has(intentId)) return;
    const risingMs = this.#parts.clock.rising();
    const lastMs = this.#askedMs.get(intentId) ?? Number.NEGATIVE_INFINITY;
    if (risingMs - lastMs < (lastMs < this.#hintedMs ? HINTED_APART_MS : ASK_EVERY_MS)) return;
    this.#askedMs.set(intentId, risingMs);
    this.#beside(plan, async () => {
      const answer = await this.#tracker.query(buy, orderId);
      if (!answer.ok) return answer.fault;
      if (answer.value.state !== "open") this.#wake();
      return undefined;
    });
  }

  /** An answer may take longer than the watch holds. @param step of one buy one at a time; it comes to what has hindered it */
  #beside({ planId, terms }: Awaiting, step: () => Promise<Fault | undefined>): void {
    const { intentId } = terms.after;
    if (this.#doing.has(intentId)) return;
    const begunMs = this.#parts.clock.rising();
    const doing = step()
      .catch((error: unknown) => {
        this.#defects.note(`beginning ${planId}`, error);
        return localFault("ELocal:Internal error");
      })
      .then((fault) => this.#unread.looked(planId, fault, begunMs))
      .finally(() => this.#doing.delete(intentId));
    this.#doing.set(intentId, doing);
  }

  #follow(isWanted: boolean): void {
    if (!isWanted) {
      this.#orders?.close();
      this.#orders = undefined;
      return;
    }
    this.#orders ??= this.#parts.stream?.watch({ channel: "orders" }, () => {
      this.#hintedMs = this.#parts.clock.rising();
      this.#wake();
    });
  }
}

/** The journal was put back to before the buy. */
interface Gone {
  readonly kind: "gone";
}

/** Other plans protect all that was bought. */
interface Covered {
  readonly kind: "covered";
  readonly volume: Quantity;
}

/** Coins are promised once: what others protect is read in the transaction in which it begins. */
function admitOver(
  beginning: Beginning | Gone | Covered,
  base: string,
  held: Quantity,
): AdmitPlan<{ readonly free: Quantity }> {
  return ({ open, children }) => {
    const others = leftToSell(base, promisedBy(open, children));
    if (beginning.kind !== "begins" || others.isZero()) return undefined;
    if (others.plus(quantity(beginning.begins.volume)).lte(held)) return undefined;
    return { free: others.gte(held) ? NOTHING : held.minus(others) };
  };
}

type Moved = Pick<PlanChange, "to" | "progress" | "notices" | "detail">;

function inVainWhy({ order }: AfterBuy, symbol: string, { volume }: Extract<Beginning, { kind: "in_vain" }>): string {
  if (volume.isZero()) return inVain(order);
  const [base = ""] = symbol.split("/", 1);
  return `Order ${order} has ended and bought ${formatAmount(volume, base)}, less than can be sold.`;
}

function coveredWhy({ order }: AfterBuy, symbol: string, { volume }: Covered): string {
  const [base = ""] = symbol.split("/", 1);
  return `Other plans protect the ${formatAmount(volume, base)} that order ${order} has bought: cancel one of them and start this one again, or cancel this one.`;
}

function restWhy({ order }: AfterBuy, symbol: string, bought: Quantity, rest: Quantity): string {
  const [base = ""] = symbol.split("/", 1);
  const [all, taken] = [bought, bought.minus(rest)].map((coins) => formatAmount(coins, base));
  return `Of ${all} that order ${order} has bought other plans protect ${taken} already: this one begins with the rest.`;
}

const NOTICE_OF = { canceled: "plan.ended", attention: "plan.attention" } as const;

function ended({ version, progress, terms }: Awaiting, to: keyof typeof NOTICE_OF, why: string): Moved {
  const { told: _, ...kept } = progress;
  const body = { state: to, symbol: terms.symbol, why };
  return { to, progress: { ...kept, why }, notices: [{ type: NOTICE_OF[to], key: String(version + 1), body }] };
}

/** Where its stop would lie below what was approved, a person has to look. */
function begun(
  { version, progress, terms }: Awaiting,
  { begins, high, trigger, floor, bought }: Begins,
  buy: IntentRecord | undefined,
  from: Pick<PlanRecord["progress"], "sinceMs" | "aheadMs">,
): Moved {
  const { symbol, after } = terms;
  const { why: _, told: __, aheadMs: ___, ...kept } = progress;
  const rest = bought && { why: restWhy(after, symbol, bought, quantity(begins.volume)) };
  const holds = { ...kept, begins, ...from, ...(high !== undefined && { high }), ...rest };
  const { volume, averagePrice, takePrice } = begins;
  const detail: AuditDetail = {
    ...{ symbol, by: "order", order_id: buy?.orderId ?? undefined, userref: buy?.userref, volume },
    ...{ average_price: averagePrice, trigger: trigger.toString(), take_price: takePrice, floor: floor.toString() },
    ...(high !== undefined && { high }),
    ...rest,
  };
  const key = String(version + 1);
  if (floor.lt(trigger)) {
    const notice = { type: "plan.active", key, body: { state: "active", ...detail } } as const;
    return { to: "active", progress: holds, notices: [notice], detail };
  }
  const why = `Order ${after.order} was executed so low that the stop would lie below the lowest price that was approved: make another plan.`;
  const notice = { type: "plan.attention", key, body: { state: "attention", ...detail, why } } as const;
  return { to: "attention", progress: { ...holds, why }, notices: [notice], detail };
}

function isAwaiting(plan: PlanRecord): plan is Awaiting {
  return isAfterBuy(plan.terms) && waitsForBuy(plan);
}

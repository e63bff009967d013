/**
 * Looks after the buys that plans begin with: when one has ended, what it has brought and at what price becomes the plan's volume and levels.
 *
 * Invariants: a plan begins once, by its version, whoever looks; what the journal shows as ended is what counts, and the exchange is asked about a buy that
 * rests there, and what is held when one has ended; coins are promised once; without such a plan nothing is read and nothing is asked.
 *
 * Source: decisions 0106, 0124.
 */
import type { Market } from "../../../contract/index.ts";
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

const NOTHING = quantity("0");
/** Between two questions about one buy, by `Clock.rising`; sooner where the exchange tells by itself that an order has changed. */
const ASK_EVERY_MS = 5_000;
const HINTED_APART_MS = 500;

type Begins = Extract<Beginning, { kind: "begins" }>;

type Awaiting = PlanRecord & { readonly terms: OcoTerms & { readonly after: AfterBuy } };

export class AwaitedBuys {
  readonly #context: DeskContext;
  readonly #parts: ReadingParts;
  readonly #book: PlanBook;
  readonly #wake: () => void;
  readonly #tracker: OrderTracker;
  readonly #unread: UnreadPlans;
  /** When the exchange was asked about a buy, by its intent. */
  readonly #askedMs = new Map<string, number>();
  readonly #asking = new Map<string, Promise<void>>();
  /** When other plans were first found to protect what a buy has brought, likewise. */
  readonly #shortMs = new Map<string, number>();
  #orders: StreamWatch | undefined;
  /** When it told of an order by itself, likewise. */
  #hintedMs = Number.NEGATIVE_INFINITY;

  /** @param wake something of a buy is known anew */
  constructor(context: DeskContext, book: PlanBook, wake: () => void) {
    const { parts } = context;
    this.#context = context;
    this.#parts = parts;
    this.#book = book;
    this.#wake = wake;
    this.#tracker = new OrderTracker(context);
    this.#unread = new UnreadPlans(context, book);
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
    this.#shortMs.clear();
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#asking.values());
  }

  async #after(plan: Awaiting): Promise<PlanRecord> {
    const { after, symbol } = plan.terms;
    const found = await this.#parts.journal.byId(after.intentId);
    if (!found.ok) return plan;
    const buy = found.value;
    if (buy !== undefined && hasBuyEnded(buy) !== true) {
      this.#ask(plan, buy);
      return this.#unread.tell(plan);
    }
    const [market, policy] = [await this.#context.market(symbol, "taken"), this.#parts.policy.read()];
    if (!market.ok || !policy.ok) return plan;
    const beginning =
      buy === undefined ? ({ kind: "gone" } as const) : beginningOf(plan.terms, buy, market.value, policy.value.plans);
    if (beginning.kind === "begins") return this.#begin(plan, beginning, buy, market.value);
    const written = await this.#book.change(this.#changeOf(plan, beginning, buy));
    // Another has begun it, or the store is away: it is read anew.
    return written.ok && "written" in written.value ? written.value.written : plan;
  }

  /** Over all that was bought, or what other plans leave of it. */
  async #begin(plan: Awaiting, all: Begins, buy: IntentRecord | undefined, market: Market): Promise<PlanRecord> {
    const { intentId } = plan.terms.after;
    const risingMs = this.#parts.clock.rising();
    const shortMs = this.#shortMs.get(intentId);
    if (shortMs !== undefined && risingMs - shortMs < ASK_EVERY_MS) return plan;
    const holding = await holdingOf(this.#context, market);
    const held = holding.ok ? holding.value.held : undefined;
    const put = (to: Beginning | Covered) =>
      this.#book.change(this.#changeOf(plan, to, buy), admitOver(to, market.base, held));
    const first = await put(all);
    if (!first.ok || "blocked" in first.value) return plan;
    if ("written" in first.value) return first.value.written;
    const { free } = first.value.refused;
    if (shortMs === undefined || free === undefined) {
      // What was bought may be counted a moment after the buy has ended.
      this.#shortMs.set(intentId, risingMs);
      return plan;
    }
    const { volume } = all.begins;
    const less = await put(beginningWith(free, all, market) ?? { kind: "covered", volume: quantity(volume) });
    return less.ok && "written" in less.value ? less.value.written : plan;
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

  /** Beside: an answer may take longer than the watch holds. What was never sent, or has no answer, is the reconciler's. */
  #ask({ planId }: Awaiting, buy: IntentRecord): void {
    const { intentId, orderId, state } = buy;
    if (!isLive(state) || orderId === null || this.#asking.has(intentId)) return;
    const risingMs = this.#parts.clock.rising();
    const lastMs = this.#askedMs.get(intentId) ?? Number.NEGATIVE_INFINITY;
    if (risingMs - lastMs < (lastMs < this.#hintedMs ? HINTED_APART_MS : ASK_EVERY_MS)) return;
    this.#askedMs.set(intentId, risingMs);
    const asking = this.#tracker
      .query(buy, orderId)
      // Asked again in its time.
      .catch(() => undefined)
      .then((answer) => {
        if (answer !== undefined) this.#unread.looked(planId, answer.ok ? undefined : answer.fault, risingMs);
        if (answer?.ok === true && answer.value.state !== "open") this.#wake();
      })
      .finally(() => this.#asking.delete(intentId));
    this.#asking.set(intentId, asking);
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

/** Coins are promised once: what others protect is read in the transaction in which it begins. @param held undefined where it could not be read */
function admitOver(
  beginning: Beginning | Covered,
  base: string,
  held: Quantity | undefined,
): AdmitPlan<{ readonly free: Quantity | undefined }> {
  return ({ open, children }) => {
    const others = leftToSell(base, promisedBy(open, children));
    if (beginning.kind !== "begins" || others.isZero()) return undefined;
    if (held === undefined) return { free: undefined };
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

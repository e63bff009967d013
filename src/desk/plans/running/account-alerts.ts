/**
 * Looks at the account for the alerts that are about it: a fill, what all of it is worth, what the day has lost.
 *
 * Invariants: the exchange is asked nothing where no such alert is active; what is read goes on beside the watch of markets, and is told in the runner's own
 * round, so only by the process that has the watch; a fill is a fact and is told whoever saw it, once the alert was active; worth and loss count from the
 * moment at which somebody looks, and what could not be read counts for nothing.
 *
 * Source: decision 0116.
 */
import { type Fault, faultKind, type Ticker } from "../../../contract/index.ts";
import { Fraction } from "../../../decimal/index.ts";
import { attempt } from "../../core/attempt.ts";
import { type DeskContext, exchangeNow, type ReadingParts } from "../../core/context.ts";
import type { AlertTerms, PlanRecord } from "../../model/plan.ts";
import type { AuditDetail } from "../../model/submission.ts";
import type { DayLoss } from "../../portfolio/day-loss.ts";
import type { HistoryReader } from "../../portfolio/history-reader.ts";
import { worthOf } from "../../portfolio/portfolio.ts";
import type { StreamWatch } from "../../ports/market-stream.ts";
import type { PlanBook } from "../../ports/plan-book.ts";
import { isoTime } from "../plan-view.ts";
import { FillsSeen } from "./fills-seen.ts";
import { UnreadPlans } from "./hindrances.ts";

/** What the account has lost and is worth. */
const LOOK_EVERY_MS = 30_000;
/** Where the exchange tells of own orders by itself, what it tells is looked at, and all else now and then. */
const FILLS_EVERY_MS = 15_000;
const FILLS_LIVE_EVERY_MS = 60_000;
/** Told of an order the list of fills is read, and once more, as it may be late; of one that lists them in their orders seldom. */
const HINTED_LOOKS = 2;
const HINTED_APART_MS = 5_000;
const HINTED_APART_BY_ORDER_MS = 30_000;
/** One look may have met a price that nobody else sees. */
const WORTH_LOOKS = 2;
const FIGURE_DECIMALS = 8;

/** What the account's figures are read by; a desk has them already. */
export interface AccountFigures {
  readonly history: () => HistoryReader;
  readonly dayLoss: () => Pick<DayLoss, "read">;
}

type What = "fill" | "portfolio" | "day_loss";
type AccountAlert = PlanRecord & { readonly terms: AlertTerms & { readonly event: What } };

/** What has come true, and of which version of the plan. */
interface Told {
  readonly version: number;
  readonly body: AuditDetail;
}

/** @returns what kept it from being one */
type Look = (alerts: readonly AccountAlert[]) => Promise<Fault | undefined>;

export class AccountAlerts {
  readonly #context: DeskContext;
  readonly #parts: ReadingParts;
  readonly #book: PlanBook;
  readonly #figures: AccountFigures;
  readonly #fills: FillsSeen;
  readonly #unread: UnreadPlans;
  readonly #wake: () => void;
  readonly #due = new Map<string, Told>();
  /** In how many looks, one after the other, the account was worth what is waited for. */
  readonly #stood = new Map<string, { readonly version: number; readonly looks: number }>();
  /** Not before then, by `Clock.rising`. */
  readonly #nextMs = new Map<What, number>();
  readonly #looking = new Set<What>();
  #hinted = 0;
  #orders: StreamWatch | undefined;
  /** What was begun before this one is of no use any more. */
  #round = 0;

  /** @param wake something is to be told */
  constructor(context: DeskContext, book: PlanBook, figures: AccountFigures, wake: () => void) {
    const { parts } = context;
    this.#context = context;
    this.#parts = parts;
    this.#book = book;
    this.#figures = figures;
    this.#fills = new FillsSeen(context, figures.history);
    this.#unread = new UnreadPlans(context, book);
    this.#wake = wake;
  }

  /** Tells what has come true, and begins to look where that is due. @param active as they were just read */
  async look(active: readonly PlanRecord[]): Promise<void> {
    const alerts = active.flatMap((plan) => accountAlert(plan) ?? []);
    for (const alert of alerts) await this.#tellOnce(alert);
    for (const planId of this.#due.keys()) if (!alerts.some((each) => each.planId === planId)) this.#due.delete(planId);
    const waiting = alerts.filter(({ planId }) => !this.#due.has(planId));
    const left = await Promise.all(waiting.map((alert) => this.#unread.tell(alert)));
    const of = (what: What) => left.filter(({ terms }) => terms.event === what);
    this.#followOrders(of("fill").length > 0);
    this.#begin("fill", of("fill"), (those) => this.#lookForFills(those));
    this.#begin("portfolio", of("portfolio"), (those) => this.#lookAtWorth(those));
    this.#begin("day_loss", of("day_loss"), (those) => this.#lookAtLoss(those));
  }

  /** Looks at nothing, and forgets what it has seen. */
  rest(): void {
    this.#round += 1;
    this.#due.clear();
    this.#stood.clear();
    this.#nextMs.clear();
    this.#looking.clear();
    this.#fills.forget();
    this.#unread.forget();
    this.#followOrders(false);
  }

  async #tellOnce({ planId, version }: AccountAlert): Promise<void> {
    const told = this.#due.get(planId);
    if (told === undefined) return;
    // Of another version it is judged anew.
    const written =
      told.version === version &&
      (await this.#book.change({
        ...{ planId, version, to: "done", atMs: this.#parts.clock.now() },
        notices: [{ type: "alert.fired", key: String(version + 1), body: told.body }],
        trigger: told.body,
      }));
    // A store that is away is asked again.
    if (written === false || written.ok) this.#due.delete(planId);
  }

  #followOrders(isWanted: boolean): void {
    if (!isWanted) {
      this.#orders?.close();
      this.#orders = undefined;
      this.#hinted = 0;
      return;
    }
    this.#orders ??= this.#parts.stream?.watch({ channel: "orders" }, () => {
      this.#hinted = HINTED_LOOKS;
    });
  }

  #begin(what: What, alerts: readonly AccountAlert[], look: Look): void {
    if (alerts.length === 0 || this.#looking.has(what)) return;
    const risingMs = this.#parts.clock.rising();
    if (risingMs < (this.#nextMs.get(what) ?? risingMs) && !this.#isHinted(what, risingMs)) return;
    const round = this.#round;
    this.#looking.add(what);
    this.#nextMs.set(what, risingMs + this.#everyMs(what));
    if (what === "fill") this.#hinted = Math.max(0, this.#hinted - 1);
    look(alerts)
      .then((fault) => {
        if (this.#round === round) for (const { planId } of alerts) this.#unread.looked(planId, fault, risingMs);
      })
      // A defect, as of a store that was closed under it: the next look is due as ever.
      .catch((error: unknown) => this.#parts.onDefect?.(error))
      .finally(() => {
        if (this.#round === round) this.#looking.delete(what);
      });
  }

  #everyMs(what: What): number {
    if (what !== "fill") return LOOK_EVERY_MS;
    return this.#orders?.live === true || this.#fills.isByOrder ? FILLS_LIVE_EVERY_MS : FILLS_EVERY_MS;
  }

  #isHinted(what: What, risingMs: number): boolean {
    if (what !== "fill" || this.#hinted === 0) return false;
    const lookedMs = (this.#nextMs.get(what) ?? risingMs) - this.#everyMs(what);
    return risingMs - lookedMs >= (this.#fills.isByOrder ? HINTED_APART_BY_ORDER_MS : HINTED_APART_MS);
  }

  async #lookForFills(alerts: readonly AccountAlert[]): Promise<Fault | undefined> {
    const round = this.#round;
    const { found, fault } = await this.#fills.firstOf(alerts);
    if (this.#round !== round) return undefined;
    for (const alert of alerts) {
      const fill = found.get(alert.planId);
      if (fill === undefined) continue;
      const { symbol, side, volume, price, value, orderId, atMs } = fill;
      this.#found(alert, { symbol, side, volume, price, value, order_id: orderId, at: isoTime(atMs) });
    }
    return fault;
  }

  async #lookAtWorth(alerts: readonly AccountAlert[]): Promise<Fault | undefined> {
    const round = this.#round;
    const { venue } = this.#parts;
    const [held, tickers] = await Promise.all([venue.accounts(), venue.tickers()]);
    if (this.#round !== round) return undefined;
    const fault = held.ok ? (tickers.ok ? undefined : tickers.fault) : held.fault;
    if (!held.ok || !tickers.ok) {
      this.#stood.clear();
      this.#wait("portfolio", fault);
      return fault;
    }
    const worth = this.#worth(held.value.balances, tickers.value);
    for (const alert of alerts) {
      const { planId, version, terms } = alert;
      if (terms.event !== "portfolio") continue;
      const isThere =
        "above" in terms ? worth.cmp(Fraction.of(terms.above)) >= 0 : worth.cmp(Fraction.of(terms.below)) <= 0;
      const before = this.#stood.get(planId);
      const looks = isThere ? 1 + (before?.version === version ? before.looks : 0) : 0;
      this.#stood.set(planId, { version, looks });
      if (looks < WORTH_LOOKS) continue;
      const asked = "above" in terms ? { above: terms.above } : { below: terms.below };
      this.#found(alert, { ...asked, ...this.#figure("worth", worth.rounded(FIGURE_DECIMALS, "half_even")) });
    }
    return undefined;
  }

  #worth(balances: Parameters<typeof worthOf>[0], tickers: readonly Ticker[]): Fraction {
    return worthOf(balances, { tickers, unit: this.#context.unit });
  }

  async #lookAtLoss(alerts: readonly AccountAlert[]): Promise<Fault | undefined> {
    const round = this.#round;
    const { value: loss, fault } = await attempt(() => this.#figures.dayLoss().read());
    if (this.#round !== round) return undefined;
    if (loss === undefined) {
      this.#wait("day_loss", fault);
      return fault;
    }
    for (const alert of alerts) {
      const { terms } = alert;
      if (terms.event !== "day_loss" || Fraction.of(loss.toString()).cmp(Fraction.of(terms.above)) < 0) continue;
      this.#found(alert, { above: terms.above, ...this.#figure("loss", loss.toString()) });
    }
    return undefined;
  }

  #figure(name: "worth" | "loss", value: string): AuditDetail {
    const at = isoTime(exchangeNow(this.#context));
    return { [name]: value, unit: this.#context.unit, at };
  }

  #found({ planId, version, terms }: AccountAlert, body: AuditDetail): void {
    this.#due.set(planId, { version, body: { event: terms.event, ...body } });
    this.#wake();
  }

  /** An exchange that asks for a pause is left alone for as long. */
  #wait(what: What, fault: Fault | undefined): void {
    if (fault === undefined || faultKind(fault.code) !== "rate") return;
    const untilMs = this.#parts.clock.rising() + (fault.retryAfterMs ?? LOOK_EVERY_MS);
    this.#nextMs.set(what, Math.max(untilMs, this.#nextMs.get(what) ?? untilMs));
  }
}

function accountAlert(plan: PlanRecord): AccountAlert | undefined {
  const { terms } = plan;
  return terms.kind === "alert" && terms.event !== "price" ? { ...plan, terms } : undefined;
}

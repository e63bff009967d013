/**
 * Looks after the plans of an account while it has the watch of them: at every sample of their markets, and twice a second besides, or
 * once where all only wait for a price.
 *
 * Invariants: without the watch nothing is done, and nothing depends on having it: what is written of a plan asks for the version that was judged, so an alert
 * tells once, whoever else looks; whoever begins to look, and whoever stood still for longer than the watch holds, sees every price anew; when nobody looked
 * is written down first.
 *
 * Source: decision 0108; decision 0105; decision 0131.
 */
import type { DeskContext, ReadingParts } from "../../core/context.ts";
import type { ChildOrders, ClaimedOrders } from "../../execution/place-child.ts";
import { OWN_MAX } from "../../market/own-orders.ts";
import { RECENT_MS } from "../../market/recent-trades.ts";
import type { PlanRecord } from "../../model/plan.ts";
import { waitsForBuy } from "../../model/plan.ts";
import type { PlanBook } from "../../ports/plan-book.ts";
import { symbolOf } from "../plan-view.ts";
import { MarketWatch } from "../watch/market-watch.ts";
import { PlanGaps, type TakeOver } from "../watch/plan-gaps.ts";
import type { Sample } from "../watch/trigger.ts";
import { type Triggered, WaitingPlans } from "../watch/waiting-plans.ts";
import { WatchSeen } from "../watch/watch-seen.ts";
import { AccountAlerts, type AccountFigures } from "./account-alerts.ts";
import { AskedTime } from "./asked-time.ts";
import { AwaitedBuys } from "./awaited-buys.ts";
import { ClockGaps } from "./clock-gaps.ts";
import { OneSidedBooks } from "./one-sided-books.ts";
import { PlanDefects } from "./plan-defects.ts";
import type { PlanEnds } from "./plan-ends.ts";
import { PlanSteps } from "./plan-steps.ts";
import { Protections } from "./protections.ts";
import { levelDetail, sampleDetail } from "./trigger-detail.ts";

/** Whoever has not renewed the watch for so long has lost it. */
const LEASE_MS = 5_000;
const RENEW_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 500;

export interface PlanRunnerParts {
  readonly context: DeskContext;
  readonly book: PlanBook;
  readonly children: ChildOrders & ClaimedOrders;
  readonly ends: PlanEnds;
  readonly figures: AccountFigures;
}

export class PlanRunner {
  readonly #context: DeskContext;
  readonly #parts: ReadingParts;
  readonly #book: PlanBook;
  readonly #account: string;
  readonly #holder: string;
  readonly #gaps: PlanGaps;
  readonly #clockGaps: ClockGaps;
  readonly #time: AskedTime;
  readonly #ends: PlanEnds;
  readonly #steps: PlanSteps;
  readonly #protections: Protections;
  readonly #ofAccount: AccountAlerts;
  readonly #buys: AwaitedBuys;
  readonly #books: OneSidedBooks;
  readonly #waiting = new WaitingPlans();
  readonly #seen = new WatchSeen();
  /** Alerts whose price has stood for long enough and that were not told yet, by plan. */
  readonly #due = new Map<string, Triggered>();
  /** The active ones, as they were read last. */
  #active: readonly PlanRecord[] = [];
  #watch: MarketWatch | undefined;
  /** By `Clock.rising`, as is when it was renewed. */
  #leaseEndsMs = Number.NEGATIVE_INFINITY;
  #renewedMs = Number.NEGATIVE_INFINITY;
  /** By the clock that may be set, which also counts while the machine sleeps. */
  #renewedNowMs = Number.NEGATIVE_INFINITY;
  #takenOver: TakeOver | undefined;
  /** Of the watch of the markets. */
  #defect: { readonly error: unknown } | undefined;
  #isClosing = false;
  #isIdle = false;
  /** Nothing but a price is waited for. */
  #waits = false;
  #sleeping = new AbortController();

  constructor({ context, book, children, ends, figures }: PlanRunnerParts, account: string) {
    const { parts } = context;
    this.#context = context;
    this.#parts = parts;
    this.#book = book;
    this.#account = account;
    this.#holder = parts.ids.intentId();
    this.#gaps = new PlanGaps(context, book, account);
    this.#clockGaps = new ClockGaps(parts);
    this.#time = new AskedTime(parts);
    this.#ends = ends;
    const running = { context, book, children, defects: new PlanDefects(parts) };
    this.#steps = new PlanSteps(running);
    this.#protections = new Protections(running);
    this.#ofAccount = new AccountAlerts(context, book, figures, () => this.#sleeping.abort());
    this.#buys = new AwaitedBuys(running, () => this.#sleeping.abort());
    this.#books = new OneSidedBooks(running);
  }

  /** Until it is closed. @throws a defect, after which it looks at nothing more */
  async run(): Promise<void> {
    const { clock } = this.#parts;
    try {
      while (!this.#isClosing) {
        this.#sleeping = new AbortController();
        await this.#look();
        if (this.#defect !== undefined) throw this.#defect.error;
        if (!this.#isClosing) await clock.sleep(this.#restMs(), this.#sleeping.signal);
      }
    } finally {
      const had = this.#hasWatch;
      // A gap goes on where others are to look, and ends where nothing is to be seen.
      if (had && this.#isIdle) await this.#gaps.write([]);
      await this.#rest();
      await this.#protections.ended();
      await this.#steps.ended();
      await this.#time.ended();
      await this.#buys.ended();
      // Another may look at once.
      if (had) await this.#book.leaveWatch(this.#account, this.#holder);
    }
  }

  /** @param isIdle no plan is active any more */
  close(isIdle: boolean): void {
    this.#isClosing = true;
    this.#isIdle = isIdle;
    this.#sleeping.abort();
  }

  get #hasWatch(): boolean {
    return this.#parts.clock.rising() < this.#leaseEndsMs;
  }

  /** Where all only wait for a price, whose samples wake it, the store has nothing to say before the watch is to be renewed. */
  #restMs(): number {
    if (!this.#waits || this.#due.size > 0 || this.#protections.isActing) return LOOK_EVERY_MS;
    return Math.max(LOOK_EVERY_MS, this.#renewedMs + RENEW_EVERY_MS - this.#parts.clock.rising());
  }

  async #look(): Promise<void> {
    this.#waits = false;
    await this.#renew();
    if (!this.#hasWatch) {
      await this.#rest();
      return;
    }
    const open = await this.#book.open(this.#account);
    // A store that is away is asked again; what is written of a plan meanwhile asks for its version.
    if (!open.ok) return;
    const watch = this.#watching();
    const exchangeMs = watch.exchangeNowMs();
    // Asked anew by whatever takes long: meanwhile a clock may be set, or measured, and the machine may sleep.
    const dueMs = () => (this.#time.isKnown(open.value) ? this.#watch?.exchangeNowMs() : undefined);
    const left = await this.#ends.expire(open.value, dueMs());
    this.#active = await this.#buys.look(left.filter(({ state }) => state === "active"));
    this.#protections.prepare(this.#active);
    const waiting = this.#protections.waiting(this.#active);
    this.#waiting.set(waiting);
    this.#waits = waiting.length === this.#active.length && left.every(({ openStep }) => openStep === null);
    watch.follow([...new Set(waiting.map(({ symbol }) => symbol))]);
    // One that waits for a buy waits for no price.
    const watched = this.#active.filter((plan) => !waitsForBuy(plan));
    // By the exchange's clock, of which a machine that slept knows nothing before it has asked.
    if (this.#takenOver !== undefined && this.#time.isKnown(open.value)) {
      const told = await this.#gaps.takeOver(this.#takenOver, watched);
      if (told.ok) this.#takenOver = undefined;
    }
    for (const gap of this.#clockGaps.look(this.#active, exchangeMs)) this.#gaps.tell(gap);
    await this.#gaps.write(watched);
    // Beside: an order may take longer than the watch holds.
    this.#steps.begin(left, dueMs, () => this.#hasWatch);
    for (const triggered of [...this.#due.values()]) await this.#tellOnce(triggered);
    this.#active = await this.#books.look(this.#active, watch);
    this.#active = await this.#protections.look(this.#active, watch, () => this.#watch === watch && this.#hasWatch);
    await this.#ofAccount.look(this.#active);
  }

  async #renew(): Promise<void> {
    const { clock } = this.#parts;
    const here = { nowMs: clock.now(), risingMs: clock.rising() };
    const { nowMs, risingMs } = here;
    if (risingMs - this.#renewedMs < RENEW_EVERY_MS) return;
    const turn = await this.#book.takeWatch(this.#account, {
      ...{
        holder: this.#holder,
        nowMs,
        leaseMs: LEASE_MS,
        goesOn: this.#hasWatch && nowMs - this.#renewedNowMs < LEASE_MS,
      },
      overdue: this.#seen.overdue(here, LEASE_MS),
    });
    // Until the watch that it has ends by itself.
    if (!turn.ok) return;
    this.#renewedMs = risingMs;
    this.#renewedNowMs = nowMs;
    const { isMine, watch, seenBeforeMs: seenMs } = turn.value;
    const isNew = isMine && watch.sinceMs === nowMs;
    if (!isMine || isNew) await this.#rest();
    this.#leaseEndsMs = isMine ? risingMs + LEASE_MS : Number.NEGATIVE_INFINITY;
    const seenBeforeMs = seenMs === undefined ? undefined : this.#seen.lookedLastMs(seenMs, here);
    if (isNew) this.#takenOver = { atMs: nowMs, seenBeforeMs };
    this.#seen.note(watch, { nowMs: clock.now(), risingMs: clock.rising() });
  }

  /** Looks at nothing, and forgets what it has seen. */
  async #rest(): Promise<void> {
    const watch = this.#watch;
    this.#watch = undefined;
    this.#active = [];
    this.#due.clear();
    this.#protections.forget();
    this.#waiting.set([]);
    this.#gaps.forget();
    this.#clockGaps.forget();
    this.#ofAccount.rest();
    this.#buys.rest();
    this.#takenOver = undefined;
    await watch?.close();
  }

  #watching(): MarketWatch {
    if (this.#watch !== undefined) return this.#watch;
    const { venue, stream, clock, journal } = this.#parts;
    const watch = new MarketWatch(
      {
        ...{ venue, stream, clock, isPractice: () => this.#context.isPractice },
        own: () => journal.openOrExecuted(this.#account, clock.now() - RECENT_MS, OWN_MAX),
      },
      {
        sampled: (symbol, sample) => {
          // Else it is somebody else's to see, or was not looked at for long.
          return this.#watch === watch && this.#hasWatch ? this.#sampled(symbol, sample) : undefined;
        },
        gap: (gap) => {
          if (this.#watch !== watch) return;
          this.#gaps.tell(gap);
          this.#sleeping.abort();
        },
        failed: (error) => {
          if (this.#watch !== watch) return;
          this.#defect ??= { error };
          this.#sleeping.abort();
        },
      },
    );
    this.#watch = watch;
    return watch;
  }

  #sampled(symbol: string, sample: Sample): number | undefined {
    const outcome = this.#waiting.sampled(symbol, sample);
    if (this.#protections.sampled(symbol, outcome)) this.#sleeping.abort();
    for (const triggered of outcome.triggered) {
      if (triggered.leg !== "alert" || this.#due.has(triggered.planId)) continue;
      this.#due.set(triggered.planId, triggered);
      this.#sleeping.abort();
    }
    return outcome.stoodAtMs;
  }

  /** As long as the price stands it is told again, so whoever was kept from it tries again. */
  async #tellOnce({ planId, level, first, last }: Triggered): Promise<void> {
    this.#due.delete(planId);
    const plan = this.#active.find((each) => each.planId === planId);
    if (plan === undefined || !this.#hasWatch) return;
    const { clock } = this.#parts;
    const [begun, stood] = [sampleDetail(first), sampleDetail(last)];
    const symbol = symbolOf(plan.terms);
    const asked = levelDetail({ level });
    const written = await this.#book.change({
      ...{ planId, version: plan.version, to: "done", atMs: clock.now() },
      notices: [{ type: "alert.fired", key: String(plan.version + 1), body: { symbol, ...asked, ...stood } }],
      trigger: { symbol, ...asked, first: begun, last: stood },
    });
    if (written.ok && "written" in written.value) this.#active = this.#active.filter((each) => each.planId !== planId);
  }
}

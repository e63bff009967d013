/**
 * Owns when what pages are told of is asked for: as the exchange's stream tells of a change, and, within a second, as the store shows that somebody has
 * done something, in this process or another.
 *
 * Invariants: it asks once for all pages, and nothing while nobody listens; the exchange is asked about a change at most as often as the topic's
 * interval says, however often it changes; what cannot be had is not told, and asked for again.
 *
 * Source: decision 0044.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { defined, type Result } from "../../contract/index.ts";
import type { Desk, DeskStatus } from "../../desk/index.ts";
import type { ConsoleAssistants, ConsoleEvents } from "./console-api.ts";
import type { ConsoleReads } from "./console-reads.ts";
import type { EventBoard, Topic } from "./event-board.ts";
import { followedMarket, type MarketFeed } from "./market-feed.ts";
import { Paced } from "./paced.ts";
import { StreamTopicWatch } from "./stream-topic-watch.ts";

/** Milliseconds between two of a kind. The list of orders is the heaviest call there is: more often, it would leave no rate for orders themselves. */
const INTERVAL = {
  approvals: 200,
  assistants: 250,
  orders: 2_000,
  plans: 500,
  status: 400,
  changed: 500,
  account: 1_000,
} as const;
const LOOK_EVERY_MS = 750;
/** In looks. What the stream tells of is asked for seldom besides. */
const EVERY = { tickers: 2, plans: 2, unfollowed: 2, watch: 5, orders: 5, status: 10, followedOrders: 30 } as const;
/** After the last page is gone: it may come again. */
const LINGER_MS = 30_000;

export interface Assistants {
  view(): ConsoleAssistants;
  /** @param listener told of every change. @returns ends it */
  onChange(listener: () => void): () => void;
}

export interface FeedParts {
  readonly desk: Desk;
  readonly reads: ConsoleReads;
  readonly board: EventBoard;
  readonly assistants: Assistants | undefined;
  /** Tells what of the session's view may change, such as whether a PIN is set. */
  readonly persons: () => Promise<unknown>;
  /** Something new is on the board. */
  readonly onPost: () => void;
  /** Called with every look. */
  readonly onLook: () => void;
  readonly onError: (error: unknown) => void;
}

type What = ConsoleEvents["changed"]["what"][number];
const WHATS: readonly What[] = ["portfolio", "history", "fills", "audit", "policy", "session"];
const OF_TRADING: readonly What[] = ["portfolio", "history", "fills"];

export class ConsoleFeed {
  readonly #parts: FeedParts;
  /** Sets apart what goes on for all pages: it belongs to none of the requests that begin it. */
  readonly #apart = AsyncLocalStorage.snapshot();
  readonly #symbols = new Map<string, { readonly feed: MarketFeed; count: number }>();
  #run: FeedRun | undefined;
  #listening = 0;
  #linger: NodeJS.Timeout | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** @param symbol whose book and trades are followed too. @returns ends it */
  follow(symbol: string | undefined): () => void {
    this.#listening += 1;
    clearTimeout(this.#linger);
    this.#run ??= this.#apart(
      () => new FeedRun(this.#parts, () => [...this.#symbols.values()].map(({ feed }) => feed)),
    );
    const leave = symbol === undefined ? () => undefined : this.#join(symbol);
    return () => {
      leave();
      this.#listening -= 1;
      if (this.#listening === 0) this.#linger = setTimeout(() => this.close(), LINGER_MS).unref();
    };
  }

  close(): void {
    clearTimeout(this.#linger);
    this.#run?.close();
    this.#run = undefined;
  }

  #join(symbol: string): () => void {
    const joined = this.#symbols.get(symbol) ?? {
      feed: this.#apart(() => followedMarket(symbol, this.#parts)),
      count: 0,
    };
    this.#symbols.set(symbol, joined);
    joined.count += 1;
    return () => {
      joined.count -= 1;
      if (joined.count > 0) return;
      this.#symbols.delete(symbol);
      joined.feed.close();
    };
  }
}

/** Carries what is the same for all pages, while at least one listens. */
class FeedRun {
  readonly #parts: FeedParts;
  readonly #markets: () => readonly MarketFeed[];
  readonly #paced: Readonly<
    Record<"status" | "approvals" | "orders" | "plans" | "tickers" | "assistants" | "changed", Paced>
  >;
  readonly #own: { readonly orders: StreamTopicWatch; readonly balances: StreamTopicWatch };
  readonly #marks = new Map<string, string>();
  readonly #changed = new Set<What>();
  readonly #leave: () => void;
  #status: DeskStatus | undefined;
  #looks = 0;
  #changes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: FeedParts, markets: () => readonly MarketFeed[]) {
    const { reads, assistants, onError } = parts;
    this.#parts = parts;
    this.#markets = markets;
    const paced = (ms: number, work: () => Promise<void>): Paced => new Paced(ms, work, onError);
    this.#paced = {
      status: paced(INTERVAL.status, () => this.#tellStatus()),
      approvals: paced(INTERVAL.approvals, () => this.#tellApprovals()),
      orders: paced(INTERVAL.orders, () => this.#tellOrders()),
      plans: paced(INTERVAL.plans, () => this.#tellPlans()),
      tickers: paced(INTERVAL.account, () => this.#tell("tickers", reads.tickers(true))),
      assistants: paced(
        INTERVAL.assistants,
        async () => void this.#post("assistants", assistants?.view() ?? NO_ASSISTANTS),
      ),
      changed: paced(INTERVAL.changed, async () => this.#tellChanged()),
    };
    this.#own = {
      orders: new StreamTopicWatch(parts, { channel: "orders" }, () => {
        this.#paced.orders.wake();
        this.#note(...OF_TRADING);
      }),
      balances: new StreamTopicWatch(parts, { channel: "balances" }, () => this.#note("portfolio")),
    };
    this.#leave = assistants?.onChange(() => this.#paced.assistants.wake()) ?? (() => undefined);
    // A page that comes again does not know what happened while nobody listened.
    this.#note(...WHATS);
    for (const each of Object.values(this.#paced)) each.wake();
    void this.#look();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#leave();
    for (const each of Object.values(this.#paced)) each.close();
    for (const watch of Object.values(this.#own)) watch.close();
    // Nobody is shown what was, when the next page comes.
    for (const topic of ["status", "approvals", "orders", "plans", "tickers", "assistants"] as const)
      this.#parts.board.drop(topic);
  }

  async #look(): Promise<void> {
    const { onLook, onError } = this.#parts;
    try {
      onLook();
      this.#wakeDue();
      await this.#lookAtStore();
    } catch (error) {
      onError(error);
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  #wakeDue(): void {
    const { status, approvals, orders, plans, tickers, assistants } = this.#paced;
    const isDue = (every: number): boolean => this.#looks % every === 0;
    approvals.wake();
    assistants.wake();
    if (isDue(EVERY.tickers)) tickers.wake();
    if (isDue(EVERY.plans)) plans.wake();
    if (isDue(EVERY.status)) status.wake();
    if (isDue(this.#own.orders.isLive ? EVERY.followedOrders : EVERY.orders)) orders.wake();
    if (isDue(EVERY.watch)) for (const watch of Object.values(this.#own)) watch.open();
    for (const market of this.#markets()) market.look(isDue(EVERY.unfollowed));
    this.#looks += 1;
  }

  async #lookAtStore(): Promise<void> {
    const { desk, persons } = this.#parts;
    const [standing, log, policy, known] = await Promise.all([
      desk.standing(),
      desk.audit({ limit: 1 }),
      desk.policy(),
      persons(),
    ]);
    const stored = standing.ok ? { ...standing.value, clockOffsetMs: undefined } : standing.fault.code;
    const hasStep = this.#isNew("log", log.ok ? log.value.entries : log.fault.code);
    if (hasStep) this.#note("audit", ...OF_TRADING);
    const isOther = this.#isNew("standing", stored);
    if (standing.ok) this.#tellBrake(standing.value.brake);
    if (this.#isNew("policy", policy)) {
      this.#note("policy", "session");
      this.#paced.status.wake();
    }
    if (this.#isNew("persons", known)) this.#note("session");
    if (!hasStep && !isOther) return;
    this.#paced.status.wake();
    this.#paced.orders.wake();
    this.#paced.plans.wake();
  }

  async #tellStatus(): Promise<void> {
    const read = await this.#parts.reads.status(true);
    if (!read.ok) return;
    this.#status = read.value;
    this.#postStatus(read.value);
  }

  /** At once, as the rest of the status is the exchange's to tell, which may take its time. */
  #tellBrake(brake: DeskStatus["brake"]): void {
    if (this.#status === undefined || JSON.stringify(this.#status.brake) === JSON.stringify(brake)) return;
    const { brake: _before, ...rest } = this.#status;
    this.#status = { ...rest, ...defined({ brake }), can_trade: false, largest_buy: "0" };
    this.#postStatus(this.#status);
  }

  #postStatus({ now, clock_offset_ms, ...status }: DeskStatus): void {
    this.#post("status", { now, clock_offset_ms, ...status }, status);
  }

  async #tellApprovals(): Promise<void> {
    const read = await this.#parts.reads.approvals(true);
    if (!read.ok) return;
    this.#post("approvals", read.value);
    if (
      !this.#isNew(
        "waiting",
        read.value.waiting.map(({ id, digest }) => [id, digest]),
      )
    )
      return;
    this.#paced.status.wake();
    this.#paced.orders.wake();
  }

  async #tellOrders(): Promise<void> {
    const read = await this.#parts.reads.openOrders(true);
    if (read.ok && this.#post("orders", read.value)) this.#note(...OF_TRADING);
  }

  async #tellPlans(): Promise<void> {
    const read = await this.#parts.reads.plans({ which: "open" }, true);
    if (read.ok) this.#post("plans", read.value, newsOf(read.value));
  }

  async #tell<View>(topic: Topic, reading: Promise<Result<View>>, mark?: (view: View) => unknown): Promise<void> {
    const read = await reading;
    if (read.ok) this.#post(topic, read.value, mark?.(read.value));
  }

  #note(...what: readonly What[]): void {
    for (const each of what) this.#changed.add(each);
    this.#paced.changed.wake();
  }

  #tellChanged(): void {
    // Who is told to read anew is not answered with what was.
    this.#parts.reads.forget();
    for (const what of this.#changed) {
      this.#changes += 1;
      this.#post(`changed ${what}`, { what: [what] }, this.#changes);
    }
    this.#changed.clear();
  }

  #post(topic: Topic, view: unknown, mark: unknown = view): boolean {
    return !this.#isClosed && posted(this.#parts, topic, view, mark);
  }

  /** Tells whether it is another than at the last look; at the first look nothing is. */
  #isNew(name: string, value: unknown): boolean {
    const text = JSON.stringify(value) ?? "";
    const last = this.#marks.get(name);
    this.#marks.set(name, text);
    return last !== undefined && last !== text;
  }
}

/** That somebody has looked again is no news, nor is a measurement of the exchange's clock, by which times since when are told. */
function newsOf({ plans, watch: { gaps, watched_since } }: ConsoleEvents["plans"]): object {
  const minuteOf = (time: string | null | undefined): string => time?.slice(0, "2026-11-28T09:00".length) ?? "";
  return {
    plans: plans.map((plan) => ({ ...plan, watched_since: minuteOf(plan.watched_since) })),
    ...{ gaps, since: minuteOf(watched_since) },
  };
}

export const NO_ASSISTANTS: ConsoleAssistants = { connected: [], calls: [] };

function posted({ board, onPost }: FeedParts, topic: Topic, view: unknown, mark: unknown = view): boolean {
  const isNew = board.post(topic, view, mark);
  if (isNew) onPost();
  return isNew;
}

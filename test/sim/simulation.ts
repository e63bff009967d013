/**
 * One schedule from beginning to end: the plan is carried out, then everything that can go wrong stops, the dead are started again,
 * and the desks reconcile until all is quiet. What is then known is the history.
 */
import { type Desk, isUnresolved, type OrderView, withdrawAllIn } from "../../src/desk/index.ts";
// The desk loads it when a plan is asked for: that takes no virtual time, so it is here before any passes.
import "../../src/desk/plans/plan-desk.ts";
import { Draw } from "./draw.ts";
import type { AtRest, Books, History, TransferHistory, Violation } from "./history.ts";
import { violationsOf } from "./invariants.ts";
import { Network } from "./network.ts";
import { type Course, clockErrorMs, DAY_MS, HOUR_MS, isFencedIn, lengthOf, type Plan, type Trouble } from "./plan.ts";
import { type PlanHistory, planHistory } from "./plan-history.ts";
import { arePlansOver, endPlans, standOnceMore } from "./plan-rest.ts";
import type { Policy } from "./policy.ts";
import type { Interruption } from "./process.ts";
import { Script } from "./script.ts";
import { type Occupant, Seat } from "./seat.ts";
import type { ModelServer, ServerTrouble } from "./server.ts";
import type { Disk, Storage } from "./storage.ts";
import { intentsIn, movesIn, transferMovesIn, transfersIn } from "./stored.ts";
import { Trace } from "./trace.ts";
import { KEYS, SimVenue, unitsOf } from "./venue.ts";
import { type RunEnd, VirtualTime } from "./virtual-time.ts";
import { Watch } from "./watch.ts";
import { WIRES } from "./wire.ts";
import { CLAIMS } from "./words.ts";

const START_MS = Date.UTC(2026, 6, 20, 9);
/** A schedule that takes longer hangs. */
const LONGEST_MS = 3 * HOUR_MS;
/** Pauses between reconciliations double from the first; together they outlast a clock that was set back by hours. */
const FIRST_PAUSE_MS = 1_000;
const RECONCILIATIONS = 14;
/** Whatever a round of upkeep does only now and then is due after this long. */
const UPKEEP_DUE_MS = 121_000;
/** What rarely goes wrong and costs requests is looked at in one schedule of so many. */
const SELDOM = 4;
const OFTEN = 2;

export interface Outcome {
  readonly violations: readonly Violation[];
  /** What went wrong on purpose, by kind. */
  readonly injected: ReadonlyMap<string, number>;
  readonly requests: number;
  readonly virtualMs: number;
  /** Empty unless asked for. */
  readonly trace: readonly string[];
}

export interface SimulateOptions {
  readonly storage: Storage;
  readonly policy?: Policy;
  readonly trace?: boolean;
}

export async function simulate(plan: Plan, options: SimulateOptions): Promise<Outcome> {
  await options.storage.clear();
  return new Simulation(plan, options).run();
}

/** A whole round of upkeep: everything it does from time to time is due. */
async function keepUp(desk: Desk, { clock }: Occupant["process"]): Promise<void> {
  await clock.sleep(UPKEEP_DUE_MS);
  await desk.upkeep();
}

/** What the desk passes on from the venue as it is; undefined where it cannot be had. */
async function booksOf(desk: Desk): Promise<Books | undefined> {
  const orders = await allPages(async (cursor) => {
    const page = await desk.orders({ state: "all", limit: 500, ...cursor });
    return page.ok ? { items: page.value.orders, next: page.value.next_cursor } : undefined;
  });
  const fills = await allPages(async (cursor) => {
    const page = await desk.fills({ limit: 500, ...cursor });
    return page.ok ? { items: page.value.trades, next: page.value.next_cursor } : undefined;
  });
  const balances = await desk.balances();
  if (orders === undefined || fills === undefined || !balances.ok) return undefined;
  return { orders, fills, balances: balances.value.balances };
}

type Page<T> = { readonly items: readonly T[]; readonly next: string | null } | undefined;

async function allPages<T>(read: (cursor: { readonly cursor?: string }) => Promise<Page<T>>): Promise<T[] | undefined> {
  const items: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await read(cursor === undefined ? {} : { cursor });
    if (page === undefined) return undefined;
    items.push(...page.items);
    cursor = page.next;
  }
  return items;
}

class Simulation {
  readonly #plan: Plan;
  readonly #storage: Storage;
  readonly #policy: Policy;
  readonly #time = new VirtualTime(START_MS);
  readonly #machine = { skewMs: 0 };
  readonly #disk: Disk = { trouble: undefined };
  readonly #trace: Trace | undefined;
  readonly #venue: SimVenue;
  readonly #network: Network;
  readonly #server: ModelServer | undefined;
  readonly #seats: readonly Seat[];
  readonly #script: Script;
  readonly #watch: Watch;
  readonly #injected = new Map<string, number>();
  /** A step that goes on until then hangs. */
  readonly #latestMs: number;
  readonly #draw: Draw;
  /** Protections that stood in vain. */
  #idle: readonly string[] = [];
  #toCome = 0;
  #isCalm = false;
  /** Nothing runs, and nothing starts. */
  #isNight = false;

  constructor(plan: Plan, { storage, policy = {}, trace = false }: SimulateOptions) {
    this.#plan = plan;
    this.#storage = storage;
    this.#policy = policy;
    this.#trace = trace ? new Trace(this.#time) : undefined;
    this.#draw = new Draw(plan.seed, "restore");
    this.#latestMs = START_MS + lengthOf(plan) + LONGEST_MS;
    const { seed, setting, troubles } = plan;
    const time = this.#time;
    const wire = WIRES[plan.venue];
    this.#watch = new Watch({ time, plan, storage, venue: () => this.#venue, trace: this.#trace });
    this.#venue = new SimVenue({
      wire,
      time,
      arrived: (arrival) => this.#watch.arrived(arrival),
      skewMs: setting.venueSkewMs,
      draw: new Draw(seed, "venue"),
      limits: setting.limits,
      krwAccountLinked: setting.krwAccountLinked,
      rejectsDuplicates: setting.rejectsDuplicates,
      isFenced: setting.fence,
      hasTransfers: plan.deals.length > 0,
      isMoved: plan.waiting !== undefined,
      dayMs: DAY_MS - clockErrorMs(plan),
      maxDayLoss: setting.policy.maxDayLoss === undefined ? undefined : unitsOf(setting.policy.maxDayLoss),
    });
    this.#network = new Network({
      wire,
      time,
      venue: this.#venue,
      draw: new Draw(seed, "network"),
      latencyMs: setting.latencyMs,
      startMs: START_MS,
      troubles,
      left: (departure) => this.#watch.left(departure),
      trace: this.#trace,
    });
    this.#server = this.#servedBy(plan);
    this.#seats = setting.keys.map(
      (_, index) =>
        new Seat({
          wire,
          index,
          setting,
          time,
          machine: this.#machine,
          storage,
          disk: this.#disk,
          server: this.#server,
          network: this.#network,
          draw: new Draw(seed, `seat ${index}`),
          policy: this.#policy,
          watch: this.#watch,
          hasTransfers: plan.deals.length > 0,
          waiting: plan.waiting,
          interruptions: troubles.filter(
            (trouble): trouble is Interruption =>
              (trouble.type === "crash" || trouble.type === "stall") && trouble.seat === index,
          ),
          interrupted: (seat, by) => this.#interrupted(seat, by),
        }),
    );
    this.#script = new Script({
      venue: this.#venue,
      occupantOf: (seat) => this.#occupantOf(seat),
      plan,
      now: () => time.nowMs,
      watch: this.#watch,
      trace: this.#trace,
    });
  }

  #servedBy({ seed, store, troubles }: Plan): ModelServer | undefined {
    if (store === "sqlite") return undefined;
    return this.#storage.serve({
      time: this.#time,
      draw: new Draw(seed, "server's ways"),
      troubles: troubles.filter((each): each is ServerTrouble => each.type === "cut" || each.type === "server"),
      told: (what) => {
        this.#count(what);
        this.#trace?.say("server", what);
      },
    });
  }

  async run(): Promise<Outcome> {
    const restores = this.#plan.troubles.some(({ type }) => type === "restore");
    const nowMs = this.#time.nowMs + this.#machine.skewMs;
    if (restores) await this.#storage.watchContinuity(this.#draw, true, nowMs);
    this.#prepare();
    const ends = [await this.#untilIdle()];
    this.#calm();
    ends.push(await this.#untilIdle());
    const rest = await this.#awaited(() => this.#comeToRest());
    const ordersBeforeLate = this.#venue.orders().length;
    this.#venue.passTime();
    ends.push(await this.#time.run(() => this.#network.underWay === 0, this.#latestMs + LONGEST_MS));
    for (const end of ends) if (end !== "over") this.#watch.notice("every step ends", `a step is ${end}`);
    return {
      violations: rest === undefined ? this.#hanging() : violationsOf(this.#history(rest, ordersBeforeLate)),
      injected: this.#counts(),
      requests: this.#watch.departures.length,
      virtualMs: this.#time.nowMs - START_MS,
      trace: this.#trace?.lines ?? [],
    };
  }

  /** Sets the alarms for everything that the plan has a time for. */
  #prepare(): void {
    for (const step of this.#plan.steps) {
      this.#later(step.atMs, () => this.#script.take(step));
      if (step.action.type === "market") this.#moving(step.atMs, step.action);
    }
    for (const trouble of this.#plan.troubles) {
      if (trouble.type === "store") {
        this.#later(trouble.fromMs, () => this.#setDisk(trouble.kind));
        this.#later(trouble.toMs, () => this.#setDisk(undefined));
      } else if (trouble.type === "clock") this.#later(trouble.atMs, () => this.#setClock(trouble.byMs));
      else if (trouble.type === "night") this.#resting(trouble);
      else if (trouble.type === "rotation") this.#rotating(trouble);
      else if (trouble.type === "restore") this.#restoring(trouble);
      else if (trouble.type === "server") this.#later(trouble.atMs, () => this.#server?.suffer(trouble));
    }
  }

  /** Tick by tick, also while processes stand still. */
  #moving(atMs: number, { shape, price, forMs }: Course): void {
    for (let ms = 0; ms <= forMs; ms += 500)
      this.#later(atMs + ms, () => {
        this.#venue.market?.make(shape, unitsOf(price));
        if (ms === 0) this.#trace?.say("market", `${shape} at ${price} for ${forMs} ms`);
      });
  }

  #resting({ atMs, downMs }: Extract<Trouble, { readonly type: "night" }>): void {
    this.#later(atMs, () => {
      this.#count("night");
      this.#isNight = true;
      for (const { occupant } of this.#seats) occupant?.process.die();
    });
    this.#later(atMs + downMs, () => {
      this.#isNight = false;
      for (const seat of this.#seats) if (seat.occupant?.process.alive === false) this.#start(seat, true);
    });
  }

  #later(atMs: number, act: () => void): void {
    this.#toCome++;
    this.#time.at(START_MS + atMs, () => {
      this.#toCome--;
      act();
    });
  }

  #untilIdle(): Promise<RunEnd> {
    return this.#time.run(() => this.#toCome === 0 && this.#script.isIdle, this.#latestMs);
  }

  #setDisk(trouble: Disk["trouble"]): void {
    this.#disk.trouble = trouble;
    if (trouble !== undefined) this.#count(trouble);
    this.#trace?.say("disk", trouble ?? "works again");
  }

  #setClock(byMs: number): void {
    this.#machine.skewMs += byMs;
    this.#count("clock");
    this.#trace?.say("clock", `is set by ${byMs} ms`);
  }

  #restoring({ copyMs, atMs, downMs, isMarked }: Extract<Trouble, { readonly type: "restore" }>): void {
    let putBack: ReturnType<Storage["copy"]> | undefined;
    this.#later(copyMs, () => {
      putBack = this.#storage.copy();
    });
    this.#later(atMs, () => {
      this.#count("restore");
      this.#trace?.say("disk", "is put back from a copy; everything ends");
      // Whoever dies behind a commit has not told the mark.
      const isTold =
        isMarked &&
        this.#plan.troubles.every(({ type }) => type !== "crash") &&
        this.#seats.every(({ occupant }) => occupant?.process.standsStill !== true);
      for (const seat of this.#seats) seat.occupant?.process.die();
      this.#server?.endAll();
      this.#toCome++;
      const over = (): void => {
        this.#toCome--;
        for (const seat of this.#seats) if (seat.occupant !== undefined) this.#start(seat, true);
      };
      const written = this.#rowsOfLog();
      void putBack?.(isMarked)
        .then(() => this.#stopRestored(START_MS + copyMs, isTold ? written - this.#rowsOfLog() : 0))
        .then(
          () => this.#time.after(downMs, over),
          (error: unknown) => {
            this.#watch.notice("every step ends", `a copy cannot be put back: ${String(error)}`);
            over();
          },
        );
    });
  }

  #rowsOfLog(): number {
    return Number(this.#storage.rows("SELECT count(*) AS count FROM audit")[0]?.["count"]); // not money: a count
  }

  /** As a command does at its start, before anything else. @param lost rows of the log that the mark tells of */
  async #stopRestored(copiedAtMs: number, lost: number): Promise<void> {
    const now = (): number => this.#time.nowMs + this.#machine.skewMs;
    const restored = await this.#storage.watchContinuity(this.#draw, false, now());
    if (restored !== undefined) {
      const { journal, transfers, killSwitch } = this.#storage.plain(now);
      await killSwitch.engage({ reason: "put back", by: "hoga", atMs: now() });
      await withdrawAllIn({ journal, transfers }, now());
      await restored.accept(now());
    }
    if (lost > 0 && restored === undefined)
      this.#watch.notice("a directory that was put back is noticed", `${lost} rows of the log are gone`);
    this.#trace?.say("disk", `${lost} rows of its log are gone`);
    this.#trace?.say("disk", restored === undefined ? "looks as it was" : `is ${restored.why}: the brake is on`);
    const isHalted = this.#storage.rows("SELECT 1 AS halted FROM brake").length > 0;
    this.#watch.putBack(isHalted, copiedAtMs);
    this.#script.compared();
  }

  #rotating({ atMs, seats, revokedAfterMs }: Extract<Trouble, { readonly type: "rotation" }>): void {
    this.#later(atMs, () => {
      this.#count("rotation");
      this.#trace?.say("keys", `a new one; ${seats.join(" and ") || "nobody"} starts again`);
      for (const seat of this.#seats) {
        seat.changeKey(KEYS.length - 1);
        if (seats.includes(seat.index) && seat.hasOldKey) this.#start(seat, true);
      }
    });
    if (revokedAfterMs === undefined) return;
    this.#later(atMs + revokedAfterMs, () => {
      this.#trace?.say("keys", "the old ones are revoked");
      for (const { apiKey } of KEYS.slice(0, -1)) this.#venue.revoke(apiKey);
    });
  }

  #interrupted(seat: Seat, by: Interruption): void {
    this.#count(by.type);
    const { occupant } = seat;
    const word = by.type === "crash" ? "dies" : `stands still for ${by.ms} ms`;
    this.#trace?.say(occupant?.process.name ?? "", `${word} ${by.when} ${by.point}`);
    if (by.type !== "crash") return;
    occupant?.process.die();
    this.#toCome++;
    this.#time.after(by.downMs, () => {
      this.#toCome--;
      // Everything may have been started again meanwhile.
      if (seat.occupant?.process.alive !== true && !this.#isNight) this.#start(seat, true);
    });
  }

  /** Who is at the seat; the first process is started when it is first asked for something. */
  #occupantOf(index: number): Occupant | undefined {
    const seat = this.#seats[index];
    if (seat === undefined || (this.#isNight && seat.occupant === undefined)) return undefined;
    return seat.occupant ?? this.#start(seat, false);
  }

  #start(seat: Seat, again: boolean): Occupant {
    const occupant = seat.start();
    const { process, desk } = occupant;
    this.#trace?.say(process.name, "starts");
    const begin = async (): Promise<string> => {
      if (again) await this.#policy.restart?.(this.#storage);
      return JSON.stringify(await desk.reconcile());
    };
    if (again || this.#plan.setting.looksAtStart) this.#script.follow(process, "reconcile at its start", begin());
    this.#keepUp(occupant);
    return occupant;
  }

  /** Round after round, for as long as the process lives and things may go wrong. */
  #keepUp({ process, desk }: Occupant): void {
    const { upkeepMs } = this.#plan.setting;
    if (upkeepMs === 0) return;
    const round = (): void => {
      if (!process.alive || this.#isCalm) return;
      const next = desk.upkeep().then(() => {
        this.#time.after(upkeepMs, round);
        return "";
      });
      this.#script.follow(process, "upkeep", next);
    };
    this.#time.after(upkeepMs, round);
  }

  #count(what: string): void {
    this.#injected.set(what, (this.#injected.get(what) ?? 0) + 1);
  }

  #counts(): ReadonlyMap<string, number> {
    return new Map([...this.#injected, ...this.#network.injected]);
  }

  /** From now on nothing goes wrong any more. */
  #calm(): void {
    this.#trace?.say("", "--- from here on nothing goes wrong any more");
    this.#isCalm = true;
    this.#network.heal();
    this.#server?.heal();
    this.#disk.trouble = undefined;
    for (const seat of this.#seats) {
      seat.calm();
      if (seat.occupant?.process.alive === false || seat.hasOldKey) this.#start(seat, true);
    }
  }

  async #comeToRest(): Promise<AtRest> {
    const seat = this.#seats.find(({ occupant }) => occupant !== undefined) ?? (this.#seats[0] as Seat);
    const { desk, process } = seat.occupant ?? this.#start(seat, false);
    const { waiting } = this.#plan;
    const market = this.#venue.market;
    const occupants = () =>
      this.#seats.flatMap((each) => (each.occupant?.process.alive === true ? [each.occupant] : []));
    const resting = { storage: this.#storage, occupants };
    if (waiting !== undefined && market !== undefined)
      this.#idle = await standOnceMore({ ...resting, waiting, market });
    let pauseMs = FIRST_PAUSE_MS;
    for (let tries = 0; tries < RECONCILIATIONS; tries++) {
      const report = await desk.reconcile();
      this.#trace?.say(process.name, `reconciles: ${JSON.stringify(report)}`);
      if (waiting !== undefined) await endPlans(desk, resting);
      const isSettled =
        arePlansOver(this.#storage) &&
        intentsIn(this.#storage).every(({ state }) => CLAIMS[state] !== "unsettled") &&
        this.#transfersStored().every(({ state }) => !isUnresolved(state) && state !== "approved");
      if (report.fault === undefined && isSettled && !this.#isArmed()) break;
      // Nothing is on its way any more: what no absence settles is a person's to settle.
      if (!isFencedIn(this.#plan) && this.#network.underWay === 0) await this.#settleByPerson(desk);
      // What is not due yet is waited for: a timer goes off, what nobody approves lapses.
      await desk.upkeep();
      await process.clock.sleep(pauseMs);
      pauseMs *= 2;
    }
    await keepUp(desk, process);
    const before = this.#storage.content();
    const report = await desk.reconcile();
    if (this.#isOneOf(OFTEN)) await keepUp(desk, process);
    const again = { report, changed: this.#storage.content() !== before };
    const views = new Map<string, OrderView | string>();
    for (const { userref, state } of intentsIn(this.#storage)) {
      if (CLAIMS[state] === "none" || !this.#isOneOf(OFTEN)) continue;
      const view = await desk.order({ userref });
      views.set(userref, view.ok ? view.value : view.fault.code);
    }
    // Lists and balances only pass through the desk.
    const books = this.#isOneOf(SELDOM) ? { books: await booksOf(desk) } : {};
    const isHalted = this.#storage.rows("SELECT 1 AS halted FROM brake").length > 0;
    const dayLater = this.#plan.setting.isLong
      ? { dayLater: await this.#aDayLater(seat.occupant ?? { process, desk }) }
      : {};
    return { ...dayLater, views, again, isHalted, isArmed: this.#isArmed(), ...books };
  }

  /** By a person who looks at the exchange itself. */
  async #settleByPerson(desk: Desk): Promise<void> {
    for (const { userref, state, nonce } of intentsIn(this.#storage)) {
      // What a person had said is looked at again by whoever asks.
      if (state === "not_placed") await desk.order({ userref });
      if (state !== "unknown" || nonce === null) continue;
      const own = this.#venue.orders().find((order) => order.userref === userref);
      const named = own === undefined ? {} : { orderId: own.orderId };
      await desk.settle(userref, { placed: own !== undefined, by: "a person", ...named });
    }
    for (const { transferId, state, idempotencyKey } of this.#transfersStored())
      if (state === "unknown")
        await desk.transfers?.settle(transferId, { placed: this.#venue.hasMoved(idempotencyKey), by: "a person" });
  }

  /** What counts when nothing was asked of anybody for a day. */
  async #aDayLater({ process, desk }: Occupant): Promise<AtRest["dayLater"]> {
    await process.clock.sleep(DAY_MS + 2 * clockErrorMs(this.#plan));
    const { limits } = await desk.status();
    const used = (rule: string) => limits.find((limit) => limit.rule === rule)?.used ?? undefined;
    return { day: used("day_budget"), open: used("open_exposure") };
  }

  #isOneOf(every: number): boolean {
    return this.#plan.seed % every === 0;
  }

  #isArmed(): boolean {
    return this.#storage.rows("SELECT 1 AS armed FROM timers").length > 0;
  }

  /** Lets time pass until the work is done; undefined when it never is. */
  async #awaited<T>(begin: () => Promise<T>): Promise<T | undefined> {
    let result: { readonly value: T } | undefined;
    let failure: unknown;
    begin().then(
      (value) => {
        result = { value };
      },
      (error: unknown) => {
        failure = error ?? new Error("failed");
      },
    );
    await this.#time.run(() => result !== undefined || failure !== undefined, this.#latestMs + LONGEST_MS + 2 * DAY_MS);
    if (failure !== undefined) throw failure;
    return result?.value;
  }

  #hanging(): readonly Violation[] {
    this.#watch.notice("every step ends", "the last look at the desk hangs");
    return this.#watch.noticed;
  }

  #transfersStored(): TransferHistory["stored"] {
    return this.#plan.deals.length === 0 ? [] : transfersIn(this.#storage);
  }

  #transferHistory(): TransferHistory {
    const { told, asked } = this.#script.transfers;
    const moves = this.#plan.deals.length === 0 ? [] : transferMovesIn(this.#storage);
    return { stored: this.#transfersStored(), moves, told, asked };
  }

  #planHistory(): PlanHistory | undefined {
    const { market } = this.#venue;
    if (market === undefined) return undefined;
    const { moments } = market;
    const { left, triggers, approved } = this.#watch.plans;
    return planHistory(this.#storage, { left, triggers, approved, moments, idle: this.#idle });
  }

  #history(rest: AtRest, ordersBeforeLate: number): History {
    const { told, asked, thrown } = this.#script;
    const failed = thrown.map((what) => ({ invariant: "no step fails with an error", what }));
    return {
      plan: this.#plan,
      venue: this.#venue,
      departures: this.#watch.departures,
      told,
      asked,
      intents: intentsIn(this.#storage),
      moves: movesIn(this.#storage),
      forgotten: this.#watch.forgotten,
      transfers: this.#transferHistory(),
      plans: this.#planHistory(),
      rest,
      noticed: [...this.#watch.noticed, ...failed],
      ordersBeforeLate,
    };
  }
}

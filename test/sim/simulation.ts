/**
 * One schedule from beginning to end: the plan is carried out, then everything that can go wrong stops, the dead are started again,
 * and the desks reconcile until all is quiet. What is then known is the history.
 */
import type { Desk, IntentState, OrderView } from "../../src/desk/index.ts";
import { Draw } from "./draw.ts";
import type { AtRest, Books, History, Move, StoredIntent, Violation } from "./history.ts";
import { violationsOf } from "./invariants.ts";
import { Network } from "./network.ts";
import type { Plan } from "./plan.ts";
import type { Policy } from "./policy.ts";
import type { Interruption } from "./process.ts";
import { Script } from "./script.ts";
import { type Occupant, Seat } from "./seat.ts";
import type { Disk, Storage } from "./storage.ts";
import { Trace } from "./trace.ts";
import { SimVenue } from "./venue.ts";
import { type RunEnd, VirtualTime } from "./virtual-time.ts";
import { Watch } from "./watch.ts";
import { WIRES } from "./wire.ts";
import { CLAIMS } from "./words.ts";

const START_MS = Date.UTC(2026, 6, 20, 9);
/** A schedule that takes longer hangs. */
const LONGEST_MS = 3 * 3_600_000;
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
  const orders = await desk.orders({ state: "all", limit: 500 });
  const fills = await desk.fills({ limit: 500 });
  const balances = await desk.balances();
  if (!orders.ok || !fills.ok || !balances.ok) return undefined;
  return { orders: orders.value.orders, fills: fills.value.trades, balances: balances.value.balances };
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
  readonly #seats: readonly Seat[];
  readonly #script: Script;
  readonly #watch: Watch;
  readonly #injected = new Map<string, number>();
  #toCome = 0;
  #isCalm = false;

  constructor(plan: Plan, { storage, policy = {}, trace = false }: SimulateOptions) {
    this.#plan = plan;
    this.#storage = storage;
    this.#policy = policy;
    this.#trace = trace ? new Trace(this.#time) : undefined;
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
          network: this.#network,
          draw: new Draw(seed, `seat ${index}`),
          policy: this.#policy,
          watch: this.#watch,
          interruptions: troubles.filter(
            (trouble): trouble is Interruption =>
              (trouble.type === "crash" || trouble.type === "stall") && trouble.seat === index,
          ),
          interrupted: (seat, by) => this.#interrupted(seat, by),
        }),
    );
    this.#script = new Script({
      venue: this.#venue,
      wishes: plan.wishes,
      occupantOf: (seat) => this.#occupantOf(seat),
      watch: this.#watch,
      trace: this.#trace,
    });
  }

  async run(): Promise<Outcome> {
    this.#prepare();
    const ends = [await this.#untilIdle()];
    this.#calm();
    ends.push(await this.#untilIdle());
    const rest = await this.#awaited(() => this.#comeToRest());
    const ordersBeforeLate = this.#venue.orders().length;
    ends.push(await this.#time.run(() => this.#network.underWay === 0, START_MS + 2 * LONGEST_MS));
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
    for (const step of this.#plan.steps) this.#later(step.atMs, () => this.#script.take(step));
    for (const trouble of this.#plan.troubles) {
      if (trouble.type === "store") {
        this.#later(trouble.fromMs, () => this.#setDisk(trouble.kind));
        this.#later(trouble.toMs, () => this.#setDisk(undefined));
      } else if (trouble.type === "clock") this.#later(trouble.atMs, () => this.#setClock(trouble.byMs));
    }
  }

  #later(atMs: number, act: () => void): void {
    this.#toCome++;
    this.#time.at(START_MS + atMs, () => {
      this.#toCome--;
      act();
    });
  }

  #untilIdle(): Promise<RunEnd> {
    return this.#time.run(() => this.#toCome === 0 && this.#script.isIdle, START_MS + LONGEST_MS);
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
      if (seat.occupant?.process.alive !== true) this.#start(seat, true);
    });
  }

  /** Who is at the seat; the first process is started when it is first asked for something. */
  #occupantOf(index: number): Occupant | undefined {
    const seat = this.#seats[index];
    if (seat === undefined) return undefined;
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
    this.#disk.trouble = undefined;
    for (const seat of this.#seats) {
      seat.calm();
      if (seat.occupant?.process.alive === false) this.#start(seat, true);
    }
  }

  async #comeToRest(): Promise<AtRest> {
    const seat = this.#seats.find(({ occupant }) => occupant !== undefined) ?? (this.#seats[0] as Seat);
    const { desk, process } = seat.occupant ?? this.#start(seat, false);
    let pauseMs = FIRST_PAUSE_MS;
    for (let tries = 0; tries < RECONCILIATIONS; tries++) {
      const report = await desk.reconcile();
      this.#trace?.say(process.name, `reconciles: ${JSON.stringify(report)}`);
      const isSettled = this.#intents().every(({ state }) => CLAIMS[state] !== "unsettled");
      if (report.fault === undefined && isSettled && !this.#isArmed()) break;
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
    for (const { userref, state } of this.#intents()) {
      if (CLAIMS[state] === "none" || !this.#isOneOf(OFTEN)) continue;
      const view = await desk.order({ userref });
      views.set(userref, view.ok ? view.value : view.fault.code);
    }
    // Lists and balances only pass through the desk.
    const books = this.#isOneOf(SELDOM) ? { books: await booksOf(desk) } : {};
    const isHalted = this.#storage.rows("SELECT 1 AS halted FROM brake").length > 0;
    return { views, again, isHalted, isArmed: this.#isArmed(), ...books };
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
    await this.#time.run(() => result !== undefined || failure !== undefined, START_MS + 2 * LONGEST_MS);
    if (failure !== undefined) throw failure;
    return result?.value;
  }

  #hanging(): readonly Violation[] {
    this.#watch.notice("every step ends", "the last look at the desk hangs");
    return this.#watch.noticed;
  }

  #intents(): readonly StoredIntent[] {
    return this.#storage
      .rows(
        "SELECT intent_id, userref, state, nonce, order_id, held_krw, held_live FROM intents ORDER BY created_at_ms, rowid",
      )
      .map((row) => ({
        intentId: String(row["intent_id"]),
        userref: String(row["userref"]),
        state: row["state"] as IntentState,
        nonce: row["nonce"] as string | null,
        orderId: row["order_id"] as string | null,
        heldKrw: BigInt(String(row["held_krw"])),
        isLive: String(row["held_live"]) === "1",
      }));
  }

  #movesOf(): readonly Move[] {
    const nonces = new Map<string, string>();
    return this.#storage
      .rows(
        "SELECT intent_id, detail FROM audit WHERE intent_id IS NOT NULL AND event IN ('intent_recorded', 'intent_moved') ORDER BY seq",
      )
      .map((row) => {
        const intentId = String(row["intent_id"]);
        const { from, to, nonce } = JSON.parse(String(row["detail"])) as Partial<Move> & Pick<Move, "to">;
        if (typeof nonce === "string") nonces.set(intentId, nonce);
        return { intentId, from, to, nonce: nonces.get(intentId) ?? null };
      });
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
      intents: this.#intents(),
      moves: this.#movesOf(),
      rest,
      noticed: [...this.#watch.noticed, ...failed],
      ordersBeforeLate,
    };
  }
}

/**
 * A schedule of orders, cancels, faults and deaths, drawn from a seed, and what must hold when the faults have stopped.
 * The draw is the seed's alone; how requests interleave is also the machine's, as sockets and clocks are real.
 */
import {
  INTENT_STATES,
  type IntentState,
  isAtVenue,
  isLive,
  isUnresolved,
  type OrderRequest,
  type WriteReport,
} from "../../src/desk/index.ts";
import { type CrashPoint, openWorld, type Seat, type World } from "../fixture/desk-over-sandbox.ts";
import { FAULT_KINDS, ORDER_POST } from "../fixture/fault-proxy.ts";
import { unwrap } from "../fixture/result.ts";

const LIST = /^GET \/v1\/orders\?/;
const WRITES = /^(POST|DELETE) \/v1\/orders/;
const CRASH_POINTS: readonly CrashPoint[] = ["recorded", "numbered", "answered"];
const USERREFS = ["u-0", "u-1", "u-2", "u-3"];

class Draw {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  /** 0 ≤ number < 1 (mulberry32). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  chance(share: number): boolean {
    return this.fraction() < share;
  }
  of<T>(values: readonly T[]): T {
    return values[Math.floor(this.fraction() * values.length)] as T;
  }
}

/** Same userref, same fields: so that asking again is the same wish. One of them the venue always refuses. */
function orderFor(userref: string): OrderRequest {
  const index = USERREFS.indexOf(userref);
  return {
    symbol: "BTC/KRW",
    side: "buy",
    type: "limit",
    base_volume: index === 3 ? "9" : `0.00${index + 1}`,
    price: "100000000",
    userref,
  };
}

class Schedule {
  readonly steps: string[] = [];
  readonly accepted = new Set<string>();
  readonly rejected = new Set<string>();
  readonly canceled = new Set<string>();
  readonly #world: World;
  readonly #draw: Draw;
  readonly #seats: Seat[] = [];
  readonly #running: Promise<unknown>[] = [];

  constructor(world: World, draw: Draw) {
    this.#world = world;
    this.#draw = draw;
  }

  async run(steps: number): Promise<void> {
    this.#seats.push(await this.#world.seat(), await this.#world.seat());
    for (let step = 0; step < steps; step++) await this.#step();
    await Promise.all(this.#running);
  }

  async #step(): Promise<void> {
    const { proxy } = this.#world;
    const draw = this.#draw;
    if (draw.chance(0.6)) this.#plan(draw.chance(0.8) ? ORDER_POST : WRITES);
    if (draw.chance(0.25)) this.#plan(LIST);
    const seat = draw.of(this.#seats);
    const userref = draw.of(USERREFS);
    const choice = draw.fraction();
    if (choice < 0.35) await this.#place(seat, userref);
    else if (choice < 0.5) await this.#both([this.#place(seat, userref), this.#place(draw.of(this.#seats), userref)]);
    else if (choice < 0.62) await this.#cancel(seat, userref);
    else if (choice < 0.67) await this.#cancelAll(seat);
    else if (choice < 0.77) await this.#crash(userref);
    else if (choice < 0.84) await this.#kill(userref);
    else if (choice < 0.9) this.#say("late", String(await proxy.deliverLate()));
    else if (choice < 0.95) await this.#withoutStore(seat, userref);
    else this.#say("reconcile", JSON.stringify(await seat.desk.reconcile()));
  }

  #say(...words: string[]): void {
    this.steps.push(words.join(" "));
  }

  #plan(matching: RegExp): void {
    const kind = this.#draw.of(FAULT_KINDS);
    this.#say("plan", String(matching), kind);
    this.#world.proxy.plan(matching, kind);
  }

  async #both(work: readonly Promise<void>[]): Promise<void> {
    await Promise.all(work);
  }

  async #place(seat: Seat, userref: string): Promise<void> {
    const report = await seat.desk.place(orderFor(userref));
    this.#say("place", userref, report.outcome, report.state);
    this.#remember(userref, report);
  }

  #remember(userref: string, report: WriteReport): void {
    if (report.outcome === "accepted") this.accepted.add(userref);
    if (report.outcome === "rejected") this.rejected.add(userref);
  }

  async #cancel(seat: Seat, userref: string): Promise<void> {
    const report = await seat.desk.cancel({ userref });
    this.#say("cancel", userref, report.outcome, report.state);
    if (report.state === "canceled" && report.order !== undefined) this.canceled.add(report.order.orderId);
  }

  async #cancelAll(seat: Seat): Promise<void> {
    const report = await seat.desk.cancelAll();
    this.#say("cancel all", report.outcome, `${report.remaining} remain`);
    for (const item of report.results) if (item.state === "canceled") this.canceled.add(item.orderId);
  }

  async #crash(userref: string): Promise<void> {
    const crashAt = this.#draw.of(CRASH_POINTS);
    const doomed = await this.#world.seat({ crashAt });
    const placing = doomed.desk.place(orderFor(userref)).then(({ state }) => state);
    this.#say("crash", crashAt, userref, await Promise.race([placing, doomed.died.then(() => "died")]));
    this.#seats[0] = await this.#world.seat();
  }

  /** The process is killed while its request is on the way, or whenever it is by then. */
  async #kill(userref: string): Promise<void> {
    const doomed = await this.#world.seat();
    const reached = this.#world.proxy.reached(ORDER_POST);
    const placing = doomed.desk.place(orderFor(userref)).then(() => "done");
    this.#say("kill", userref, await Promise.race([placing, reached.then(() => "on the way")]));
    doomed.kill();
    this.#seats[1] = await this.#world.seat();
  }

  async #withoutStore(seat: Seat, userref: string): Promise<void> {
    this.#world.breakStore(true);
    await this.#place(seat, userref);
    await this.#cancel(seat, userref);
    this.#world.breakStore(false);
  }
}

function isEnded(state: IntentState): boolean {
  return isAtVenue(state) && !isLive(state);
}

/** What is wrong after the faults have stopped; nothing, unless the desk is broken. */
async function broken(world: World, { accepted, rejected, canceled }: Schedule): Promise<string[]> {
  const found = world.forbidden.map((move) => `forbidden move ${move}`);
  const orders = world.orders();
  const intents = await unwrap(world.store.journal.inStates("paper", INTENT_STATES, 1_000));
  for (const userref of USERREFS) {
    const own = orders.filter((order) => order.userref === userref);
    const intent = intents.find((each) => each.userref === userref);
    if (own.length > 1) found.push(`${userref}: ${own.length} orders at the venue`);
    if (own.length === 1 && (intent === undefined || !isAtVenue(intent.state)))
      found.push(`${userref}: order there, intent ${intent?.state}`);
    if (intent !== undefined && isAtVenue(intent.state) && intent.orderId !== own[0]?.orderId)
      found.push(`${userref}: ${intent.state}, not there`);
    if (intent !== undefined && isEnded(intent.state) && intent.state !== own[0]?.state)
      found.push(`${userref}: ${intent.state}, is ${own[0]?.state}`);
    if (intent !== undefined && (isUnresolved(intent.state) || intent.state === "approved"))
      found.push(`${userref}: still ${intent.state}`);
    const isCounted = intent !== undefined && (intent.isLive || intent.held !== "0");
    if (isCounted && !isAtVenue(intent.state)) found.push(`${userref}: ${intent.state}, and counted in the budgets`);
    if (own[0]?.state === "open" && !intent?.isLive) found.push(`${userref}: open, and not counted in the budgets`);
    if (accepted.has(userref) && own.length === 0) found.push(`${userref}: told accepted, not there`);
    if (rejected.has(userref) && own.length > 0) found.push(`${userref}: told rejected, but there`);
  }
  for (const order of orders)
    if (canceled.has(order.orderId) && order.state !== "canceled")
      found.push(`${order.userref}: told canceled, is ${order.state}`);
  return found;
}

/** @returns what is wrong, and the steps that led there. */
export async function runSchedule(
  seed: number,
): Promise<{ readonly wrong: readonly string[]; readonly steps: readonly string[] }> {
  const world = await openWorld({ totalMs: 120 });
  const draw = new Draw(seed);
  const schedule = new Schedule(world, draw);
  try {
    await schedule.run(4 + Math.floor(draw.fraction() * 8));
    world.proxy.heal();
    await world.proxy.deliverLate();
    // Impatience was a fault of its own. It stops too: what could not be asked is not what this is about.
    const { desk } = await world.seat({ patient: true });
    const first = await desk.reconcile();
    // What a dead process recorded and never sent is given up after a while.
    world.clock.skewMs = 60_000;
    const report = await desk.reconcile();
    const again = await desk.reconcile();
    const wrong = await broken(world, schedule);
    if (report.still_unknown > 0) wrong.push(`${report.still_unknown} still unknown`);
    if (again.checked > 0) wrong.push("reconciling again found something");
    for (const { fault } of [first, report, again])
      if (fault !== undefined) wrong.push(`could not reconcile: ${fault.code}`);
    await world.proxy.deliverLate();
    return {
      wrong: [...wrong, ...(await broken(world, schedule)).filter((line) => !wrong.includes(line))],
      steps: schedule.steps,
    };
  } finally {
    await world.close();
  }
}

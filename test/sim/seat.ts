/**
 * Where processes run: one after another, each with a client, a lane and a desk of its own over the common store. This is the one
 * place that puts a desk together.
 */
import { type Orderbook, ok } from "../../src/contract/index.ts";
import { notional, rate } from "../../src/decimal/index.ts";
import {
  createDesk,
  createIds,
  type Desk,
  type DeskParts,
  defaultPolicy,
  type IntentBody,
  type IntentState,
  type PolicySource,
  type Venue,
} from "../../src/desk/index.ts";
import type { Draw } from "./draw.ts";
import type { Network } from "./network.ts";
import type { PolicySetting, Setting } from "./plan.ts";
import { type Policy, replaced } from "./policy.ts";
import { type Interruption, Interruptions, type MachineClock, SimProcess } from "./process.ts";
import type { Disk, SeatStore, Storage } from "./storage.ts";
import { KEYS, unitsOf } from "./venue.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { BookSeen, Watch } from "./watch.ts";
import type { Wire } from "./wire.ts";

export interface SeatParts {
  readonly wire: Wire;
  readonly index: number;
  readonly setting: Setting;
  readonly time: VirtualTime;
  readonly machine: MachineClock;
  readonly storage: Storage;
  readonly disk: Disk;
  readonly network: Network;
  readonly draw: Draw;
  readonly policy: Policy;
  readonly watch: Watch;
  readonly interruptions: readonly Interruption[];
  readonly interrupted: (seat: Seat, by: Interruption) => void;
}

/** A running process with its desk. */
export interface Occupant {
  readonly process: SimProcess;
  readonly desk: Desk;
}

export class Seat {
  readonly index: number;
  /** Undefined while nothing runs here. */
  occupant: Occupant | undefined;
  readonly #parts: SeatParts;
  readonly #interruptions: Interruptions;
  #lives = 0;

  constructor(parts: SeatParts) {
    this.index = parts.index;
    this.#parts = parts;
    this.#interruptions = new Interruptions(parts.interruptions);
  }

  /** Starts a process; the one before it is gone. */
  start(): Occupant {
    const { time, machine, setting, index, interrupted } = this.#parts;
    this.occupant?.process.die();
    const process = new SimProcess({
      name: `p${index}${this.#lives === 0 ? "" : `.${this.#lives}`}`,
      time,
      machine,
      skewMs: setting.skewsMs[index] ?? 0,
      coarseMs: setting.coarseMs,
      interruptions: this.#interruptions,
      interrupted: (by) => interrupted(this, by),
    });
    this.#lives++;
    this.occupant = { process, desk: this.#deskOf(process) };
    return this.occupant;
  }

  /** Nothing interrupts any process here from now on. */
  calm(): void {
    this.#interruptions.end();
    this.occupant?.process.thaw();
  }

  #deskOf(process: SimProcess): Desk {
    const { wire, storage, disk, network, setting, draw, policy, index } = this.#parts;
    const store = storage.storeOf<IntentState, IntentBody>(process, disk, draw);
    const client = new wire.Client({
      environment: "sandbox",
      baseUrl: "http://venue.test",
      credentials: KEYS[setting.keys[index] ?? 0] as (typeof KEYS)[number],
      lane: store.lane({ limits: setting.limits, ...setting.lane }),
      clock: process.clock,
      timeouts: { totalMs: setting.totalMs },
      nonceFence: setting.fence,
      random: () => draw.fraction(),
      transport: network.transportOf(process),
    });
    const sight = new Sight(this.#parts.time);
    const watched = watchedParts(store, process, this.#parts.watch, sight);
    const desk = createDesk({
      venue: sight.through(policy.venue?.(client) ?? client),
      ...watched,
      journal: policy.journal?.(watched.journal) ?? watched.journal,
      policy: policySource(setting.policy),
      clock: process.clock,
      ids: createIds(process.clock, (count) => draw.bytes(count)),
      profile: "simulation",
      ...(wire.compliance === undefined ? {} : { compliance: wire.compliance }),
    });
    return policy.desk?.(desk) ?? desk;
  }
}

/** What one process saw of books, in true time. */
class Sight {
  readonly seen: BookSeen[] = [];
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  through(venue: Venue): Venue {
    return replaced(venue, {
      orderbook: async (symbol, depth) => {
        const atMs = this.#time.nowMs;
        const answer = await venue.orderbook(symbol, depth);
        if (answer.ok) this.#note(symbol, answer.value.tick, atMs);
        return answer;
      },
    });
  }

  #note(symbol: string, { buys, asks }: Orderbook["tick"], atMs: number): void {
    const levels = (side: typeof buys) => side.map(([price, volume]) => [unitsOf(price), unitsOf(volume)] as const);
    this.seen.push({ symbol, atMs, buys: levels(buys), asks: levels(asks) });
  }
}

/** The parts that the store is, with a witness beside them. */
function watchedParts(
  { journal, audit, killSwitch: brake, timers, seal }: SeatStore<IntentState, IntentBody>,
  process: SimProcess,
  watch: Watch,
  sight: Sight,
): Pick<DeskParts, "journal" | "audit" | "killSwitch" | "timers" | "seal"> {
  return {
    audit,
    seal,
    timers: {
      ...timers,
      claimDue: async (...claim) => {
        const timer = await timers.claimDue(...claim);
        if (timer.ok && timer.value !== undefined) watch.timerClaimed(process.name);
        return timer;
      },
      done: (...timer) => {
        watch.timerDone(process.name);
        return timers.done(...timer);
      },
    },
    journal: {
      ...journal,
      begin: (intentId, send, admit, now) =>
        journal.begin(
          intentId,
          send,
          (standing, sentSince) => {
            const refused = admit(standing, sentSince);
            if (refused === undefined) watch.admitted(intentId, process.clock.now(), sight.seen);
            return refused;
          },
          now,
        ),
    },
    killSwitch: {
      state: () => brake.state(),
      engage: async (record) => {
        const engaged = await brake.engage(record);
        if (engaged.ok) watch.engaged();
        return engaged;
      },
      release: () => watch.releasing(() => brake.release()),
    },
  };
}

function policySource(setting: PolicySetting): PolicySource {
  const { maxOrderKrw, maxDayKrw, maxOpenKrw, approvalOverKrw, isPriceBound, ...rest } = setting;
  const policy = defaultPolicy("sandbox", {
    ...rest,
    maxOrderKrw: notional(maxOrderKrw),
    maxDayKrw: notional(maxDayKrw),
    maxOpenKrw: notional(maxOpenKrw),
    approvalDrift: rate("0.0002"),
    approvalOverKrw: notional(approvalOverKrw),
    ...(isPriceBound ? {} : { priceCollar: "off", maxSlippage: "off" }),
  });
  return { read: () => ok(policy) };
}

/**
 * Where processes run: one after another, each with a client, a lane and a desk of its own over the common store. This is the one
 * place that puts a desk together.
 */

import { type Orderbook, ok } from "../../src/contract/index.ts";
import { inUnit, rate } from "../../src/decimal/index.ts";
import {
  createDesk,
  createIds,
  type Desk,
  type DeskParts,
  defaultPolicy,
  type IntentBody,
  type PolicySource,
  type Venue,
} from "../../src/desk/index.ts";
import { TransferClient } from "../../src/venues/index.ts";
import type { Draw } from "./draw.ts";
import type { Network } from "./network.ts";
import type { PolicySetting, Setting, Waiting } from "./plan.ts";
import { type Policy, replaced } from "./policy.ts";
import { type Interruption, Interruptions, type MachineClock, SimProcess } from "./process.ts";
import type { ModelServer } from "./server.ts";
import type { Disk, SeatStore, Storage } from "./storage.ts";
import { KIM } from "./transfer-script.ts";
import { KEYS, unitsOf } from "./venue.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { BookSeen, Watch } from "./watch.ts";
import type { ClientOptions, Wire } from "./wire.ts";
import { noteName } from "./wires/foreign.ts";

export interface SeatParts {
  readonly wire: Wire;
  readonly index: number;
  readonly setting: Setting;
  readonly time: VirtualTime;
  readonly machine: MachineClock;
  readonly storage: Storage;
  readonly disk: Disk;
  /** Of the store; absent where that is a file. */
  readonly server: ModelServer | undefined;
  readonly network: Network;
  readonly draw: Draw;
  readonly policy: Policy;
  readonly watch: Watch;
  readonly hasTransfers: boolean;
  /** Absent where the desk keeps no plans. */
  readonly waiting: Waiting | undefined;
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
  #key: number;
  /** Whether what runs here holds a key that was changed since. */
  hasOldKey = false;

  constructor(parts: SeatParts) {
    this.index = parts.index;
    this.#parts = parts;
    this.#key = parts.setting.keys[parts.index] ?? 0;
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
    this.hasOldKey = false;
    this.occupant = { process, desk: this.#deskOf(process) };
    return this.occupant;
  }

  /** Whoever starts here from now on has another key. */
  changeKey(key: number): void {
    this.#key = key;
    this.hasOldKey = this.occupant !== undefined;
  }

  /** Nothing interrupts any process here from now on. */
  calm(): void {
    this.#interruptions.end();
    this.occupant?.process.thaw();
  }

  #deskOf(process: SimProcess): Desk {
    const { wire, storage, disk, network, setting, draw, policy, waiting } = this.#parts;
    const { server, index } = this.#parts;
    const store = storage.storeOf(process, { disk, draw, served: server && { server, seat: index } });
    const options: ClientOptions = {
      environment: "sandbox",
      baseUrl: "http://venue.test",
      credentials: KEYS[this.#key] as (typeof KEYS)[number],
      lane: store.lane({ limits: setting.limits, ...setting.lane }),
      clock: process.clock,
      timeouts: { totalMs: setting.totalMs },
      absence: { by: setting.fence ? "nonce" : "none" },
      random: () => draw.fraction(),
      transport: network.transportOf(process),
      randomBytes: (count) => draw.bytes(count),
    };
    const client = wire.open(options);
    const sight = new Sight(this.#parts.time, () => ownLevels(storage));
    const watched = watchedParts(store, process, this.#parts.watch, sight);
    const watchedBook = watchedPlans(store, this.#parts.watch);
    const plans = policy.plans?.(watchedBook) ?? watchedBook;
    const desk = createDesk({
      venue: sight.through(policy.venue?.(client) ?? client),
      ...watched,
      ...(this.#parts.hasTransfers
        ? { transfers: { venue: new TransferClient(options), journal: watchedTransfers(store, this.#parts.watch) } }
        : {}),
      journal: policy.journal?.(watched.journal) ?? watched.journal,
      ...(waiting === undefined
        ? {}
        : {
            // Whoever stands still before it claims knows of the plan what it knew.
            plans: { ...plans, claim: (claim) => process.step("claim", () => plans.claim(claim)) },
            notices: store.notices,
          }),
      policy: policySource(setting.policy, waiting),
      vouchedSinceMs: async () => store.vouchedSinceMs(),
      clock: policy.clock?.(process.clock) ?? process.clock,
      ids: createIds(process.clock, (count) => draw.bytes(count)),
      profile: "simulation",
      timeZone: "UTC",
      ...(wire.compliance === undefined ? {} : { compliance: wire.compliance }),
    });
    return policy.desk?.(desk) ?? desk;
  }
}

/** The plans that the store keeps, with a witness beside them. */
function watchedPlans({ plans: book }: SeatStore, { plans }: Watch): SeatStore["plans"] {
  return {
    ...book,
    approve: async (approval, admit) => {
      const approved = await book.approve(approval, admit);
      if (!approved.ok || !("written" in approved.value)) return approved;
      plans.approved.set(approval.planId, approval.mandate);
      plans.started(approval.planId);
      return approved;
    },
    change: async (change, admit) => {
      const changed = await book.change(change, admit);
      if (!changed.ok || !("written" in changed.value)) return changed;
      if (change.to === "active") plans.started(change.planId);
      plans.triggered(change);
      return changed;
    },
    claim: async (claim) => {
      // The exchange may know orders by other ids, which the simulation reads as these names.
      noteName(claim.intent.userref);
      const claimed = await book.claim(claim);
      if (claimed.ok && "written" in claimed.value) plans.triggered(claim);
      return claimed;
    },
  };
}

/** What one process saw of books, in true time. */
class Sight {
  readonly seen: BookSeen[] = [];
  readonly #time: VirtualTime;
  readonly #own: () => readonly OwnLevel[];

  constructor(time: VirtualTime, own: () => readonly OwnLevel[]) {
    this.#time = time;
    this.#own = own;
  }

  through(venue: Venue): Venue {
    return replaced(venue, {
      orderbook: async (symbol, depth) => {
        const atMs = this.#time.nowMs;
        const before = this.#own();
        const answer = await venue.orderbook(symbol, depth);
        if (answer.ok) this.#note(symbol, answer.value.tick, atMs, [...before, ...this.#own()]);
        return answer;
      },
    });
  }

  /** With and without the account's own orders: which of them a desk leaves out depends on what it knows of them. */
  #note(symbol: string, { buys, asks }: Orderbook["tick"], atMs: number, own: readonly OwnLevel[]): void {
    const levels = (side: typeof buys) => side.map(([price, volume]) => [unitsOf(price), unitsOf(volume)] as const);
    const book = { symbol, atMs, buys: levels(buys), asks: levels(asks) };
    const named = new Map(own.filter((each) => each.symbol === symbol).map((each) => [each.intentId, each]));
    this.seen.push(book, { ...book, buys: less(book.buys, "buy", named), asks: less(book.asks, "sell", named) });
  }
}

interface OwnLevel {
  readonly intentId: string;
  readonly symbol: string;
  readonly side: string;
  readonly price: bigint;
  readonly volume: bigint;
}

/** Orders that are open or may be, as the store has them, whatever fails for the processes. */
function ownLevels(storage: Storage): readonly OwnLevel[] {
  const live = storage.rows("SELECT intent_id, body FROM intents WHERE held_live = 1", []);
  return live.flatMap((row) => {
    const { order, seen } = JSON.parse(String(row["body"])) as IntentBody;
    if (order.price === undefined) return [];
    const volume = unitsOf(seen?.remaining_volume ?? order.volume ?? "0");
    const { symbol, side } = order;
    return [{ intentId: String(row["intent_id"]), symbol, side, price: unitsOf(order.price), volume }];
  });
}

function less(levels: BookSeen["buys"], side: string, own: ReadonlyMap<string, OwnLevel>): BookSeen["buys"] {
  return levels.flatMap(([price, volume]) => {
    const ours = [...own.values()].filter((each) => each.side === side && each.price === price);
    const left = ours.reduce((rest, each) => rest - each.volume, volume);
    return left > 0n ? [[price, left] as const] : [];
  });
}

/** The parts that the store is, with a witness beside them. */
function watchedParts(
  { journal, audit, fills, killSwitch: brake, timers, seal }: SeatStore,
  process: SimProcess,
  watch: Watch,
  sight: Sight,
): Pick<DeskParts, "journal" | "audit" | "fills" | "killSwitch" | "timers" | "seal"> {
  return {
    audit,
    fills,
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
        process.step("begin", () =>
          journal.begin(
            intentId,
            send,
            (standing, sentSince) => {
              const refused = admit(standing, sentSince);
              if (refused === undefined) watch.admitted(intentId, process.clock.now(), sight.seen, send.held);
              return refused;
            },
            now,
          ),
        ),
    },
    killSwitch: {
      state: () => brake.state(),
      engage: async (record) => {
        const engaged = await brake.engage(record);
        if (engaged.ok) watch.engaged();
        return engaged;
      },
      spread: () => brake.spread(),
      release: () => watch.releasing(() => brake.release()),
    },
  };
}

/** The same for transfers. */
function watchedTransfers({ transfers }: SeatStore, watch: Watch): SeatStore["transfers"] {
  return {
    ...transfers,
    begin: (transferId, send, admit, now) =>
      transfers.begin(
        transferId,
        send,
        (usage, sent) => {
          const refused = admit(usage, sent);
          if (refused === undefined) watch.transferAdmitted(transferId);
          return refused;
        },
        now,
      ),
  };
}

function policySource(setting: PolicySetting, waiting: Waiting | undefined): PolicySource {
  const { maxOrder, maxDay, maxOpen, approvalOver, isPriceBound, maxTransfersKrw, maxDayLoss, ...rest } = setting;
  const much = inUnit(maxOrder);
  const rules = { max: much, maxDay: inUnit(maxTransfersKrw), approvalOver: much };
  const policy = defaultPolicy("sandbox", {
    ...rest,
    maxOrder: inUnit(maxOrder),
    maxDay: inUnit(maxDay),
    maxOpen: inUnit(maxOpen),
    ...(maxDayLoss === undefined ? {} : { maxDayLoss: inUnit(maxDayLoss) }),
    approvalDrift: rate("0.0002"),
    // What a person lets go over a limit is over it: here the limits are what is looked at.
    overLimitSells: "deny",
    payments: rules,
    remittances: { ...rules, countries: ["US"], beneficiaries: [`${KIM.bank_code}/${KIM.account}`] },
    approvalOver: inUnit(approvalOver),
    ...(waiting === undefined ? {} : { plans: { approve: waiting.approve, stopRemoval: waiting.stopRemoval } }),
    ...(isPriceBound ? {} : { priceCollar: "off", maxSlippage: "off" }),
  });
  return { read: () => ok(policy) };
}

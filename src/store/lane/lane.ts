/**
 * Owns the lane: the one ordered way out for the private calls of a key, over all processes of the machine.
 *
 * Entry point: `createLane`.
 * Invariants: calls of this process enter in the order they asked, urgent ones (cancels) before all others, background ones (history) after them;
 * one call is in
 * flight, unless its holder outstayed the lease, or the next has waited for it long enough; a nonce is drawn at entry. When the store fails,
 * the lane goes on by itself, paced and numbered in memory: a cancel must leave with the disk full, while an order cannot,
 * as its intent is not recorded.
 */
import type { Result } from "../../contract/index.ts";
import type { Connection } from "../sql/connection.ts";
import { type LaneDeadline, LaneQueue } from "./lane-queue.ts";
import { LaneTable, type Place, RETRY_MS, type TurnAttempt, type TurnRequest } from "./lane-table.ts";
import { decideTurn, type LanePaces, type LaneState, lowerWeight, pauseLane, UNUSED_LANE } from "./lane-turn.ts";
import { paceWithin, type Rank } from "./pace.ts";

export interface LaneSettings {
  readonly limits: {
    readonly callsPerSecond: number;
    /** Until the venue says otherwise. */
    readonly weightPerMinute: number;
    /** Whatever the venue says. */
    readonly weightAtMost?: number;
  };
  /** Bounds how long one lease is waited for before going ahead beside it. */
  readonly leaseWaitMs: number;
  /** Bounds how long a call may hold the lane; a killed process costs the others at most this. */
  readonly leaseMs: number;
}

export interface StoreClock {
  /** Unix milliseconds, whole. */
  now(): number;
  /** Resolves after `ms`, or early when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface KeyLanePass {
  /** Larger than every nonce handed out for the key before, in any process that shares the store. */
  readonly nonce: bigint;
  /** Tells whether the turn still is this call's: a process that stood still may have outstayed it. */
  holds(): boolean;
  /** Lets the next one in; never fails, as a lease also ends by itself. */
  leave(): Promise<void>;
}

export interface KeyLaneRequest {
  readonly weight: number;
  /** Server clock minus ours, milliseconds; asked when the number is drawn, as ours may be set while the call waits. */
  readonly clockOffsetMs: () => number;
  /** A cancel: goes before all others, and may use the part of the budgets that is kept free for it. */
  readonly urgent?: boolean;
  /** History: goes when nobody else waits, at a third of the pace. */
  readonly background?: boolean;
  readonly deadline?: LaneDeadline;
}

export interface KeyLane {
  /** Rejects with the reason of the deadline's signal when that fires first. */
  enter(keyId: string, request: KeyLaneRequest): Promise<KeyLanePass>;
  pause(keyId: string, forMs: number): Promise<void>;
  /** Takes in what the venue says of the key's weight: how much a minute may have, and how much of it is left. */
  learn(keyId: string, news: { readonly limit: number; readonly remaining: number }): Promise<void>;
}

/** Shares of the budgets that may be used at once; the rest is their sustained rate. */
const CALLS_BURST = 1 / 6;
const WEIGHT_BURST = 1 / 3;
/** The heaviest endpoint; it must fit at once. Source: service.md#weights. */
const MAX_WEIGHT = 10;
/** With less the heaviest endpoint would not fit; no venue has it. */
const WEIGHT_LEAST = 100;

export function createLane(
  connection: Connection,
  settings: LaneSettings,
  clock: StoreClock,
  random: () => number,
): KeyLane {
  const { leaseWaitMs } = settings;
  const table = new LaneTable(connection, { busyMs: leaseWaitMs });
  const entrances = new Map<string, LaneEntrance>();
  const entranceOf = (keyId: string): LaneEntrance => {
    const entrance = entrances.get(keyId) ?? new LaneEntrance(keyId, { table, settings, clock, random });
    entrances.set(keyId, entrance);
    return entrance;
  };
  return {
    enter: (keyId, request) => entranceOf(keyId).enter(request),
    pause: (keyId, forMs) => entranceOf(keyId).pause(forMs),
    learn: (keyId, news) => entranceOf(keyId).learn(news),
  };
}

function pacesFor({ limits, leaseMs }: LaneSettings, weightPerMinute: number): LanePaces {
  return {
    calls: paceWithin(limits.callsPerSecond, 1_000, CALLS_BURST),
    weight: paceWithin(weightPerMinute, 60_000, WEIGHT_BURST, MAX_WEIGHT),
    leaseMs,
  };
}

interface EntranceParts {
  readonly table: LaneTable;
  readonly settings: LaneSettings;
  readonly clock: StoreClock;
  readonly random: () => number;
}

/** The entrance of one key in this process: one caller at a time tries to pass the lane, the others wait behind it. */
class LaneEntrance {
  readonly #keyId: string;
  readonly #parts: EntranceParts;
  /** The lane as this process last knew it; what counts while the store fails. */
  #known: LaneState = UNUSED_LANE;
  readonly #queue = new LaneQueue();
  #wake: (() => void) | undefined;
  /** Gives up the attempt of the caller at the head. */
  #abandon: (() => void) | undefined;
  /** Lease of the call of this process that is in flight. */
  #ownLease: number | undefined;
  /** Over, and not written back, as whoever is at the head writes its own in its place. */
  #handedOver: number | undefined;
  #weightPerMinute: number;
  #paces: LanePaces;

  constructor(keyId: string, parts: EntranceParts) {
    this.#keyId = keyId;
    this.#parts = parts;
    const { settings } = parts;
    this.#weightPerMinute = settings.limits.weightPerMinute;
    this.#paces = pacesFor(settings, this.#weightPerMinute);
  }

  async enter(request: KeyLaneRequest): Promise<KeyLanePass> {
    const { deadline } = request;
    const rank = rankOf(request);
    giveUpAfter(deadline);
    const isBehind = rank === "urgent" && this.#queue.isBusy;
    const first = this.#queue.reachHead(rank, deadline);
    // The caller at the head may be asleep, and has to yield.
    if (rank !== "background") this.#wake?.();
    await (isBehind ? this.#hurried(first) : first);
    return this.#pass(request);
  }

  /** Whoever is at the head may wait for a store that does not answer, and yields then too. */
  async #hurried(first: Promise<void>): Promise<void> {
    const { table, clock } = this.#parts;
    const alarm = new AbortController();
    const isLate = clock.sleep(table.urgentWaitMs(), alarm.signal).catch(() => undefined);
    void isLate.then(() => {
      if (!alarm.signal.aborted) this.#abandon?.();
    });
    try {
      await first;
    } finally {
      alarm.abort(AWAKE);
    }
  }

  async learn({ limit, remaining }: { readonly limit: number; readonly remaining: number }): Promise<void> {
    const { settings, clock, table } = this.#parts;
    const { weightAtMost = limit } = settings.limits;
    const weightPerMinute = Math.max(WEIGHT_LEAST, Math.min(limit, weightAtMost));
    if (weightPerMinute !== this.#weightPerMinute) {
      this.#weightPerMinute = weightPerMinute;
      this.#paces = pacesFor(settings, weightPerMinute);
    }
    const nowMs = Math.floor(clock.now());
    const lowered = lowerWeight(this.#known, nowMs, remaining, this.#paces);
    if (lowered === this.#known) return;
    this.#known = lowered;
    await table.lower(this.#keyId, nowMs, remaining, this.#paces);
  }

  async pause(forMs: number): Promise<void> {
    const nowMs = Math.floor(this.#parts.clock.now());
    this.#known = pauseLane(this.#known, nowMs, forMs);
    // Where the store fails, the pause is remembered here.
    await this.#parts.table.pause(this.#keyId, nowMs, forMs);
  }

  /**
   * Tries until the lane lets it pass, and then leaves the head. Only the wait for one lease is limited: a long line of short ones is
   * waited for.
   */
  async #pass(request: KeyLaneRequest): Promise<KeyLanePass> {
    const {
      clock,
      settings: { leaseWaitMs },
    } = this.#parts;
    const { deadline } = request;
    const rank = rankOf(request);
    let place: Place | undefined;
    let atHead = true;
    const ownLease = this.#ownLease;
    let waitedFor = ownLease === undefined ? undefined : { leaseId: ownLease, sinceMs: clock.now() };
    try {
      // Told when that is over, so there is nothing to ask the store before.
      if (ownLease !== undefined) await this.#rest(RETRY_MS, deadline);
      for (;;) {
        if (this.#queue.isWantedBefore(rank)) {
          atHead = false;
          await this.#queue.yieldFrom(rank, deadline);
          atHead = true;
        }
        giveUpAfter(deadline);
        const waitedMs = waitedFor === undefined ? 0 : clock.now() - waitedFor.sinceMs;
        const overdueLease = waitedMs >= leaseWaitMs ? waitedFor?.leaseId : undefined;
        const attempted = await this.#attempt(request, place, overdueLease);
        if (attempted === undefined) continue;
        const { attempt, stored } = attempted;
        this.#known = attempt.state;
        if (attempt.passes) {
          place = undefined;
          this.#handedOver = undefined;
          return this.#holdPass(attempt.state, stored, rank === "urgent");
        }
        this.#writeBack(rank === "urgent");
        place = attempt.place;
        if (attempt.behind === "lease" && waitedFor?.leaseId !== attempt.state.leaseId) {
          waitedFor = { leaseId: attempt.state.leaseId, sinceMs: clock.now() };
        }
        const waitLeftMs = (waitedFor?.sinceMs ?? clock.now()) + leaseWaitMs - clock.now();
        const ownAhead = attempt.behind === "lease" && attempt.state.leaseId === this.#ownLease;
        const limitMs = ownAhead ? RETRY_MS : this.#restMs(attempt.behind);
        if (this.#queue.isWantedBefore(rank)) continue;
        await this.#rest(Math.min(attempt.waitMs, Math.max(1, waitLeftMs), limitMs), deadline);
      }
    } finally {
      this.#writeBack(rank === "urgent");
      try {
        // Where the store fails, the ticket ends by itself.
        if (place !== undefined) await this.#parts.table.leaveLine(place, rank === "urgent");
      } finally {
        if (atHead) this.#queue.release();
      }
    }
  }

  /** @returns undefined where it was given up for an urgent call */
  async #attempt(
    request: KeyLaneRequest,
    place: Place | undefined,
    overdueLease: number | undefined,
  ): Promise<{ attempt: TurnAttempt; stored: boolean } | undefined> {
    const { table, clock } = this.#parts;
    const paces = this.#paces;
    const { weight } = request;
    const rank = rankOf(request);
    const turn = (): TurnRequest => {
      const { lastNonce: knownNonce } = this.#known;
      const nowMs = Math.floor(clock.now());
      const clockOffsetMs = request.clockOffsetMs();
      return { keyId: this.#keyId, nowMs, weight, clockOffsetMs, rank, place, overdueLease, knownNonce };
    };
    const taken = await this.#yielding(table.takeTurn(turn, paces, rank === "urgent"), place);
    if (taken === undefined) return undefined;
    if (taken.ok) return { attempt: taken.value, stored: true };
    const decision = decideTurn(this.#known, turn(), paces);
    const attempt: TurnAttempt = decision.passes ? decision : { ...decision, state: this.#known, place };
    return { attempt, stored: false };
  }

  /** Gives back what comes of it after it was given up. */
  async #yielding(
    taking: Promise<Result<TurnAttempt>>,
    place: Place | undefined,
  ): Promise<Result<TurnAttempt> | undefined> {
    const abandoned = new Promise<undefined>((resolve) => {
      this.#abandon = () => resolve(undefined);
    });
    const taken = await Promise.race([taking, abandoned]);
    this.#abandon = undefined;
    if (taken === undefined) taking.then((late) => this.#giveBack(late, place)).catch(() => undefined);
    return taken;
  }

  async #giveBack(late: Result<TurnAttempt>, place: Place | undefined): Promise<void> {
    if (!late.ok) return;
    const { table } = this.#parts;
    if (late.value.passes) await table.free(this.#keyId, late.value.state.leaseId, true);
    else if (late.value.place !== undefined && late.value.place.ticket !== place?.ticket)
      await table.leaveLine(late.value.place, true);
  }

  /** Other processes give a lease back without a word, so the first tries often, those behind less. */
  #restMs(behind: "lease" | "pace" | "line"): number {
    const { random } = this.#parts;
    switch (behind) {
      case "lease":
        return 1 + 2 * random();
      case "line":
        return 3 + 6 * random();
      case "pace":
        return RETRY_MS;
    }
  }

  /** Sleeps before the next attempt; a pass given back in this process ends it. */
  async #rest(ms: number, deadline: LaneDeadline | undefined): Promise<void> {
    const signal = deadline?.signal;
    if (signal?.aborted) return;
    const alarm = new AbortController();
    const wake = () => alarm.abort(AWAKE);
    this.#wake = wake;
    signal?.addEventListener("abort", wake, { once: true });
    try {
      await this.#parts.clock.sleep(ms, alarm.signal);
    } catch (error) {
      // A clock may also reject when its signal fires; both mean to try again.
      if (!alarm.signal.aborted) throw error;
    } finally {
      this.#wake = undefined;
      signal?.removeEventListener("abort", wake);
    }
  }

  /** Whoever was to pass in its place does not, or not yet: others need not wait for it. */
  #writeBack(isUrgent: boolean): void {
    if (this.#handedOver === undefined) return;
    void this.#parts.table.free(this.#keyId, this.#handedOver, isUrgent);
    this.#handedOver = undefined;
  }

  #holdPass(state: LaneState, stored: boolean, isUrgent: boolean): KeyLanePass {
    let held = true;
    this.#ownLease = state.leaseId;
    return {
      nonce: state.lastNonce,
      holds: () => held && this.#parts.clock.now() < state.leaseUntilMs,
      leave: async () => {
        if (!held) return;
        held = false;
        if (this.#known.leaseId === state.leaseId) this.#known = { ...this.#known, leaseUntilMs: 0 };
        const { table } = this.#parts;
        const isFollowed = stored && table.end(this.#keyId, state.leaseId) && this.#queue.isBusy;
        if (isFollowed) this.#handedOver = state.leaseId;
        // Where the store fails, the lease ends by itself.
        const freed = stored && !isFollowed ? table.free(this.#keyId, state.leaseId, isUrgent) : undefined;
        if (this.#ownLease === state.leaseId) this.#ownLease = undefined;
        this.#wake?.();
        await freed;
      },
    };
  }
}

function rankOf({ urgent = false, background = false }: KeyLaneRequest): Rank {
  return urgent ? "urgent" : background ? "background" : "usual";
}

function giveUpAfter(deadline: LaneDeadline | undefined): void {
  if (deadline?.hasPassed === true) deadline.signal.throwIfAborted();
}

/** Serves all: making an error with its stack each time costs more than the attempt. */
const AWAKE = new Error("try again");

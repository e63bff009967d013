/**
 * The lane of a venue that counts calls in groups: so many in so long, of a key or of an address. Calls go side by side, as no nonce orders
 * them; cancels go first and may use what is kept for them, background reads last and with a part of the rest.
 *
 * Invariants:
 * - No more of a group leaves in any window than it takes, by our own count, with what the venue says others have used.
 * - Nothing goes to a key or an address that the venue has shut out, cancels included: whoever probes is shut out for longer.
 * - While a group pauses, one cancel goes at once, and further ones seconds apart.
 *
 * It counts for one process. Others on the same key are seen by what the venue says is left.
 *
 * Source: architecture.md#rule-4.
 */
import { untilAborted } from "./deadline.ts";
import { PAUSE_MAX_MS, ShutOut } from "./lane-entrance.ts";
import type { Lane, LaneDeadline, LanePass, LaneRequest, LimitNews, SteadyClock } from "./ports.ts";

export interface RateGroup {
  readonly name: string;
  /** Calls in a window. */
  readonly limit: number;
  readonly windowMs: number;
  readonly scope: "key" | "address";
  /** How many of them only a cancel may use. */
  readonly reserved?: number;
}

/** Times on the steady clock. */
interface Row {
  readonly group: RateGroup;
  readonly shut: Shut;
  /** Oldest first. */
  used: { readonly atMs: number; readonly weight: number }[];
  pausedUntilMs: number;
  /** The last cancel that went during the pause. */
  probedAtMs: number;
  pauses: number;
}

/** Of a key, or of the address. */
interface Shut {
  untilMs: number;
  times: number;
}

type Priority = 0 | 1 | 2;

interface Waiter {
  readonly priority: Priority;
  readonly uses: readonly { readonly row: Row; readonly weight: number }[];
  /** Makes the waiter check again whether its turn has come. */
  wake: () => void;
}

/** Requests may arrive closer together than they leave. */
const JITTER_MS = 50;
/** Between two cancels during a pause. */
const PAUSED_URGENT_EVERY_MS = 3_000;
/** Longest pause of which the venue does not say how long; it doubles up to here. */
const PAUSE_GUESS_MAX_MS = 60_000;
const SHUT_GUESS_MS = 600_000;
const SHUT_MAX_MS = 3 * 86_400_000;
/** A background read uses at most this part of what is not reserved. */
const BACKGROUND_PART = 4;

export class GroupLane implements Lane {
  readonly #clock: SteadyClock;
  readonly #groups: ReadonlyMap<string, RateGroup>;
  readonly #rows = new Map<string, Row>();
  readonly #shuts = new Map<string, Shut>();
  /** In the order of their turns. */
  readonly #queue: Waiter[] = [];
  #last = 0n;

  constructor(clock: SteadyClock, groups: readonly RateGroup[]) {
    this.#clock = clock;
    this.#groups = new Map(groups.map((group) => [group.name, group]));
  }

  /** @throws ShutOut, or the reason of the deadline's signal when that fires before the turn comes */
  async enter(keyId: string, request: LaneRequest): Promise<LanePass> {
    const { urgent = false, background = false, charges = [], clockOffsetMs, deadline } = request;
    const uses = charges.map(({ group, weight }) => ({ row: this.#row(keyId, group), weight }));
    const waiter: Waiter = { priority: urgent ? 0 : background ? 2 : 1, uses, wake: () => {} };
    const next = this.#queue.findIndex(({ priority }) => priority > waiter.priority);
    this.#queue.splice(next < 0 ? this.#queue.length : next, 0, waiter);
    try {
      await this.#turn(waiter, deadline);
    } finally {
      this.#queue.splice(this.#queue.indexOf(waiter), 1);
      for (const { wake } of this.#queue) wake();
    }
    const now = BigInt(Math.floor(this.#clock.now() + clockOffsetMs()));
    this.#last = now > this.#last ? now : this.#last + 1n;
    return { nonce: this.#last, leave: async () => {} };
  }

  async hear(keyId: string, news: readonly LimitNews[]): Promise<void> {
    for (const said of news) {
      if (!this.#groups.has(said.group)) continue;
      const row = this.#row(keyId, said.group);
      if (said.kind === "left") this.#noteLeft(row, said.left);
      else if (said.kind === "pause") this.#pauseRow(row, said.forMs);
      else this.#shutOut(row.shut, said.forMs);
    }
  }

  /** Every group of the key. */
  async pause(keyId: string, forMs: number): Promise<void> {
    for (const { name, scope } of this.#groups.values())
      if (scope === "key") this.#pauseRow(this.#row(keyId, name), forMs);
  }

  async #turn(waiter: Waiter, deadline: LaneDeadline | undefined): Promise<void> {
    for (;;) {
      if (deadline?.hasPassed === true) deadline.signal.throwIfAborted();
      const now = this.#clock.rising();
      const shutMs = Math.max(0, ...waiter.uses.map(({ row }) => row.shut.untilMs - now));
      if (shutMs > 0 && shutMs >= (deadline?.remainingMs ?? 0)) throw new ShutOut(shutMs);
      if (this.#isBehind(waiter)) {
        const called = new Promise<void>((resolve) => {
          waiter.wake = resolve;
        });
        await (deadline === undefined ? called : untilAborted(called, deadline.signal));
        continue;
      }
      const waitMs = Math.max(
        shutMs,
        ...waiter.uses.map(({ row, weight }) => waitFor(row, weight, waiter.priority, now)),
      );
      if (waitMs > 0) await this.#clock.sleep(waitMs, deadline?.signal);
      else return take(waiter, now);
    }
  }

  /** Somebody who goes first wants of the same group. */
  #isBehind(waiter: Waiter): boolean {
    const ahead = this.#queue.slice(0, this.#queue.indexOf(waiter));
    return ahead.some(({ uses }) => uses.some(({ row }) => waiter.uses.some((own) => own.row === row)));
  }

  /** What the venue counts and we do not was used by others. */
  #noteLeft(row: Row, left: number): void {
    const atMs = this.#clock.rising();
    const unseen = row.group.limit - usedOf(row, atMs) - left;
    if (unseen > 0) row.used.push({ atMs, weight: unseen });
  }

  #pauseRow(row: Row, toldMs: number | undefined): void {
    const now = this.#clock.rising();
    const isNew = now > row.pausedUntilMs;
    if (now > row.pausedUntilMs + PAUSE_GUESS_MAX_MS) row.pauses = 0;
    const guessMs = Math.min(row.group.windowMs * 2 ** row.pauses, PAUSE_GUESS_MAX_MS);
    if (isNew) {
      row.pauses++;
      row.probedAtMs = NEVER;
    }
    row.pausedUntilMs = Math.max(row.pausedUntilMs, now + Math.min(toldMs ?? guessMs, PAUSE_MAX_MS));
  }

  #shutOut(shut: Shut, toldMs: number | undefined): void {
    const now = this.#clock.rising();
    const guessMs = SHUT_GUESS_MS * 2 ** shut.times;
    if (now > shut.untilMs) shut.times++;
    shut.untilMs = Math.max(shut.untilMs, now + Math.min(toldMs ?? guessMs, SHUT_MAX_MS));
  }

  /** @throws TypeError for a group that the venue does not have */
  #row(keyId: string, name: string): Row {
    const group = this.#groups.get(name);
    if (group === undefined) throw new TypeError(`no group of calls is named ${name}`);
    const whose = group.scope === "key" ? `key ${keyId}` : "address";
    const id = `${whose} ${name}`;
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const shut = this.#shuts.get(whose) ?? { untilMs: NEVER, times: 0 };
    this.#shuts.set(whose, shut);
    const row = { group, shut, used: [], pausedUntilMs: NEVER, probedAtMs: NEVER, pauses: 0 };
    this.#rows.set(id, row);
    return row;
  }
}

/** The steady clock may start at any value. */
const NEVER = Number.NEGATIVE_INFINITY;

function take({ uses }: Waiter, atMs: number): void {
  for (const { row, weight } of uses) {
    row.used.push({ atMs, weight });
    if (atMs < row.pausedUntilMs) row.probedAtMs = atMs;
  }
}

function usedOf(row: Row, nowMs: number): number {
  row.used = row.used.filter(({ atMs }) => atMs + row.group.windowMs + JITTER_MS > nowMs);
  return row.used.reduce((sum, { weight }) => sum + weight, 0);
}

function waitFor(row: Row, weight: number, priority: Priority, nowMs: number): number {
  return Math.max(pauseLeft(row, priority, nowMs), roomIn(row, weight, priority, nowMs));
}

function pauseLeft(row: Row, priority: Priority, nowMs: number): number {
  const leftMs = row.pausedUntilMs - nowMs;
  if (priority !== 0 || leftMs <= 0) return leftMs;
  return Math.min(leftMs, row.probedAtMs + PAUSED_URGENT_EVERY_MS - nowMs);
}

function roomIn(row: Row, weight: number, priority: Priority, nowMs: number): number {
  const { limit, windowMs, reserved = 0 } = row.group;
  const open = priority === 0 ? limit : limit - reserved;
  // A call that weighs more than its share goes when nothing else does.
  const share = Math.max(priority === 2 ? Math.floor(open / BACKGROUND_PART) : open, weight);
  let over = usedOf(row, nowMs) + weight - share;
  for (const use of row.used) {
    if (over <= 0) return 0;
    over -= use.weight;
    if (over <= 0) return use.atMs + windowMs + JITTER_MS - nowMs;
  }
  return 0;
}

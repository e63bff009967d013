/**
 * The lane of a venue that counts calls in groups: so many in so long, of a key or of an address. Calls go side by side, as no nonce orders
 * them; cancels go first and may use what is kept for them, background reads last and with a part of the rest.
 *
 * Invariants:
 * - No more of a group leaves in any window than it takes, by our own count, with what the venue says others have used.
 * - Nothing goes to a key or an address that the venue has shut out, cancels included: whoever probes is shut out for longer.
 * - While a group pauses, one cancel goes at once, and further ones seconds apart.
 *
 * Where there are budgets that processes share, a call also takes its turn of these, and what an answer says of a group goes to all; else it counts for one
 * process, and others on the same key are seen by what the venue says is left.
 *
 * Source: architecture.md#rule-4, decision 0101.
 */
import { untilAborted } from "./deadline.ts";
import { NEVER, type Priority, type RateGroup, type Row, rowOf, type Shut, use, usedOf, waitFor } from "./group-row.ts";
import { PAUSE_MAX_MS, ShutOut } from "./lane-entrance.ts";
import type { Lane, LaneDeadline, LanePass, LaneRequest, LimitNews, SharedBudgets, SteadyClock } from "./ports.ts";
import { SharedTurns } from "./shared-turns.ts";

interface Waiter {
  readonly priority: Priority;
  readonly uses: readonly { readonly row: Row; readonly weight: number }[];
  /** Makes the waiter check again whether its turn has come. */
  wake: () => void;
}

/** Longest pause of which the venue does not say how long; it doubles up to here. */
const PAUSE_GUESS_MAX_MS = 60_000;
const SHUT_GUESS_MS = 600_000;
/** Exchanges take the nonce for the time of the request: where the time turns out to be earlier by so much, it follows, or all would be refused until then. */
const SET_MS = 1_000n;
const SHUT_MAX_MS = 3 * 86_400_000;

export class GroupLane implements Lane {
  readonly #clock: SteadyClock;
  readonly #groups: ReadonlyMap<string, RateGroup>;
  readonly #rows = new Map<string, Row>();
  readonly #shuts = new Map<string, Shut>();
  /** In the order of their turns. */
  readonly #queue: Waiter[] = [];
  readonly #shared: SharedTurns | undefined;
  #last = 0n;

  /** @param budgets that processes share; absent: this one counts by itself */
  constructor(clock: SteadyClock, groups: readonly RateGroup[], budgets?: SharedBudgets) {
    this.#clock = clock;
    this.#shared = budgets && new SharedTurns(budgets, clock);
    this.#groups = new Map(groups.map((group) => [group.name, group]));
  }

  /** @throws ShutOut, or the reason of the deadline's signal when that fires before the turn comes */
  async enter(keyId: string, request: LaneRequest): Promise<LanePass> {
    const { urgent = false, background = false, charges = [], clockOffsetMs, deadline } = request;
    const uses = charges.map(({ group, weight }) => ({ row: this.#row(keyId, group), weight }));
    const waiter: Waiter = { priority: urgent ? 0 : background ? 2 : 1, uses, wake: () => {} };
    const next = this.#queue.findIndex(({ priority }) => priority > waiter.priority);
    this.#queue.splice(next < 0 ? this.#queue.length : next, 0, waiter);
    let over: readonly ((nowMs: number) => void)[] = [];
    try {
      over = await this.#turn(waiter, deadline);
    } finally {
      this.#queue.splice(this.#queue.indexOf(waiter), 1);
      for (const { wake } of this.#queue) wake();
    }
    const now = BigInt(Math.floor(this.#clock.now() + clockOffsetMs()));
    const isNext = now <= this.#last && this.#last - now < SET_MS;
    this.#last = isNext ? this.#last + 1n : now;
    return {
      nonce: this.#last,
      leave: async () => {
        for (const end of over) end(this.#clock.rising());
        for (const { row } of uses) this.#shared?.settle(row);
      },
    };
  }

  async hear(keyId: string, news: readonly LimitNews[]): Promise<void> {
    for (const said of news) {
      if (!this.#groups.has(said.group)) continue;
      const row = this.#row(keyId, said.group);
      if (said.kind === "left") await this.#noteLeft(row, said.left);
      else if (said.kind === "pause") await this.#pauseRow(row, said.forMs);
      else await this.#shutOut(row, said.forMs);
    }
  }

  /** Every group of the key. */
  async pause(keyId: string, forMs: number): Promise<void> {
    for (const { name, scope } of this.#groups.values())
      if (scope === "key") await this.#pauseRow(this.#row(keyId, name), forMs);
  }

  /** @returns to be called when the call is over */
  async #turn(waiter: Waiter, deadline: LaneDeadline | undefined): Promise<readonly ((nowMs: number) => void)[]> {
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
      const taking = waitMs > 0 ? Promise.resolve(waitMs) : this.#takeShared(waiter);
      if (taking === undefined) return waiter.uses.map(({ row, weight }) => use(row, weight, waiter.priority, now));
      const heldUpMs = await (deadline === undefined ? taking : untilAborted(taking, deadline.signal));
      if (heldUpMs !== undefined && heldUpMs > 0) await this.#clock.sleep(heldUpMs, deadline?.signal);
    }
  }

  /** @returns how long to wait before it looks again; undefined where it has all its turns, so that nobody comes in between */
  #takeShared({ uses, priority }: Waiter): Promise<number> | undefined {
    const shared = this.#shared;
    const needed = shared === undefined ? [] : uses.filter((each) => shared.isNeeded(each));
    if (shared === undefined || needed.length === 0) return undefined;
    return shared.take(
      needed.map((each) => ({ ...each, priority, behind: this.#behind(each.row, priority) - each.weight })),
    );
  }

  /** What calls of one priority want of the group. */
  #behind(row: Row, priority: Priority): number {
    const alike = this.#queue.filter((each) => each.priority === priority).flatMap(({ uses }) => uses);
    return alike.reduce((sum, each) => sum + (each.row === row ? each.weight : 0), 0);
  }

  /** Somebody who goes first wants of the same group. */
  #isBehind(waiter: Waiter): boolean {
    const ahead = this.#queue.slice(0, this.#queue.indexOf(waiter));
    return ahead.some(({ uses }) => uses.some(({ row }) => waiter.uses.some((own) => own.row === row)));
  }

  /** What the venue counts and we do not was used by others. */
  async #noteLeft(row: Row, left: number): Promise<void> {
    const shared = this.#shared;
    if (shared?.knows(row) === true) {
      if (shared.isSurprising(row, left)) await shared.tell({ row, left });
      return;
    }
    const atMs = this.#clock.rising();
    const unseen = row.group.limit - usedOf(row, atMs) - left;
    if (unseen > 0) use(row, unseen, 1, atMs)(atMs);
  }

  async #pauseRow(row: Row, toldMs: number | undefined): Promise<void> {
    const now = this.#clock.rising();
    const isNew = now > row.pausedUntilMs;
    if (now > row.pausedUntilMs + PAUSE_GUESS_MAX_MS) row.pauses = 0;
    const guessMs = Math.min(row.group.windowMs * 2 ** row.pauses, PAUSE_GUESS_MAX_MS);
    if (isNew) {
      row.pauses++;
      row.probedAtMs = NEVER;
    }
    row.pausedUntilMs = Math.max(row.pausedUntilMs, now + Math.min(toldMs ?? guessMs, PAUSE_MAX_MS));
    await this.#shared?.tell({ row, pauseMs: row.pausedUntilMs - now });
  }

  async #shutOut(row: Row, toldMs: number | undefined): Promise<void> {
    const { shut } = row;
    const now = this.#clock.rising();
    const guessMs = SHUT_GUESS_MS * 2 ** shut.times;
    if (now > shut.untilMs) shut.times++;
    shut.untilMs = Math.max(shut.untilMs, now + Math.min(toldMs ?? guessMs, SHUT_MAX_MS));
    await this.#shared?.tell({ row }, toldMs === undefined ? {} : { forMs: toldMs });
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
    const row = rowOf(group, whose, shut);
    this.#rows.set(id, row);
    return row;
  }
}

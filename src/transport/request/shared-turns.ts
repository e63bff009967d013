/**
 * What the processes of a store have used together, as one of them sees it: before a call goes it needs a turn from the store, which grants a handful at a
 * time, to be used within a third of a second.
 *
 * Invariants: one question about a key or the address is asked at a time, for all that wait by then; while the store cannot be asked nobody waits for it,
 * and this process's own count holds alone; what was told and not answered is told again, as then too much is counted.
 *
 * Source: decision 0101.
 */
import { defined } from "../../contract/index.ts";
import {
  flightOf,
  NEVER,
  NOT_TURNED_AWAY,
  openTo,
  type Priority,
  type Row,
  type Use,
  underWayIn,
  untoldIn,
} from "./group-row.ts";
import type { GroupClaim, SharedBudgets, SteadyClock } from "./ports.ts";

/** What stands at the head of a group, and how much stands behind it. */
export interface Want {
  readonly row: Row;
  readonly weight: number;
  readonly behind: number;
  readonly priority: Priority;
}

/** What an answer says, besides what was used. */
export interface Told {
  readonly row: Row;
  readonly left?: number;
  readonly pauseMs?: number;
}

/** What is wanted, or told; neither: what was used alone. */
type Asked = Told & Partial<Want>;

interface Scope {
  readonly whose: string;
  readonly wants: Map<Row, Want>;
  asking: Promise<void> | undefined;
  /** The last question had no answer. */
  isLost: boolean;
  /** Of which the others are about to be told. */
  readonly settling: Set<Row>;
}

/** With so much of it used or held, others may wait for a group. */
const SCARCE = 3 / 4;
/** A part of the limit, and so many at most, that is asked for besides what waits. */
const SPARE_PART = 8;
const SPARE_MAX = 8;

export class SharedTurns {
  readonly #budgets: SharedBudgets;
  readonly #clock: SteadyClock;
  readonly #scopes = new Map<string, Scope>();

  constructor(budgets: SharedBudgets, clock: SteadyClock) {
    this.#budgets = budgets;
    this.#clock = clock;
  }

  /** Tells whether a turn has to be asked for. Where nobody can be asked, that is tried beside. */
  isNeeded({ row, weight }: Pick<Want, "row" | "weight">): boolean {
    if (row.hand >= weight && this.#clock.rising() < row.handUntilMs) return false;
    const scope = this.#scope(row.whose);
    if (!scope.isLost) return true;
    scope.asking ??= this.#ask(scope, [{ row }]);
    return false;
  }

  /** @returns how long to wait; 0: to look again */
  async take(wants: readonly Want[]): Promise<number> {
    const waitMs = this.#waitMs(wants);
    if (waitMs > 0) return waitMs;
    await Promise.all(wants.map((want) => this.#wanted(want)));
    return this.#waitMs(wants);
  }

  #waitMs(wants: readonly Want[]): number {
    const now = this.#clock.rising();
    const waits = wants.map(({ row, weight, priority }) => {
      const { turnedAway, hand } = row;
      return hand < weight && turnedAway.priority <= priority ? turnedAway.untilMs - now : 0;
    });
    return Math.max(0, ...waits);
  }

  /** Says at once to all what only this process has heard. @param ban the venue shuts out what the group counts by */
  async tell(told: Told, ban?: { readonly forMs?: number }): Promise<void> {
    const scope = this.#scope(told.row.whose);
    while (scope.asking !== undefined) await scope.asking;
    scope.asking = this.#ask(scope, [told], ban);
    await scope.asking;
  }

  /**
   * A call of the group is over. Once all are, and the group was not mostly free, the others are told: what is under way counts for longer. Nobody waits
   * for it.
   */
  settle(row: Row): void {
    const { asking, isLost, settling } = this.#scope(row.whose);
    const isOfUse = row.total > row.group.limit * SCARCE && untoldIn(row).length > 0 && !isLost && !settling.has(row);
    if (!isOfUse || underWayIn(row, this.#clock.rising()).calls > 0) return;
    settling.add(row);
    // What is asked meanwhile may be of this group, and tells of it too.
    const told = Promise.resolve(asking).then(() => (untoldIn(row).length > 0 ? this.tell({ row }) : undefined));
    void told.finally(() => settling.delete(row));
  }

  /** Tells whether it counts what all have used of a group. */
  knows({ whose }: Row): boolean {
    return this.#scopes.get(whose)?.isLost === false;
  }

  /** Tells that the venue counts calls that no process of the store has made, and that not much is left. */
  isSurprising(row: Row, left: number): boolean {
    const { limit } = row.group;
    return left < limit / 2 && left < limit - row.total;
  }

  async #wanted(want: Want): Promise<void> {
    const scope = this.#scope(want.row.whose);
    const other = scope.wants.get(want.row);
    if (other === undefined || want.priority < other.priority) scope.wants.set(want.row, want);
    scope.asking ??= this.#askForAll(scope);
    await scope.asking;
    if (scope.wants.get(want.row) === want) scope.wants.delete(want.row);
  }

  /** Also for those that come in the same moment. */
  async #askForAll(scope: Scope): Promise<void> {
    await Promise.resolve();
    const wants = [...scope.wants.values()];
    scope.wants.clear();
    await this.#ask(scope, wants);
  }

  /** @param asked at least one */
  async #ask(scope: Scope, asked: readonly Asked[], ban?: { readonly forMs?: number }): Promise<void> {
    const askedAtMs = this.#clock.rising();
    const questions = asked.map((each) => {
      const question = questionOf(each, askedAtMs);
      if (question.givesBack) each.row.hand = 0;
      return question;
    });
    const claims = questions.map(({ claim }) => claim);
    const answer = await this.#budgets.claim(scope.whose, claims, ban);
    scope.asking = undefined;
    scope.isLost = answer === undefined;
    if (answer === undefined) return;
    const now = this.#clock.rising();
    for (const { row, claim, over, priority, givesBack } of questions) {
      for (const made of over) made.isTold = true;
      if (answer.bannedMs > 0) row.shut.untilMs = Math.max(row.shut.untilMs, now + answer.bannedMs);
      const share = answer.groups.find(({ group }) => group === claim.group);
      if (share === undefined) continue;
      row.total = share.total;
      if (share.pausedMs > 0) pause(row, now, share.pausedMs);
      if (!givesBack) continue;
      row.hand = share.granted;
      row.handUntilMs = askedAtMs + answer.leaseMs;
      row.turnedAway = share.granted < claim.needed ? { untilMs: now + share.waitMs, priority } : NOT_TURNED_AWAY;
    }
  }

  #scope(whose: string): Scope {
    const known = this.#scopes.get(whose);
    if (known !== undefined) return known;
    const scope: Scope = { whose, wants: new Map(), asking: undefined, isLost: false, settling: new Set() };
    this.#scopes.set(whose, scope);
    return scope;
  }
}

/** Learned from others. Of a pause that this process did not know, a cancel finds out at once whether it holds for it. */
function pause(row: Row, nowMs: number, forMs: number): void {
  if (nowMs > row.pausedUntilMs) row.probedAtMs = NEVER;
  row.pausedUntilMs = Math.max(row.pausedUntilMs, nowMs + forMs);
}

interface Question {
  readonly row: Row;
  readonly claim: GroupClaim;
  /** What it tells of. */
  readonly over: readonly Use[];
  readonly priority: Priority;
  /** What was in hand is not used any more. */
  readonly givesBack: boolean;
}

function questionOf(asked: Asked, nowMs: number): Question {
  const { row, weight = 0, behind = 0, priority = 1, left, pauseMs } = asked;
  const { name: group, limit, windowMs } = row.group;
  const over = untoldIn(row);
  const underWay = underWayIn(row, nowMs);
  const givesBack = weight > 0 || left !== undefined;
  const isKept = !givesBack && row.hand > 0 && row.handUntilMs > nowMs;
  const kept = isKept ? { calls: row.hand, forMs: row.handUntilMs - nowMs + flightOf(priority) } : NOTHING;
  const isUsual = priority === 1 && weight > 0;
  const claim = {
    ...{ group, limit, windowMs, open: openTo(row.group, priority, weight), needed: weight },
    ...{ wanted: weight + behind, isUrgent: priority === 0, flightMs: flightOf(priority) },
    ...{ underWay: underWay.calls + kept.calls, underWayMs: Math.max(underWay.forMs, kept.forMs) },
    spare: isUsual ? Math.min(SPARE_MAX, Math.floor(limit / SPARE_PART)) : 0,
    used: over.map((made) => [nowMs - made.atMs, made.weight] as const),
    ...defined({ left, pauseMs }),
  };
  return { row, claim, over, priority, givesBack };
}

const NOTHING = { calls: 0, forMs: 0 };

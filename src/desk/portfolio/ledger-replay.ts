/**
 * Computes something over the fills of the ledger, and over what the account was seen to hold between them, from the first to the last in the order of
 * their times, without reading all of them each time: it goes on from the mark that was kept last, and keeps new ones. Entry point: `replay`.
 *
 * Invariants: the result is what all fills from the first one on give, to the last digit, as the state of a computation is kept whole and a mark
 * that a late fill came in behind is gone. A page is in memory, never all fills. That a mark cannot be kept costs time, and nothing else.
 *
 * Source: decision 0059.
 */
import { failed, localFault, ok, type Result, type Unit } from "../../contract/index.ts";
import { Fraction } from "../../decimal/index.ts";
import type { BalanceSighting, FillLedger, LedgerFill, LedgerMark, LedgerPlace } from "../ports/fill-ledger.ts";
import { movementsOf } from "./movements.ts";

/** Fills in memory at a time. */
export const LEDGER_PAGE = 1_000;
/** Purchases that are read again at a time: mostly a few are sold. */
const LOTS_PAGE = 100;

interface Pace {
  readonly page: number;
  /** From one mark that lasts to the next: so many fills are gone through again where a period begins between them. */
  readonly lastingEvery: number;
  /** Goes through so many again at each look, of what is newer than the last mark. */
  readonly newestAfter: number;
}

const PACE: Pace = { page: LEDGER_PAGE, lastingEvery: 5_000, newestAfter: 500 };
/** A fill may come late while the others are read: then they are read again. */
const TRIES = 4;

/** Computes over fills, one by one. */
export interface Computation<T> {
  enter(fill: LedgerFill): void;
  /** Comes when what is of its time and before was entered. */
  see(sighting: BalanceSighting): void;
  /** Holds the totals of all fills that were entered, and does not change any more. */
  totals(): T;
  /** All of it, so that another goes on from there. */
  toText(): string;
  /** Reads fills a second time, where the computation needs that. */
  readonly rereading: Rereading | undefined;
}

/** Reads again what goes: what was bought first is sold first. */
export interface Rereading {
  /** What coins are bought for. */
  readonly unit: Unit;
  /** Behind which fill more of what was bought of it has to be read before so much can go; undefined: none. */
  wantedFor(asset: string, volume: Fraction): LedgerPlace | undefined;
  /** Tells how much of its asset goes when it is seen. */
  goneBy(sighting: BalanceSighting): Fraction | undefined;
  /** @param fills what was bought of it next */
  supply(asset: string, fills: readonly LedgerFill[]): void;
  /** Leaves what can be read again. */
  trim(): void;
}

interface ReplayRequest<T, C> {
  readonly ledger: FillLedger;
  readonly account: string;
  /** Names what is computed, and how its text is written: another form is another kind. */
  readonly kind: string;
  readonly begin: (text?: string) => C & Computation<T>;
  /** For tests. */
  readonly pace?: Pace;
  /** At which times its totals are wanted, rising: Unix milliseconds, or `NOW`. */
  readonly at: readonly number[];
}

/** After every fill that there is. */
export const NOW: number = Number.MAX_SAFE_INTEGER;

interface Replayed<T, C> {
  /** At each of the times. */
  readonly totals: readonly T[];
  /** Stands as it is at the last of them. */
  readonly computation: C;
}

export async function replay<T, C>(request: ReplayRequest<T, C>): Promise<Result<Replayed<T, C>>> {
  const { ledger, account, at } = request;
  for (let tries = 1; ; tries += 1) {
    const before = await ledger.progress(account);
    if (!before.ok) return before;
    const sightings = await ledger.sightings(account);
    if (!sightings.ok) return sightings;
    const running = new Replay(request, before.value.revision, sightings.value);
    const totals: T[] = [];
    for (const toMs of at) {
      const gone = await running.advance(toMs);
      if (!gone.ok) return gone;
      totals.push(running.computation.totals());
    }
    const after = await ledger.progress(account);
    if (!after.ok) return after;
    if (after.value.revision === before.value.revision || tries === TRIES)
      return ok({ totals, computation: running.computation });
  }
}

class Replay<T, C> {
  computation: C & Computation<T>;
  readonly #request: ReplayRequest<T, C>;
  readonly #revision: number;
  readonly #pace: Pace;
  #count = 0;
  /** Holds `#count` as it was at the last mark. */
  #marked = 0;
  /** The time of the last fill or balance that was entered. */
  #lastMs = -1;
  /** Read and not entered yet: `#page` from `#next` on. */
  #page: readonly LedgerFill[] = [];
  #next = 0;
  #after: LedgerPlace = startOf(0);
  #isAtEnd = false;
  readonly #sightings: readonly BalanceSighting[];
  /** Counts those that were entered. */
  #seen = 0;
  /** The newest mark, should the page be the last. */
  #newest: Omit<LedgerMark, "kind"> | undefined;

  constructor(request: ReplayRequest<T, C>, revision: number, sightings: readonly BalanceSighting[]) {
    this.#sightings = sightings;
    this.computation = request.begin();
    this.#request = request;
    this.#revision = revision;
    this.#pace = request.pace ?? PACE;
  }

  /** Enters everything up to a time that was not entered yet. */
  async advance(toMs: number): Promise<Result<void>> {
    const { ledger, account, kind } = this.#request;
    const next = this.#page[this.#next];
    if (toMs < 0 || (next !== undefined && next.atMs > toMs && this.#sightingTo(toMs) === undefined))
      return ok(undefined);
    const mark = await ledger.mark(account, kind, toMs);
    if (!mark.ok) return mark;
    if (mark.value !== undefined && mark.value.count > this.#count) this.#goOnFrom(mark.value);
    for (let sighting = this.#sightingTo(toMs); sighting !== undefined; sighting = this.#sightingTo(toMs)) {
      const seen = await this.#see(sighting);
      if (!seen.ok) return seen;
    }
    return this.#enterFills(toMs);
  }

  /** The next one, if it is not beyond a time. */
  #sightingTo(toMs: number): BalanceSighting | undefined {
    const next = this.#sightings[this.#seen];
    return next !== undefined && next.atMs <= toMs ? next : undefined;
  }

  async #see(sighting: BalanceSighting): Promise<Result<void>> {
    const entered = await this.#enterFills(sighting.atMs);
    if (!entered.ok) return entered;
    const { rereading } = this.computation;
    const gone = rereading?.goneBy(sighting);
    if (rereading !== undefined && gone !== undefined) {
      const supplied = await supply(this.#request, rereading, new Map([[sighting.asset, gone]]));
      if (!supplied.ok) return supplied;
    }
    this.computation.see(sighting);
    if (rereading !== undefined) {
      // What the rest of the page sells was read for what was left before this went.
      const rest = goneIn(this.#page.slice(this.#next), rereading.unit);
      const supplied = await supply(this.#request, rereading, rest);
      if (!supplied.ok) return supplied;
    }
    this.#seen += 1;
    // A fill that comes in before it takes a mark that has it.
    this.#lastMs = Math.max(this.#lastMs, sighting.atMs);
    return ok(undefined);
  }

  async #enterFills(toMs: number): Promise<Result<void>> {
    const { ledger, account } = this.#request;
    for (;;) {
      for (const mark of this.#enterTo(toMs)) await this.#keep(mark, true);
      if (this.#next < this.#page.length) return ok(undefined);
      if (this.#isAtEnd) {
        if (this.#newest !== undefined) await this.#keep(this.#newest, false);
        this.#marked = this.#newest?.count ?? this.#marked;
        this.#newest = undefined;
        return ok(undefined);
      }
      const page = await ledger.page(account, { after: this.#after, limit: this.#pace.page });
      if (!page.ok) return page;
      this.#isAtEnd = page.value.length < this.#pace.page;
      const { rereading } = this.computation;
      rereading?.trim();
      const supplied =
        rereading === undefined
          ? ok(undefined)
          : await supply(this.#request, rereading, goneIn(page.value, rereading.unit));
      if (!supplied.ok) return supplied;
      this.#page = page.value;
      this.#next = 0;
      this.#after = page.value.at(-1) ?? this.#after;
    }
  }

  #goOnFrom({ toMs, count, state }: LedgerMark): void {
    this.computation = this.#request.begin(state);
    this.#count = count;
    this.#marked = count;
    this.#lastMs = toMs;
    this.#page = [];
    this.#next = 0;
    this.#after = startOf(toMs + 1);
    const behind = this.#sightings.findIndex(({ atMs }) => atMs > toMs);
    this.#seen = behind < 0 ? this.#sightings.length : behind;
    this.#isAtEnd = false;
    this.#newest = undefined;
  }

  async #keep(mark: Omit<LedgerMark, "kind">, isLasting: boolean): Promise<void> {
    const { ledger, account, kind } = this.#request;
    await ledger.keepMark(account, { kind, ...mark }, { revision: this.#revision, isLasting });
  }

  /** Enters the page. @returns the marks on the way that last */
  #enterTo(toMs: number): readonly Omit<LedgerMark, "kind">[] {
    const lasting: Omit<LedgerMark, "kind">[] = [];
    const newestMs = this.#page.at(-1)?.atMs;
    const { lastingEvery, newestAfter } = this.#pace;
    for (; this.#next < this.#page.length; this.#next += 1) {
      const fill = this.#page[this.#next];
      if (fill === undefined || fill.atMs > toMs) break;
      // A millisecond is whole when there is a fill of a later one.
      const isWhole = fill.atMs > this.#lastMs;
      if (isWhole && Math.floor(this.#count / lastingEvery) > Math.floor(this.#marked / lastingEvery)) {
        lasting.push(this.#mark());
        this.#marked = this.#count;
        this.#newest = undefined;
      } else if (isWhole && fill.atMs === newestMs && this.#count - this.#marked >= newestAfter)
        this.#newest = this.#mark();
      this.computation.enter(fill);
      this.#count += 1;
      this.#lastMs = fill.atMs;
    }
    return lasting;
  }

  #mark(): Omit<LedgerMark, "kind"> {
    return { toMs: this.#lastMs, count: this.#count, state: this.computation.toText() };
  }
}

/** Reads again what was bought, as far as that is needed for so much to go. */
export async function supply(
  { ledger, account }: { readonly ledger: FillLedger; readonly account: string },
  rereading: Rereading,
  gone: ReadonlyMap<string, Fraction>,
): Promise<Result<void>> {
  for (const [asset, volume] of gone) {
    for (;;) {
      const after = rereading.wantedFor(asset, volume);
      if (after === undefined) break;
      const bought = await ledger.page(account, { after, limit: LOTS_PAGE, bought: `${asset}/${rereading.unit}` });
      if (!bought.ok) return bought;
      // They were there when they were counted: two accounts were found to be one meanwhile.
      if (bought.value.length === 0)
        return failed(localFault("ELocal:Not checked", { message: "The ledger changed while it was read." }));
      rereading.supply(asset, bought.value);
    }
  }
  return ok(undefined);
}

/** Tells how much of each coin goes at most. */
function goneIn(fills: readonly LedgerFill[], unit: Unit): ReadonlyMap<string, Fraction> {
  const gone = new Map<string, Fraction>();
  for (const fill of fills)
    for (const { asset, by } of movementsOf(fill)) {
      if (!by.isNegative() || asset === unit) continue;
      gone.set(asset, gone.get(asset)?.plus(by) ?? by);
    }
  return new Map([...gone].map(([asset, by]) => [asset, Fraction.ZERO.minus(by)]));
}

/** Before all fills of a time. */
export function startOf(atMs: number): LedgerPlace {
  return { atMs, tradeId: "", orderId: "" };
}

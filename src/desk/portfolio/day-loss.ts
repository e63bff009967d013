/**
 * Counts what the account has lost since its local day began: realised and unrealised, fees in. Entry point: `DayLoss`.
 *
 * The day's result is what was taken in by fills, less what was paid, and what is held is worth now, less what was held when the day began was worth
 * then. So it needs no cost, and what another process or program executed is in it.
 *
 * Invariants: a coin that has no price now is worth nothing; what was sent away after it was bought counts at the lower of both prices; money
 * and coins that come and go without a fill are no profit and no loss. What cannot be read is a fault, never zero.
 *
 * Source: decision 0028, decision 0059; policy.md#day-loss.
 */
import {
  CANDLE_INTERVAL_MS,
  type CandleInterval,
  type Fault,
  failed,
  LIMITS,
  localFault,
  ok,
  onFirstUse,
  type Result,
  type Ticker,
  UNIT_DECIMALS,
} from "../../contract/index.ts";
import { Fraction, inUnit, type Value } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { startOfDay } from "../core/local-time.ts";
import type { HistoryReading } from "../model/history-reading.ts";
import type { LedgerPlace } from "../ports/fill-ledger.ts";
import { readBooks } from "./account-books.ts";
import { addMovements } from "./fill-sums.ts";
import { HistoryReader, historyText } from "./history-reader.ts";
import { LEDGER_PAGE, startOf } from "./ledger-replay.ts";
import { LedgerHere, showsFillsByOrder, syncLedger } from "./ledger-sync.ts";

/** Looks for the last price before a moment: near it, then as far back as there are candles. */
const INTERVALS: readonly CandleInterval[] = ["15m", "1d"];

export class DayLoss {
  readonly #context: DeskContext;
  /** Prices at the beginning of a day, which do not change any more. */
  readonly #openings = new Map<string, Fraction>();
  #day: Day | undefined;
  /** An order waits for the day's fills, and never for the history before them. */
  readonly #ledger: LedgerHere;

  /** Where fills are shown in their order alone, those of the day are known once all are. */
  readonly #history: () => HistoryReader;

  constructor(context: DeskContext, history: () => HistoryReader = onFirstUse(() => new HistoryReader(context))) {
    this.#context = context;
    this.#history = history;
    this.#ledger = new LedgerHere(context.parts.fills);
  }

  /** @returns in the unit of account, rounded up to its step; zero where nothing is lost */
  async read(): Promise<Result<Value>> {
    const { unit } = this.#context;
    const { clock, timeZone, venue } = this.#context.parts;
    const beganMs = startOfDay(clock.now(), timeZone);
    const books = await readBooks(this.#context, async (account) => {
      if (showsFillsByOrder(venue)) return this.#history().catchUp(account);
      const read = await syncLedger({ venue, clock, fills: this.#ledger }, account, beganMs);
      return read.ok ? ok(undefined) : read;
    });
    if (!books.ok) return books;
    if (books.value.history !== undefined) return failed(stillRead(books.value.history));
    const tickers = await venue.tickers();
    if (!tickers.ok) return tickers;
    const day = await this.#movedSince(beganMs, books.value.account);
    if (!day.ok) return day;
    const moved = day.value;
    let result = moved.get(unit) ?? Fraction.ZERO;
    const held = new Map(books.value.balances.map(({ asset, total }) => [asset, Fraction.of(total)]));
    for (const asset of new Set([...held.keys(), ...moved.keys()])) {
      if (asset === unit) continue;
      const now = held.get(asset) ?? Fraction.ZERO;
      const gained = await this.#gainOf({ asset, now, moved: moved.get(asset), beganMs }, tickers.value);
      if (!gained.ok) return gained;
      result = result.plus(gained.value);
    }
    return ok(inUnit(result.isNegative() ? Fraction.ZERO.minus(result).rounded(UNIT_DECIMALS[unit], "up") : "0"));
  }

  /** Sums the fills of the day: those since the last look are added, unless one came in late. */
  async #movedSince(beganMs: number, account: string): Promise<Result<ReadonlyMap<string, Fraction>>> {
    const { fills: ledger } = this.#context.parts;
    const progress = await ledger.progress(account);
    if (!progress.ok) return progress;
    const { revision } = progress.value;
    const known = this.#day;
    const isSame = known?.beganMs === beganMs && known.account === account && known.revision === revision;
    let after = isSame ? known.after : startOf(beganMs);
    const moved = new Map(isSame ? known.moved : []);
    for (;;) {
      const page = await ledger.page(account, { after, limit: LEDGER_PAGE });
      if (!page.ok) return page;
      for (const fill of page.value) addMovements(moved, fill);
      after = page.value.at(-1) ?? after;
      if (page.value.length === LEDGER_PAGE) continue;
      this.#day = { beganMs, account, revision, after, moved };
      return ok(moved);
    }
  }

  /** Tells what it is worth now, less what was held when the day began was worth then. */
  async #gainOf(
    { asset, now, moved = Fraction.ZERO, beganMs }: Held,
    tickers: readonly Ticker[],
  ): Promise<Result<Fraction>> {
    const market = `${asset}/${this.#context.unit}`;
    const ticker = tickers.find(({ symbol }) => symbol === market);
    const last = ticker?.last ?? undefined;
    const then = now.minus(moved);
    const lastPrice = last === undefined ? Fraction.ZERO : Fraction.of(last);
    const worth = now.times(lastPrice);
    if (then.isZero() || ticker === undefined) return ok(worth);
    const opening = await this.#openingOf(market, beganMs);
    if (!opening.ok) return opening;
    const began = opening.value ?? lastPrice;
    const counted = then.isNegative() && lastPrice.cmp(began) < 0 ? lastPrice : began;
    return ok(worth.minus(then.times(counted)));
  }

  /** The last price before a moment, else the first one after; undefined where there is none. */
  async #openingOf(market: string, beganMs: number): Promise<Result<Fraction | undefined>> {
    const known = this.#openings.get(`${market} ${beganMs}`);
    if (known !== undefined) return ok(known);
    for (const interval of INTERVALS) {
      const lengthMs = CANDLE_INTERVAL_MS[interval];
      const fromMs = beganMs - LIMITS.candlesMax * lengthMs;
      const candles = await this.#context.parts.venue.candles(market, interval, { fromMs });
      if (!candles.ok) return candles;
      // Whole ones only: what was traded after the moment is in the next.
      const before = candles.value.findLast(({ time }) => Date.parse(time) + lengthMs <= beganMs);
      const found = before?.close ?? (interval === "1d" ? candles.value[0]?.open : undefined);
      if (found === undefined) continue;
      const opening = Fraction.of(found);
      if (before !== undefined) this.#openings.set(`${market} ${beganMs}`, opening);
      return ok(opening);
    }
    return ok(undefined);
  }
}

const NOT_YET = "What was lost today is not known yet";
const UNSENT = ". Nothing was sent.";
const MEANWHILE =
  "which goes on by itself while hoga runs: ask again in a while, or a person takes the limit on the day's loss out of policy.toml until then";

function stillRead(history: HistoryReading): Fault {
  const message = `${NOT_YET}: ${historyText(history).replace(/\.$/, "")}, ${MEANWHILE}${UNSENT}`;
  return localFault("ELocal:Not checked", { message, nextAction: "Ask again in a while." });
}

/** As a denial says it; undefined where the loss is not known for another reason. */
export function lossStillRead({ message }: Fault): string | undefined {
  return message.startsWith(NOT_YET) ? message.slice(0, -UNSENT.length) : undefined;
}

/** Keeps what the fills of a day moved, up to one of them. */
interface Day {
  readonly beganMs: number;
  readonly account: string;
  /** Marks the ledger before they were read. */
  readonly revision: number;
  readonly after: LedgerPlace;
  readonly moved: ReadonlyMap<string, Fraction>;
}

interface Held {
  readonly asset: string;
  readonly now: Fraction;
  /** Sums the fills of the day. */
  readonly moved: Fraction | undefined;
  readonly beganMs: number;
}

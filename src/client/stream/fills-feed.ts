/**
 * Own fills, each told exactly once, whatever the transport does: by trade id and order id.
 *
 * The fills of the first snapshot are history and not told. A gap is closed by asking REST for everything since a floor, before
 * any event after the gap is looked at; the ids of all fills at or above the floor are remembered, so nothing is told twice. The
 * floor rises only while the channel is sound, so nothing is left out.
 *
 * Invariant: what is remembered is bounded.
 */
import { type Fault, type Fill, ok, type Result, STREAM_LIMITS, type StreamEventOf } from "../../contract/index.ts";
import { type Feed, type GapEnd, Listeners } from "./feed.ts";
import type { StreamReader } from "./ports.ts";

type FillsEvent = StreamEventOf<"fills">;

/** How far fills may come out of the order of their times. */
const SLACK_MS = 60_000;
const KNOWN_MAX = 50_000;
const PAGE_SIZE = 500;

export class FillsFeed implements Feed<"fills"> {
  readonly channel = "fills";
  readonly symbol: string | null;
  readonly listeners: Listeners<Fill>;
  refusal: Fault | undefined;
  readonly value = undefined;
  readonly recheckMs = 60_000;
  hasSnapshot = false;
  /** Time of each fill at or above the floor, by id, in the order they were told. */
  readonly #known = new Map<string, number>();
  #floorMs = Number.NEGATIVE_INFINITY;
  #newestMs = Number.NEGATIVE_INFINITY;

  constructor(symbol: string | null, onFailure: () => void) {
    this.symbol = symbol;
    this.listeners = new Listeners(onFailure);
  }

  snapshot({ fills }: FillsEvent): undefined {
    if (this.hasSnapshot) this.#takeOld(fills);
    else this.#begin(fills);
  }

  update({ fills }: FillsEvent): undefined {
    for (const fill of fills) this.#take(fill, Date.parse(fill.time));
    this.#raiseFloor();
  }

  async closeGap(reader: StreamReader): Promise<Result<GapEnd<"fills">>> {
    const missed: Fill[] = [];
    const since = Number.isFinite(this.#floorMs) ? { fromMs: this.#floorMs } : {};
    const market = this.symbol === null ? {} : { symbol: this.symbol };
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await reader.fills({ ...market, ...since, limit: PAGE_SIZE, ...(cursor === "" ? {} : { cursor }) });
      if (!page.ok) return page;
      missed.push(...page.value.trades);
      cursor = page.value.next_cursor;
    }
    missed.reverse();
    return ok({
      tell: (held) => {
        this.#takeOld(missed);
        for (const { fills } of held) this.#takeOld(fills);
        this.#raiseFloor();
      },
    });
  }

  /** What is here already happened before anybody listened. */
  #begin(fills: readonly Fill[]): void {
    this.hasSnapshot = true;
    for (const fill of fills) {
      const atMs = Date.parse(fill.time);
      this.#known.set(idOf(fill), atMs);
      this.#newestMs = Math.max(this.#newestMs, atMs);
    }
    const [oldest] = fills;
    // A full snapshot may have left out older ones, which are history too.
    if (oldest !== undefined && fills.length >= STREAM_LIMITS.snapshotEntries)
      this.#floorMs = Math.min(Date.parse(oldest.time) + 1, this.#newestMs);
    this.#raiseFloor();
  }

  #takeOld(fills: readonly Fill[]): void {
    for (const fill of fills) {
      const atMs = Date.parse(fill.time);
      if (atMs >= this.#floorMs) this.#take(fill, atMs);
    }
  }

  #take(fill: Fill, atMs: number): void {
    const id = idOf(fill);
    if (this.#known.has(id)) return;
    this.#known.set(id, atMs);
    this.#newestMs = Math.max(this.#newestMs, atMs);
    this.listeners.tell(fill);
  }

  /** Only when nothing is missing: fills below the floor are never asked for again. */
  #raiseFloor(): void {
    this.#floorMs = Math.max(this.#floorMs, this.#newestMs - SLACK_MS);
    for (const [id, atMs] of this.#known) {
      if (this.#known.size > KNOWN_MAX) this.#floorMs = Math.max(this.#floorMs, atMs + 1);
      if (atMs >= this.#floorMs) break;
      this.#known.delete(id);
    }
  }
}

function idOf({ trade_id: tradeId, orderId }: Fill): string {
  return `${tradeId} ${orderId}`;
}

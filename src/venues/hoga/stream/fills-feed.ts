/**
 * Own fills. Listeners get each fill exactly once, whatever happens to the connection. A fill is identified by trade id and order id.
 *
 * The fills of the first snapshot are history, which listeners do not get. A gap is closed by reading everything since a floor by
 * REST, before any event after the gap is used. The ids of all fills since the floor are remembered, so that none is delivered twice.
 * The floor rises only while nothing is missing, so that none is left out.
 *
 * Invariant: what is remembered is bounded.
 * Source: service.md#private-channels, service.md#reconcile-gap.
 */
import { defined, type Fill, ok, type Result, STREAM_LIMITS, type StreamEventOf } from "../../../contract/index.ts";
import { allPages } from "./all-pages.ts";
import { type Gap, ListenedFeed } from "./feed.ts";
import type { StreamReader } from "./ports.ts";

type FillsEvent = StreamEventOf<"fills">;

/** Allows for how far fills may arrive out of the order of their times. */
const SLACK_MS = 60_000;
const REMEMBERED_MAX = 50_000;
const PAGE_SIZE = 500;

export class FillsFeed extends ListenedFeed<"fills", Fill> {
  readonly value = undefined;
  readonly recheckMs = 60_000;
  hasSnapshot = false;
  /** Time of each fill since the floor, by id, in the order of delivery. */
  readonly #known = new Map<string, number>();
  #floorMs = Number.NEGATIVE_INFINITY;
  #newestMs = Number.NEGATIVE_INFINITY;

  constructor(symbol: string | null, onFailure: () => void) {
    super("fills", symbol, onFailure);
  }

  snapshot({ fills }: FillsEvent): undefined {
    if (this.hasSnapshot) this.#recordSinceFloor(fills);
    else this.#begin(fills);
  }

  update({ fills }: FillsEvent): undefined {
    for (const fill of fills) this.#record(fill, Date.parse(fill.time));
    this.#raiseFloor();
  }

  async closeGap(reader: StreamReader): Promise<Result<Gap<"fills">>> {
    const fromMs = Number.isFinite(this.#floorMs) ? this.#floorMs : undefined;
    const request = defined({ symbol: this.symbol ?? undefined, fromMs, limit: PAGE_SIZE });
    const pages = await allPages(
      (position) => reader.fills({ ...request, ...position }),
      ({ trades }) => trades,
    );
    if (!pages.ok) return pages;
    // The service lists the newest first.
    const missed = pages.value.toReversed();
    return ok({
      deliver: (buffered) => {
        this.#recordSinceFloor(missed);
        for (const { fills } of buffered) this.#recordSinceFloor(fills);
        this.#raiseFloor();
      },
    });
  }

  /** Takes over the first snapshot, whose fills are history. */
  #begin(fills: readonly Fill[]): void {
    this.hasSnapshot = true;
    for (const fill of fills) {
      const atMs = Date.parse(fill.time);
      this.#known.set(idOf(fill), atMs);
      this.#newestMs = Math.max(this.#newestMs, atMs);
    }
    const [oldest] = fills;
    // A full snapshot may have left out older fills, which are history too.
    if (oldest !== undefined && fills.length >= STREAM_LIMITS.snapshotEntries)
      this.#floorMs = Math.min(Date.parse(oldest.time) + 1, this.#newestMs);
    this.#raiseFloor();
  }

  #recordSinceFloor(fills: readonly Fill[]): void {
    for (const fill of fills) {
      const atMs = Date.parse(fill.time);
      if (atMs >= this.#floorMs) this.#record(fill, atMs);
    }
  }

  #record(fill: Fill, atMs: number): void {
    const id = idOf(fill);
    if (this.#known.has(id)) return;
    this.#known.set(id, atMs);
    this.#newestMs = Math.max(this.#newestMs, atMs);
    this.listeners.notify(fill);
  }

  /** To be called only when nothing is missing: fills before the floor are never read again. */
  #raiseFloor(): void {
    this.#floorMs = Math.max(this.#floorMs, this.#newestMs - SLACK_MS);
    for (const [id, atMs] of this.#known) {
      if (this.#known.size > REMEMBERED_MAX) this.#floorMs = Math.max(this.#floorMs, atMs + 1);
      if (atMs >= this.#floorMs) break;
      this.#known.delete(id);
    }
  }
}

function idOf({ trade_id: tradeId, orderId }: Fill): string {
  return `${tradeId} ${orderId}`;
}

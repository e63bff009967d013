import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Orderbook, ok } from "../../../src/contract/index.ts";
import { DeskContext, type DeskParts } from "../../../src/desk/core/context.ts";
import { currentBook, isFresh, staysFresh } from "../../../src/desk/market/current-book.ts";

const NOW = Date.UTC(2026, 6, 20, 9);
const BOOK: Orderbook = { symbol: "BTC/KRW", seq: 1, time: new Date(NOW).toISOString(), tick: { buys: [], asks: [] } };

const maxAge = fc.integer({ min: 1, max: 600_000 });
/** As often on either side of a limit as on it. */
const ages = maxAge.chain((maxAgeMs) =>
  fc.record({
    maxAgeMs: fc.constant(maxAgeMs),
    ageMs: fc.oneof(
      fc.integer({ min: -2_000_000, max: 2_000_000 }),
      fc.constantFrom(maxAgeMs / 2, maxAgeMs / 2 + 1, maxAgeMs, maxAgeMs + 1, -maxAgeMs / 2, -maxAgeMs - 1, 0),
    ),
  }),
);

/** A desk whose stream has this book, or none; and how often the venue was asked. */
function contextWith(atMs: number | undefined): { readonly context: DeskContext; readonly asked: () => number } {
  let asked = 0;
  const parts = {
    clock: { now: () => NOW },
    stream: { book: () => (atMs === undefined ? undefined : { ...BOOK, seq: 2, atMs }) },
    venue: {
      orderbook: async () => {
        asked += 1;
        return ok(BOOK);
      },
    },
  };
  return { context: new DeskContext(parts as unknown as DeskParts), asked: () => asked };
}

describe("a book to judge by", () => {
  it("is never a stale one of the stream, whatever its age and the policy's limit", async () => {
    await fc.assert(
      fc.asyncProperty(ages, fc.boolean(), async ({ ageMs, maxAgeMs }, isFollowed) => {
        const { context, asked } = contextWith(isFollowed ? NOW - ageMs : undefined);
        const book = await currentBook(context, "BTC/KRW", maxAgeMs);
        const isUsable = isFollowed && Math.abs(ageMs) <= maxAgeMs / 2;
        expect(asked()).toBe(isUsable ? 0 : 1);
        expect(book).toMatchObject({ ok: true, value: { seq: isUsable ? 2 : 1, atMs: isUsable ? NOW - ageMs : NOW } });
        expect(book.ok && isFresh(book.value, NOW, maxAgeMs)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("stays fresh for as long again when it comes from the stream", () => {
    fc.assert(
      fc.property(ages, ({ ageMs, maxAgeMs }) => {
        const book = { atMs: NOW - ageMs };
        fc.pre(ageMs >= 0 && staysFresh(book, NOW, maxAgeMs));
        expect(isFresh(book, NOW + maxAgeMs / 2, maxAgeMs)).toBe(true);
      }),
    );
  });
});

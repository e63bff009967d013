import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHECKSUM_VECTORS } from "../../../../src/contract/index.ts";
import { quantity } from "../../../../src/decimal/index.ts";
import { bookChecksum } from "../../../../src/venues/hoga/stream/book-checksum.ts";
import { compareDecimals } from "../../../../src/venues/hoga/stream/decimal-order.ts";
import type { Stream } from "../../../../src/venues/index.ts";
import { bookContent, type Call, eventually, ScriptedVenue, settle } from "./scripted-venue.ts";

let venue: ScriptedVenue;
let stream: Stream;
beforeEach(async () => {
  venue = await ScriptedVenue.open();
  stream = venue.stream();
});
afterEach(() => venue.close());

const BTC = "BTC/KRW";
const start = { buys: [["90", "1"]], asks: [["91", "2"]] } as const;

async function live(): Promise<{ call: Call; seen: unknown[]; book: ReturnType<Stream["orderbook"]> }> {
  const seen: unknown[] = [];
  const book = stream.orderbook(BTC, (news) => seen.push(news.tick));
  const call = await venue.call();
  await call.grant("orderbook", bookContent(5, start), BTC);
  await stream.until("live");
  return { call, seen, book };
}

describe("the book's checksum", () => {
  it.each(CHECKSUM_VECTORS)("agrees with the published vector: $name", ({ tick, checksum }) => {
    expect(bookChecksum(tick.buys, tick.asks)).toBe(checksum);
  });
});

describe("decimal texts", () => {
  it("are in the order of their numbers", () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), fc.stringMatching(/^[0-9]{0,8}$/))
      .map(([whole, fraction]) => (fraction === "" ? `${whole}` : `${whole}.${fraction}`));
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const [left, right] = [quantity(a), quantity(b)];
        const wanted = left.eq(right) ? 0 : left.lt(right) ? -1 : 1;
        expect(Math.sign(compareDecimals(a, b))).toBe(wanted);
      }),
    );
  });
});

describe("a book", () => {
  it("is rebuilt from a snapshot and updates: new levels, new volumes, levels gone", async () => {
    const { call, seen, book } = await live();
    const second = { buys: [["89.5", "3"], ["90.25", "1"]], asks: [["91", "0.5"]] } as const; // biome-ignore format: short
    const after = { buys: [["90.25", "1"], ["90", "1"], ["89.5", "3"]], asks: [["91", "0.5"]] } as const; // biome-ignore format: short
    call.update("orderbook", bookContent(6, second, after), BTC);
    call.update(
      "orderbook",
      bookContent(7, { buys: [["90", "0"]] }, { ...after, buys: [after.buys[0], after.buys[2]] }),
      BTC,
    );
    await eventually(() => seen.length === 3);
    expect(seen).toEqual([start, after, { ...after, buys: [after.buys[0], after.buys[2]] }]);
    expect(book.value).toMatchObject({ symbol: BTC, seq: 7, tick: seen[2] });
    expect([book.live, stream.state, venue.resubscribed]).toEqual([true, "live", []]);
  });

  it("does not change any more once it was delivered", async () => {
    const { call, seen, book } = await live();
    const before = book.value;
    call.update(
      "orderbook",
      bookContent(6, { buys: [["89", "1"]] }, { ...start, buys: [...start.buys, ["89", "1"]] }),
      BTC,
    );
    await eventually(() => seen.length === 2);
    expect(before?.tick).toEqual(start);
  });

  it.each([
    ["a gap", bookContent(7, { buys: [] }, start), "update 7 after 5"],
    ["a duplicate", bookContent(5, { buys: [] }, start), "update 5 after 5"],
    ["a wrong checksum", { ...bookContent(6, { buys: [["89", "1"]] }, start), checksum: 1 }, "checksum"],
    ["the loss of a level that is not there", bookContent(6, { buys: [["1", "0"]] }, start), "levels"],
  ])("when it has %s, the stream subscribes to it again, and to no other", async (_, content, why) => {
    const { call, seen, book } = await live();
    stream.ticker("ETH/KRW", () => {});
    await call.asked("ticker", "ETH/KRW");
    call.update("orderbook", content, BTC);
    await eventually(() => venue.resubscribed.length > 0);
    expect(venue.resubscribed).toEqual([`orderbook: ${why}`]);
    expect([stream.state, book.live]).toEqual(["syncing", false]);
    // Messages of the old subscription are ignored.
    call.update("orderbook", bookContent(8, { buys: [] }, start), BTC);
    await call.grant("orderbook", bookContent(9, { buys: [["88", "1"]] }), BTC);
    await eventually(() => seen.length === 2);
    expect(book.value?.tick).toEqual({ buys: [["88", "1"]], asks: [] });
    expect([book.live, venue.calls.length, call.said]).toEqual([true, 1, []]);
  });

  it("whose snapshot is out of order or has a wrong checksum is subscribed to again", async () => {
    const book = stream.orderbook(BTC, () => {});
    const call = await venue.call();
    const upside = { buys: [["90", "1"], ["91", "1"]] } as const; // biome-ignore format: short
    await call.grant("orderbook", bookContent(5, upside), BTC);
    await call.grant("orderbook", { ...bookContent(5, start), checksum: 7 }, BTC);
    await call.grant("orderbook", bookContent(5, start), BTC);
    await eventually(() => book.live);
    expect(venue.resubscribed).toEqual(["orderbook: levels", "orderbook: checksum"]);
  });

  it("is not built from a snapshot before its ack", async () => {
    const book = stream.orderbook(BTC, () => {});
    const call = await venue.call();
    const { id } = await call.asked("orderbook", BTC);
    const snapshot = { channel: "orderbook", symbol: BTC, type: "snapshot", time: "2026-07-20T09:00:00.000Z" };
    call.send({ ...snapshot, ...bookContent(1, start) });
    call.send({ op: "ack", id, ok: true });
    await settle();
    expect(book.value).toBeUndefined();
    call.send({ ...snapshot, ...bookContent(2, start) });
    await eventually(() => book.value?.seq === 2);
  });

  it("when it fails again and again, the stream subscribes to it after growing pauses", async () => {
    stream.orderbook(BTC, () => {});
    const call = await venue.call();
    for (let time = 0; time < 4; time++) await call.grant("orderbook", { ...bookContent(5, start), checksum: 7 }, BTC);
    await settle();
    expect(call.said).toEqual([]);
    await venue.clock.advance(500);
    await call.asked("orderbook", BTC);
  });

  it("is subscribed to once for all listeners, with the largest depth", async () => {
    const [few, more] = [stream.orderbook(BTC, () => {}, { depth: 5 }), stream.orderbook(BTC, () => {}, { depth: 50 })];
    const call = await venue.call();
    const { depth } = await call.asked("orderbook", BTC);
    expect(depth).toBe(50);
    await settle();
    expect(call.said).toEqual([]);
    few.close();
    few.close();
    await settle();
    expect(call.said).toEqual([]);
    more.close();
    await eventually(() => call.said.some(({ op, channel }) => op === "unsubscribe" && channel === "orderbook"));
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BookLevel, CHECKSUM_VECTORS } from "../../../src/contract/index.ts";
import { checksumOf } from "../../../src/sandbox/families/stream/book-topics.ts";
import { send } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";
import { type Frame, type StreamClient, streamClients } from "./stream-client.ts";

let venue: Venue;
const clients = streamClients();
beforeEach(async () => {
  venue = await openVenue();
});
afterEach(async () => {
  await clients.close();
  await venue.sandbox.close();
  expect(venue.defects).toEqual([]);
});

const buy = (price: string, volume = "0.01") => venue.paper.order({ price, volume });
const ask = (price: string, volume = "0.01") => venue.maker.order({ side: "sell", price, volume });
const book = { symbol: "BTC/KRW" };

interface Tick {
  readonly buys: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** A second implementation of a book from events, simple on purpose. */
function applied(tick: Tick, changes: Tick): Tick {
  const side = (levels: readonly BookLevel[], changed: readonly BookLevel[], up: boolean) => {
    const all = new Map([...levels, ...changed]);
    const left = [...all].filter(([, volume]) => volume !== "0");
    return left.sort(([a], [b]) => (up ? 1 : -1) * (Number(a) - Number(b)));
  };
  return { buys: side(tick.buys, changes.buys, false), asks: side(tick.asks, changes.asks, true) };
}

async function restBook(depth: number): Promise<{ seq: number; tick: Tick }> {
  return (await send(venue.sandbox.baseUrl, "GET", `/v1/orderbook/BTCKRW?depth=${depth}`)).json;
}

describe("the book's checksum", () => {
  it.each(CHECKSUM_VECTORS)("is that of the contract for $name", ({ tick, checksum }) => {
    expect(checksumOf(tick.buys, tick.asks)).toBe(checksum);
  });
});

describe("orderbook", () => {
  it("begins with a snapshot and continues with updates, numbered one by one like the book over REST", async () => {
    await buy("90000000");
    const client = await clients.open(venue);
    const snapshot = await client.follow("orderbook", book);
    expect(snapshot).toMatchObject({
      channel: "orderbook",
      symbol: "BTC/KRW",
      type: "snapshot",
      time: "2026-07-20T09:00:00.000Z",
      tick: { buys: [["90000000", "0.01"]], asks: [] },
    });
    expect(snapshot["checksum"]).toBe(checksumOf([["90000000", "0.01"]], []));
    expect(snapshot.seq).toBe((await restBook(5)).seq);
    await ask("91000000", "0.5");
    const update = await client.event("orderbook");
    expect(update).toMatchObject({ type: "update", seq: (snapshot.seq ?? 0) + 1 });
    expect(update["tick"]).toEqual({ buys: [], asks: [["91000000", "0.5"]] });
    expect(update.seq).toBe((await restBook(5)).seq);
  });

  it("shows 0 for a removed level", async () => {
    const placed = await buy("90000000");
    const client = await clients.open(venue);
    await client.follow("orderbook", book);
    await venue.paper.delete(`/v1/orders/BTCKRW/${placed.json.uuid}`);
    expect((await client.event("orderbook"))["tick"]).toEqual({ buys: [["90000000", "0"]], asks: [] });
  });

  it("has the same numbers on every connection and at every depth", async () => {
    const [one, two] = [await clients.open(venue), await clients.open(venue)];
    const first = await one.follow("orderbook", book);
    await buy("90000000");
    const second = await two.follow("orderbook", { ...book, depth: 1 });
    expect(second.seq).toBe((first.seq ?? 0) + 1);
    await buy("89000000");
    const [seen, shallow] = [await skipTo(one, 2), await two.event("orderbook")];
    expect(shallow.seq).toBe(seen.seq);
    expect(seen["tick"]).toEqual({ buys: [["89000000", "0.01"]], asks: [] });
    expect(shallow["tick"]).toEqual({ buys: [], asks: [] });
  });

  const skipTo = async (client: StreamClient, events: number): Promise<Frame> => {
    for (let skipped = 1; skipped < events; skipped++) await client.event("orderbook");
    return client.event("orderbook");
  };

  it("is, for any depth, exactly what REST shows after every change", async () => {
    const depths = [1, 3, 10, 500];
    const books = new Map<number, { readonly reader: StreamClient; tick: Tick }>();
    for (const depth of depths) {
      const reader = await clients.open(venue);
      books.set(depth, { reader, tick: (await reader.follow("orderbook", { ...book, depth }))["tick"] as Tick });
    }
    let { seq } = await restBook(1);
    let compared = 0;
    for (let step = 0; step < 200; step++) {
      await anyOrder(step);
      const rest = await restBook(500);
      if (rest.seq === seq) continue;
      expect(rest.seq).toBe(++seq);
      for (const [depth, entry] of books) {
        const event = await entry.reader.event("orderbook");
        entry.tick = applied(entry.tick, event["tick"] as Tick);
        const tick = { buys: rest.tick.buys.slice(0, depth), asks: rest.tick.asks.slice(0, depth) };
        expect([depth, event.seq, entry.tick]).toEqual([depth, seq, tick]);
        expect(event["checksum"]).toBe(checksumOf(tick.buys, tick.asks));
      }
      compared += 1;
    }
    expect(compared).toBeGreaterThan(100);
  });

  const resting: { readonly who: Venue["paper"]; readonly id: string }[] = [];
  /** Orders that rest or match on either side, and cancels. */
  const anyOrder = async (step: number): Promise<void> => {
    const pick = (step * 7919) % 40;
    const volume = `0.000${(step % 9) + 1}`;
    const market = { type: "market", price: undefined };
    if (step % 11 === 10) await venue.maker.order({ ...market, side: "sell", volume: "0.003" });
    else if (step % 13 === 12) await venue.paper.order({ ...market, volume: "0.003" });
    else if (step % 3 === 2) {
      const [gone] = resting.splice(pick % Math.max(1, resting.length), 1);
      await gone?.who.delete(`/v1/orders/BTCKRW/${gone.id}`);
    } else {
      const isBuy = step % 2 === 0;
      const who = isBuy ? venue.paper : venue.maker;
      const price = String((isBuy ? 90_000_000 : 90_600_000) + pick * 10_000);
      const { json } = await who.order({ side: isBuy ? "buy" : "sell", price, volume });
      if (json.state === "open") resting.push({ who, id: json.uuid });
    }
  };

  it("sends a new snapshot on a repeated subscription, and one sequence only", async () => {
    await buy("90000000");
    await buy("89000000");
    const client = await clients.open(venue);
    await client.follow("orderbook", book);
    const again = await client.follow("orderbook", { ...book, depth: 1 });
    expect(again).toMatchObject({ type: "snapshot", tick: { buys: [["90000000", "0.01"]], asks: [] } });
    await buy("90010000");
    expect((await client.event("orderbook"))["tick"]).toEqual({
      buys: [
        ["90010000", "0.01"],
        ["90000000", "0"],
      ],
      asks: [],
    });
    await client.say({ op: "ping" });
    expect(client.frames).toEqual([]);
  });

  it("begins again, with all that happened, after nobody was connected", async () => {
    const first = await clients.open(venue);
    const before = await first.follow("orderbook", book);
    await first.close();
    await buy("90000000");
    const second = await clients.open(venue);
    const snapshot = await second.follow("orderbook", book);
    expect(snapshot).toMatchObject({ seq: (before.seq ?? 0) + 1, tick: { buys: [["90000000", "0.01"]] } });
    await buy("89000000");
    expect(await second.event("orderbook")).toMatchObject({ type: "update", seq: (before.seq ?? 0) + 2 });
  });

  it("is silent after the ack of an unsubscription", async () => {
    const client = await clients.open(venue);
    await client.follow("orderbook", book);
    expect(await client.say({ op: "unsubscribe", channel: "orderbook", ...book })).toMatchObject({ ok: true });
    await buy("90000000");
    await client.say({ op: "ping" });
    expect(client.frames).toEqual([]);
  });
});

describe("trades", () => {
  it("shows the latest, oldest first, then the trades of a command together", async () => {
    await ask("91000000");
    await buy("91000000", "0.004");
    const client = await clients.open(venue);
    const snapshot = await client.follow("trades", book);
    expect(snapshot).toMatchObject({ type: "snapshot", trades: [{ price: "91000000", volume: "0.004", side: "buy" }] });
    await ask("91010000");
    await buy("91010000", "0.01");
    const update = await client.event("trades");
    expect(update).toMatchObject({ type: "update", seq: (snapshot.seq ?? 0) + 1, symbol: "BTC/KRW" });
    expect(update["trades"]).toMatchObject([
      { price: "91000000", volume: "0.006" },
      { price: "91010000", volume: "0.004" },
    ]);
  });
});

describe("ticker", () => {
  it("is complete in every event, and of a burst the last one is sent", async () => {
    const client = await clients.open(venue);
    expect(await client.follow("ticker", book)).toMatchObject({ type: "snapshot", ticker: { best_bid: null } });
    for (const price of ["90000000", "90010000", "90020000", "90030000"]) await buy(price);
    const seen: Frame[] = [];
    for (let last: unknown; last !== "90030000"; ) {
      const event = await client.event("ticker");
      seen.push(event);
      last = (event["ticker"] as { best_bid: unknown }).best_bid;
    }
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => (seen[0]?.seq ?? 0) + index));
    expect(seen.length).toBeLessThanOrEqual(4);
  });
});

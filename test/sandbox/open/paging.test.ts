import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SignedClient } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";

let venue: Venue;
beforeEach(async () => {
  venue = await openVenue();
});
afterEach(() => venue.sandbox.close());

interface Item {
  readonly uuid: string;
  readonly trade_id: string;
}

/** All pages of a list, one after the other. */
async function pages(
  client: SignedClient,
  path: string,
  list: "orders" | "trades",
  between: () => Promise<unknown> = async () => {},
): Promise<Item[][]> {
  const found: Item[][] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { status, json } = await client.get(cursor === "" ? path : `${path}&cursor=${cursor}`);
    expect(status).toBe(200);
    found.push(json[list]);
    cursor = json.next_cursor;
    await between();
  }
  return found;
}

async function place(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push((await venue.paper.order({ volume: "0.0001" })).json.uuid);
  return ids;
}

describe("orders", () => {
  it("come newest first, each once, on pages of the requested size", async () => {
    const ids = await place(25);
    const found = await pages(venue.paper, "/v1/orders?limit=10", "orders");
    expect(found.map(({ length }) => length)).toEqual([10, 10, 5]);
    expect(found.flat().map(({ uuid }) => uuid)).toEqual(ids.toReversed());
  });

  it("are neither repeated nor skipped when new ones arrive between two pages", async () => {
    const ids = await place(20);
    const found = await pages(venue.paper, "/v1/orders?limit=7", "orders", async () => {
      venue.clock.now += 5;
      await place(3);
    });
    expect(found.flat().map(({ uuid }) => uuid)).toEqual(ids.toReversed());
  });

  it("continue after a cursor whose order has ended meanwhile", async () => {
    const ids = await place(9);
    const first = (await venue.paper.get("/v1/orders?limit=3")).json;
    for (const { uuid } of first.orders) await venue.paper.delete(`/v1/orders/BTCKRW/${uuid}`);
    const next = (await venue.paper.get(`/v1/orders?limit=3&cursor=${first.next_cursor}`)).json;
    expect(next.orders.map(({ uuid }: Item) => uuid)).toEqual(ids.toReversed().slice(3, 6));
  });

  it("end without a cursor when the last page is full", async () => {
    await place(6);
    expect((await pages(venue.paper, "/v1/orders?limit=3", "orders")).map(({ length }) => length)).toEqual([3, 3]);
  });

  it("come 100 to a page by default, and 500 at most", async () => {
    await place(103);
    expect((await venue.paper.get("/v1/orders")).json.orders).toHaveLength(100);
    expect((await venue.paper.get("/v1/orders?limit=500")).json.orders).toHaveLength(103);
  });

  it("show for a period those placed in it", async () => {
    const [early] = await place(1);
    venue.clock.now += 1000;
    const middle = venue.clock.now;
    const [late] = await place(1);
    const ids = async (query: string) =>
      (await venue.paper.get(`/v1/orders?${query}`)).json.orders.map(({ uuid }: Item) => uuid);
    expect(await ids(`from=${middle}`)).toEqual([late]);
    expect(await ids(`to=${middle - 1}`)).toEqual([early]);
    expect(await ids(`from=${middle - 1000}&to=${middle}`)).toEqual([late, early]);
  });
});

describe("fills", () => {
  it("keep their pages while new trades arrive, also with several fills at one time", async () => {
    await venue.maker.order({ side: "sell", volume: "0.01", price: "90000000" });
    const buy = () => venue.paper.order({ type: "market", price: undefined, volume: "0.0001" });
    for (let trade = 0; trade < 11; trade++) await buy();
    const all = (await venue.paper.get("/v1/trades/history")).json.trades;
    expect(all).toHaveLength(11);
    const found = await pages(venue.paper, "/v1/trades/history?limit=4", "trades", buy);
    expect(found.flat()).toEqual(all);
  });
});

describe("order ids", () => {
  it("rise while the clock stands still and when it is set back", async () => {
    const first = await place(30);
    venue.clock.now -= 60_000;
    const second = await place(5);
    const ids = [...first, ...second];
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bithumb, type BithumbClient, openBithumb, refusal } from "./bithumb-client.ts";

const DAY_MS = 86_400_000;

let bithumb: Bithumb;
let paper: BithumbClient;
let start: number;
/** Oldest first. */
const open: string[] = [];
const ended: string[] = [];

beforeAll(async () => {
  bithumb = await openBithumb();
  ({ paper } = bithumb);
  start = bithumb.venue.clock.now;
  await bithumb.maker.order({ side: "ask", volume: "0.001" });
  ended.push((await paper.order({ client_order_id: "filled" })).json.order_id);
  for (let index = 0; index < 4; index++) {
    bithumb.venue.clock.now += DAY_MS;
    const { order_id: id } = (await paper.order({ client_order_id: `ended-${index}` })).json;
    await paper.delete("/v2/order", { order_id: id });
    ended.push(id);
  }
  for (const [index, market] of ["KRW-BTC", "KRW-ETH", "KRW-BTC"].entries()) {
    const price = market === "KRW-ETH" ? "5000000" : "90000000";
    open.push((await paper.order({ market, price, client_order_id: `open-${index}` })).json.order_id);
  }
});
afterAll(async () => {
  await bithumb.venue.sandbox.close();
  expect(bithumb.venue.defects).toEqual([]);
});

interface Listed {
  readonly order_id: string;
}
const idsOf = ({ json }: { readonly json: { readonly data: readonly Listed[] } }): readonly string[] =>
  json.data.map(({ order_id: id }) => id);
const pending = (fields = {}) => paper.get("/v2/orders/pending", fields);
const history = (fields = {}) => paper.get("/v2/orders/history", fields);

describe("the list of open orders", () => {
  it("has all markets unless one is named, the newest first unless said otherwise", async () => {
    const all = await pending();
    expect(idsOf(all)).toEqual(open.toReversed());
    expect(all.json).toMatchObject({ has_next: false, next_key: null });
    expect(idsOf(await pending({ order_by: "asc" }))).toEqual(open);
    expect(idsOf(await pending({ market: "KRW-ETH" }))).toEqual([open[1]]);
    expect(idsOf(await pending({ state: "watch" }))).toEqual([]);
  });

  it("has the second version's names, times with milliseconds, and amounts with a fraction", async () => {
    expect((await pending({ market: "KRW-ETH" })).json.data).toEqual([
      {
        ...{ order_id: open[1], client_order_id: "open-1", side: "bid", order_type: "limit", price: "5000000.0" },
        ...{ state: "wait", market: "KRW-ETH", created_at: "2026-07-24T18:00:00.000+09:00", volume: "0.001" },
        ...{ remaining_volume: "0.001", reserved_fee: "12.5", remaining_fee: "12.5", paid_fee: "0.0" },
        ...{ locked: "5012.5", executed_volume: "0.0", executed_funds: "0.0", trades_count: 0 },
        stp_type: "cancel_taker",
      },
    ]);
  });

  it("goes on after the key of a page, which a URL has to encode and the hash not", async () => {
    const first = await pending({ limit: "2" });
    expect(idsOf(first)).toEqual([open[2], open[1]]);
    const { has_next, next_key } = first.json;
    expect([has_next, next_key]).toEqual([true, expect.stringMatching(/^\+.*=$/)]);
    const second = await pending({ limit: "2", next_key });
    expect(idsOf(second)).toEqual([open[0]]);
    expect(second.json).toMatchObject({ has_next: false, next_key: null });
    const hashed = `limit=2&next_key=${encodeURIComponent(next_key)}`;
    expect(refusal(await paper.get("/v2/orders/pending", { limit: "2", next_key }, { hashed }))[1]).toBe(
      "invalid_query_payload",
    );
    expect(refusal(await pending({ next_key: "bm90IG9uZQ==" }))).toEqual([400, "invalid_parameter"]);
    expect(refusal(await pending({ limit: "101" }))).toEqual([400, "invalid_parameter"]);
  });
});

describe("the list of ended orders", () => {
  it("has seven days, of either state or of both", async () => {
    expect(idsOf(await history())).toEqual(ended.toReversed());
    expect(idsOf(await history({ state: "done" }))).toEqual([ended[0]]);
    expect(idsOf(await history({ states: ["cancel"], order_by: "asc", limit: "2" }))).toEqual(ended.slice(1, 3));
    const from = String(start + DAY_MS);
    expect(idsOf(await history({ start_time: from, end_time: String(start + 2 * DAY_MS) }))).toEqual([
      ended[2],
      ended[1],
    ]);
    bithumb.venue.clock.now += 4 * DAY_MS;
    expect(idsOf(await history())).toEqual(ended.slice(1).toReversed());
    bithumb.venue.clock.now -= 4 * DAY_MS;
  });

  it("refuses a period of more than seven days, and both ways to name states", async () => {
    const long = { start_time: String(start - 4 * DAY_MS), end_time: String(start + 4 * DAY_MS) };
    expect(refusal(await history(long))).toEqual([400, "invalid_parameter"]);
    expect(refusal(await history({ state: "done", states: ["cancel"] }))).toEqual([400, "invalid_parameter"]);
    expect(refusal(await history({ state: "wait" }))).toEqual([400, "invalid_parameter"]);
    expect(refusal(await history({ limit: "1001" }))).toEqual([400, "invalid_parameter"]);
  });

  it("goes on page after page to its end", async () => {
    const found: string[] = [];
    let key: string | null = "";
    for (let pages = 0; key !== null && pages < 9; pages++) {
      const page = await history({ limit: "2", ...(key === "" ? {} : { next_key: key }) });
      found.push(...idsOf(page));
      key = page.json.next_key;
    }
    expect(found).toEqual(ended.toReversed());
  });
});

describe("orders by ids", () => {
  it("are those that are found, in whatever state, by ids or by own ids", async () => {
    const search = async (fields: Record<string, string | string[]>) =>
      (await paper.post("/v2/orders/search", fields)).json.map(({ order_id: id }: Listed) => id);
    expect(await search({ order_ids: [open[0] ?? "", ended[0] ?? "", "C01"] })).toEqual([open[0], ended[0]]);
    expect(await search({ client_order_ids: ["open-1", "none"] })).toEqual([open[1]]);
    expect(await search({ market: "KRW-ETH", order_ids: open })).toEqual([open[1]]);
    const tooMany = Array.from({ length: 101 }, (_, index) => `x${index}`);
    expect(refusal(await paper.post("/v2/orders/search", { order_ids: tooMany }))[1]).toBe("invalid_parameter");
    expect(refusal(await paper.post("/v2/orders/search", {}))[1]).toBe("invalid_parameter");
  });

  it("are also in the older list, which has the first version's names", async () => {
    const older = async (fields: Record<string, string | string[]>) =>
      (await paper.get("/v1/orders", fields)).json.map(({ uuid }: { readonly uuid: string }) => uuid);
    expect(await older({})).toEqual(open.toReversed());
    expect(await older({ state: "cancel", limit: "2", page: "2" })).toEqual(ended.slice(1, 3).toReversed());
    expect(await older({ uuids: [ended[0] ?? ""], states: ["done", "cancel"] })).toEqual([ended[0]]);
    expect((await paper.get("/v1/orders", { limit: "1" })).json[0]).toMatchObject({
      ord_type: "limit",
      price: "90000000",
    });
  });
});

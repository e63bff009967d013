import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Fields, openUpbit, refusal, type Upbit, type UpbitClient } from "./upbit-client.ts";

const DAY_MS = 86_400_000;

let upbit: Upbit;
let paper: UpbitClient;
beforeEach(async () => {
  upbit = await openUpbit();
  ({ paper } = upbit);
});
afterEach(async () => {
  await upbit.venue.sandbox.close();
  expect(upbit.venue.defects).toEqual([]);
});

const place = async (identifier: string, fields: Record<string, string> = {}): Promise<string> =>
  (await paper.order({ volume: "0.0001", identifier, ...fields })).json.uuid;
const listed = async (path: string, fields?: Fields): Promise<readonly string[]> =>
  (await paper.get(path, fields)).json.map(({ identifier }: { identifier: string }) => identifier);

describe("the list of open orders", () => {
  it("has a hundred a page, the newest first unless said otherwise", async () => {
    for (let count = 0; count < 105; count++) {
      upbit.venue.clock.now += 1;
      await place(`o${count}`);
    }
    expect(await listed("orders/open")).toHaveLength(100);
    expect((await listed("orders/open")).slice(0, 2)).toEqual(["o104", "o103"]);
    expect(await listed("orders/open", { page: "2" })).toEqual(["o4", "o3", "o2", "o1", "o0"]);
    expect(await listed("orders/open", { page: "3", limit: "2", order_by: "asc" })).toEqual(["o4", "o5"]);
    expect(await listed("orders/open", { page: "99" })).toEqual([]);
  });

  it("has those of a market, and none that are watched for", async () => {
    await place("btc");
    await place("eth", { market: "KRW-ETH", price: "1000000", volume: "0.01" });
    expect(await listed("orders/open", { market: "KRW-ETH" })).toEqual(["eth"]);
    expect(await listed("orders/open", { market: "KRW-NONE" })).toEqual([]);
    expect(await listed("orders/open", { states: ["watch"] })).toEqual([]);
    expect(await listed("orders/open", { states: ["wait", "watch"] })).toEqual(["eth", "btc"]);
    expect((await paper.get("orders/open")).json[1]).toMatchObject({ executed_funds: "0", trades_count: 0 });
  });
});

describe("the list of orders by ids", () => {
  it("leaves out what is not there, by either kind of id", async () => {
    const [one, two] = [await place("one"), await place("two")];
    await paper.delete("order", { uuid: two });
    expect(await listed("orders/uuids", { uuids: [one, two, "0"] })).toEqual(["one", "two"]);
    expect(await listed("orders/uuids", { identifiers: ["two", "none"] })).toEqual(["two"]);
    expect(await listed("orders/uuids", { identifiers: ["two"], market: "KRW-ETH" })).toEqual([]);
  });
});

describe("the list of closed orders", () => {
  /** Canceled ones, a day apart, the first now. */
  async function closeDaily(count: number): Promise<void> {
    for (let day = 0; day < count; day++) {
      await paper.delete("order", { uuid: await place(`d${day}`) });
      upbit.venue.clock.now += DAY_MS;
    }
  }

  it("has those of the last seven days unless said otherwise", async () => {
    await closeDaily(9);
    expect(await listed("orders/closed")).toEqual(["d8", "d7", "d6", "d5", "d4", "d3", "d2"]);
  });

  it("has those of seven days at most, by the time of placing", async () => {
    const start = upbit.venue.clock.now;
    await closeDaily(9);
    const of = (fields: Fields) => listed("orders/closed", { ...fields, order_by: "asc" });
    expect(await of({ start_time: String(start) })).toEqual(["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"]);
    expect(await of({ end_time: String(start + DAY_MS) })).toEqual(["d0", "d1"]);
    expect(await of({ start_time: String(start + 1), end_time: String(start + 2 * DAY_MS) })).toEqual(["d1", "d2"]);
    expect(await of({ start_time: "2026-07-21T18:00:00+09:00", limit: "1" })).toEqual(["d1"]);
    const wide = { start_time: String(start), end_time: String(start + 7 * DAY_MS + 1) };
    expect(refusal(await paper.get("orders/closed", wide))).toEqual([400, "invalid_parameter"]);
  });

  it("has those of a state, by what Upbit calls it", async () => {
    await upbit.maker.order({ side: "ask", volume: "1" });
    await place("all", { ord_type: "price", price: "90000", volume: "" });
    await place("dust", { ord_type: "price", price: "100000", volume: "" });
    await place("limit", { volume: "0.001" });
    expect(await listed("orders/closed", { state: "done" })).toEqual(["limit", "all"]);
    expect(await listed("orders/closed", { states: ["cancel"] })).toEqual(["dust"]);
    expect(await listed("orders/closed", { states: ["done", "cancel"], limit: "2" })).toEqual(["limit", "dust"]);
  });
});

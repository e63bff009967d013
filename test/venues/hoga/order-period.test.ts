/** Orders of a period, at a venue that takes none on `GET /v1/orders`: read without it, page by page. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Order } from "../../../src/contract/index.ts";
import type { OpenApiClient } from "../../../src/venues/index.ts";
import { order as sample } from "../../fixture/order-sample.ts";
import { answer, type Behaviour, clientOf, refuse, startWire, type Wire } from "./wire.ts";

const START = Date.UTC(2026, 6, 20, 9);
const at = (minute: number): number => START + minute * 60_000;
const id = (minute: number): string => `01999f3e-7a10-7c31-9a52-${String(minute).padStart(12, "0")}`;

/** The order of a minute. */
function placed(minute: number): Order {
  const orderId = id(minute);
  return { ...sample, uuid: orderId, orderId, txid: [orderId], created_at: new Date(at(minute)).toISOString() };
}

/** Ten orders, one a minute, newest first, in pages of two. */
const listing: Behaviour = (response, arrival, request) => {
  const query = new URL(arrival.line.split(" ")[1] ?? "", "http://venue").searchParams;
  for (const field of ["from", "to"])
    if (query.has(field))
      return refuse(`EGeneral:Invalid arguments:${field}`, 400, { field })(response, arrival, request);
  const newest = Number(query.get("cursor") ?? 9);
  const page = { orders: [placed(newest), placed(newest - 1)], next_cursor: newest > 1 ? String(newest - 2) : null };
  return answer(page)(response, arrival, request);
};

let wire: Wire;
let client: OpenApiClient;
beforeEach(async () => {
  wire = await startWire(listing);
  client = clientOf(wire);
});
afterEach(async () => {
  await client.close();
  await wire.close();
});

const minutesOf = (page: { readonly orders: readonly Order[] }): number[] =>
  page.orders.map(({ created_at }) => (Date.parse(created_at) - START) / 60_000);

describe("a venue that refuses a period", () => {
  it("is read without it: newest first, down to its beginning, and nothing outside", async () => {
    const first = await client.orders({ state: "all", fromMs: at(4), toMs: at(6) });
    if (!first.ok) throw new Error(first.fault.code);
    expect([minutesOf(first.value), first.value.next_cursor]).toEqual([[6], "5"]);
    const second = await client.orders({ state: "all", fromMs: at(4), toMs: at(6), cursor: "5" });
    if (!second.ok) throw new Error(second.fault.code);
    const third = await client.orders({ state: "all", fromMs: at(4), toMs: at(6), cursor: "3" });
    if (!third.ok) throw new Error(third.fault.code);
    expect([minutesOf(second.value), minutesOf(third.value), third.value.next_cursor]).toEqual([[5, 4], [], null]);
    // It was told once.
    expect(wire.arrivals.filter(({ line }) => line.includes("from="))).toHaveLength(1);
    expect(wire.arrivals).toHaveLength(5);
  });

  it("is not read without it for a period that ends before it begins", async () => {
    const read = await client.orders({ fromMs: at(6), toMs: at(4) });
    expect(read).toMatchObject({ ok: false, fault: { code: "EGeneral:Invalid arguments", field: "from" } });
    expect(wire.arrivals).toHaveLength(1);
  });
});

describe("another refusal", () => {
  it("stays one", async () => {
    wire.script = [refuse("EGeneral:Invalid arguments:limit", 400, { field: "limit" })];
    const read = await client.orders({ fromMs: at(4) });
    expect(read).toMatchObject({ ok: false, fault: { code: "EGeneral:Invalid arguments", field: "limit" } });
    expect(wire.arrivals).toHaveLength(1);
  });
});

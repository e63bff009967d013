import { describe, expect, it } from "vitest";
import { orderAnswer, orderOf } from "../../../src/venues/one-fee-order.ts";
import { ERRORS, faultIn } from "../../../src/venues/upbit/errors.ts";
import { limitsIn } from "../../../src/venues/upbit/rates.ts";
import { detail } from "./scripted.ts";

const read = (answer: object) => orderOf(orderAnswer.parse(answer), 0);

describe("an order", () => {
  it("is shown in the house's words, its one fee divided by value", () => {
    expect(read(detail)).toMatchObject({
      ...{ orderId: detail.uuid, symbol: "BTC/KRW", side: "sell", type: "limit", price: "140000000", volume: "1" },
      ...{ executed_volume: "1", remaining_volume: "0", executed_value: "140000000", avg_price: "140000000" },
      ...{ fee: "70000", fee_currency: "KRW", state: "filled", userref: "hg0123456789abcdef" },
      created_at: "2025-07-04T06:00:00.000Z",
      trades: [
        { trade_id: "t-1", value: "42000000", fee: "21000", fee_exact: false, time: "2025-07-04T06:00:02.000Z" },
        { trade_id: "t-2", value: "98000000", fee: "49000", fee_exact: false },
      ],
    });
  });

  it.each(Object.keys(detail).filter((name) => !["uuid", "market", "side", "state"].includes(name)))(
    "is read without %s, or with it as null or of another type",
    (name) => {
      for (const odd of [undefined, null]) expect(read({ ...detail, [name]: odd }).orderId).toBe(detail.uuid);
      if (name !== "trades") expect(read({ ...detail, [name]: { odd: true } }).orderId).toBe(detail.uuid);
    },
  );

  const buy = { ...detail, side: "bid", ord_type: "price", price: "100000", volume: null, remaining_volume: null };
  const bought = (value: string) => ({
    ...{ ...buy, state: "cancel", executed_volume: "0.0007", executed_funds: value, trades: undefined },
  });

  it("is filled where a market buy ends with less left than buys anything", () => {
    expect(read(bought("99999.9"))).toMatchObject({ state: "filled", type: "market", amount: "100000", volume: null });
    expect(read(bought("60000"))).toMatchObject({ state: "canceled", executed_volume: "0.0007" });
    expect(read({ ...buy, state: "cancel", executed_volume: "0", trades: [] }).state).toBe("canceled");
  });

  it("is open in every state that is no end", () => {
    for (const state of ["wait", "watch", "something new"]) expect(read({ ...detail, state }).state).toBe("open");
  });

  it("keeps every digit that the house has, and rounds the others", () => {
    expect(read({ ...detail, paid_fee: "0.12345678501" }).fee).toBe("0.12345679");
    expect(read({ ...detail, price: "5.0E-5", trades: [] }).price).toBe("0.00005");
  });
});

/** As the exchange's page of errors and the examples of its place page have them. */
const DOCUMENTED = {
  sure: [
    ...["insufficient_funds_bid", "insufficient_funds_ask", "under_min_total_bid", "under_min_total_ask"],
    ...["invalid_price_bid", "invalid_price_ask", "over_krw_funds_bid", "create_bid_error", "create_ask_error"],
    ...["validation_error", "invalid_parameter", "invalid_time_in_force", "notfoundmarket", "market_offline"],
    ...["withdraw_address_not_registered", "withdraw_address_not_registerd"],
  ],
  gate: [
    ...["jwt_verification", "invalid_query_payload", "invalid_access_key", "expired_access_key", "out_of_scope"],
    ...["no_authorization_token", "no_authorization_i_p", "no_authorization_ip", "too_many_requests"],
  ],
  maybe: ["nonce_used", "internal_server_error"],
  not_found: ["order_not_found"],
};
const REACHED = { sure: "yes", gate: "no", maybe: "unknown", not_found: "unknown" } as const;
const rows = Object.entries(DOCUMENTED).flatMap(([list, names]) => names.map((name) => [name, list] as const));

describe("a refusal", () => {
  it.each(rows)("called %s is %s", (name, list) => {
    expect(ERRORS.get(name)?.[0]).toBe(list);
    const json = { error: { name, message: "their words" } };
    const fault = faultIn({ status: 400 }, json, { isWrite: true, isPrivate: true, places: true });
    expect(fault.reachedVenue).toBe(REACHED[list as keyof typeof REACHED]);
    expect(fault.message).not.toContain("their words");
    expect(fault.venueText).toBe(`${name}: their words`);
  });

  it("stands in one list, and no list has more than is documented", () => {
    expect([...ERRORS.keys()].toSorted()).toEqual(rows.map(([name]) => name).toSorted());
  });

  it.each([
    ["an unlisted code", 400, { error: { name: "brand_new", message: "x" } }],
    ["a number as its code", 400, { error: { name: "400", message: "x" } }],
    ["a failure", 500, { error: { name: "insufficient_funds_bid", message: "x" } }],
    ["a page", 403, undefined],
    ["a redirect", 302, { error: { name: "insufficient_funds_bid", message: "x" } }],
  ])("leaves open what became of an order: %s", (_, status, json) => {
    const fault = faultIn({ status }, json, { isWrite: true, isPrivate: true, places: true });
    expect(fault.reachedVenue).toBe("unknown");
  });

  it("is none where it speaks of the identifier, whatever its name", () => {
    for (const error of [
      { name: "validation_error", message: "identifier has already been taken" },
      { name: "duplicated_identifier", message: "중복" },
    ])
      expect(faultIn({ status: 400 }, { error }, { isWrite: true, isPrivate: true })).toMatchObject({
        code: "EOrder:Duplicate client id",
        reachedVenue: "unknown",
      });
  });
});

describe("the limits of an answer", () => {
  const charges = [{ group: "order", weight: 1 }];
  const said = (status: number, body: string, headers = {}) =>
    limitsIn({ kind: "answer", status, headers, body: Buffer.from(body) }, charges, 1_764_201_600_000);

  it("are what is left of the second, a pause, or a time in which nothing is taken", () => {
    const left = { "remaining-req": "group=order; min=1800; sec=7" };
    expect(said(200, "", left)).toEqual([{ kind: "left", group: "order", left: 7 }]);
    expect(said(429, "")).toEqual([{ kind: "pause", group: "order" }]);
    expect(said(418, "try again in 30 seconds")).toEqual([{ kind: "ban", group: "order", forMs: 30_000 }]);
    expect(said(418, "5분 후")).toEqual([{ kind: "ban", group: "order", forMs: 300_000 }]);
    expect(said(418, "until 2025-11-27T00:01:00Z")).toEqual([{ kind: "ban", group: "order", forMs: 60_000 }]);
    expect(said(418, "no time")).toEqual([{ kind: "ban", group: "order" }]);
  });
});

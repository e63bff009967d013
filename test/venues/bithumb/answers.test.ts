import { describe, expect, it } from "vitest";
import { orderAnswer, orderOf, pageAnswer } from "../../../src/venues/bithumb/answers.ts";
import { ERRORS, faultIn } from "../../../src/venues/bithumb/errors.ts";
import { limitsIn } from "../../../src/venues/bithumb/rates.ts";
import { detail, ID, listed, NAME, page } from "./scripted.ts";

const read = (answer: object) => orderOf(orderAnswer.parse(answer), 0);
const REQUIRED = ["uuid", "order_id", "market", "side", "state"];

describe("an order", () => {
  it("is shown in the house's words, its one fee divided by value", () => {
    expect(read(detail)).toMatchObject({
      ...{ orderId: ID, symbol: "BTC/KRW", side: "buy", type: "limit", price: "95000000", volume: "0.003" },
      ...{ executed_volume: "0.003", remaining_volume: "0", executed_value: "285000", avg_price: "95000000" },
      ...{ fee: "712.5", fee_currency: "KRW", state: "filled", userref: NAME, post_only: false },
      created_at: "2026-07-04T06:05:46.000Z",
      trades: [
        { trade_id: "t-1", value: "95000", fee: "237.5", fee_exact: false, time: "2026-07-04T06:05:47.000Z" },
        { trade_id: "t-2", value: "190000", fee: "475", fee_exact: false },
      ],
    });
  });

  it("is the same in a list, which names its id and its type in another way and has no fills", () => {
    const { trades: _trades, ...alike } = read(detail);
    expect(read(listed)).toEqual(alike);
  });

  it.each([detail, listed].flatMap((answer) => Object.keys(answer).map((name) => [name, answer] as const)))(
    "is read without %s, or with it as null or of another type",
    (name, answer) => {
      if (REQUIRED.includes(name))
        return expect(orderAnswer.safeParse({ ...answer, [name]: null }).success).toBe(false);
      for (const odd of [undefined, null]) expect(read({ ...answer, [name]: odd }).orderId).toBe(ID);
      if (name !== "trades") expect(read({ ...answer, [name]: { odd: true } }).orderId).toBe(ID);
    },
  );

  it("is canceled with its filled part where it ended as done with less than was asked for", () => {
    const part = { ...listed, time_in_force: "ioc", executed_volume: "0.001", remaining_volume: "0.002" };
    expect(read(part)).toMatchObject({ state: "canceled", executed_volume: "0.001", time_in_force: "IOC" });
    expect(read({ ...part, remaining_volume: "0" })).toMatchObject({ state: "canceled" });
    expect(read({ ...part, executed_volume: undefined, remaining_volume: undefined }).state).toBe("filled");
  });

  it("is filled where a market buy ends with less left than buys anything", () => {
    const buy = {
      ...listed,
      order_type: "price",
      price: "100000",
      volume: null,
      remaining_volume: null,
      state: "cancel",
    };
    const bought = { ...buy, executed_volume: "0.001", executed_funds: "99999.9" };
    expect(read(bought)).toMatchObject({ state: "filled", type: "market", amount: "100000", volume: null });
    expect(read({ ...bought, executed_funds: "60000" }).state).toBe("canceled");
  });

  it("is open in every state that is no end, and has no name where it has none", () => {
    for (const state of ["wait", "watch", "something new"]) expect(read({ ...listed, state }).state).toBe("open");
    expect(read({ ...listed, client_order_id: "" }).userref).toBeNull();
  });
});

describe("a page of orders", () => {
  it("is none where it says that there are more and not where", () => {
    expect(pageAnswer.parse(page([listed]))).toMatchObject({ hasMore: false });
    expect(pageAnswer.parse(page([listed], "k+/="))).toMatchObject({ hasMore: true, key: "k+/=" });
    expect(pageAnswer.safeParse({ ...page([listed]), has_next: true }).success).toBe(false);
    expect(pageAnswer.parse({ data: [] })).toMatchObject({ orders: [], hasMore: false });
  });
});

/** As the exchange's page of errors has them, and the four of clients. */
const DOCUMENTED = {
  sure: [
    ...["invalid_parameter", "invalid_price", "invalid_price_ask", "invalid_price_bid", "under_price_limit_ask"],
    ...["under_price_limit_bid", "bank_account_required", "two_factor_auth_required", "cross_trading"],
    "currency does not have a valid value",
    ...["insufficient_funds_bid", "insufficient_funds_ask", "under_min_total_bid", "under_min_total_ask"],
  ],
  gate: [...["invalid_query_payload", "NotAllowIP", "out_of_scope", "blocked_member_id"]],
  maybe: [
    ...["order_not_ready", "server_error", "jwt_verification", "expired_jwt"],
    ...["withdraw_insufficient_balance", "deposit_not_found", "withdraw_not_found"],
  ],
  not_found: ["order_not_found"],
};
const REACHED = { sure: "yes", gate: "no", maybe: "unknown", not_found: "unknown" } as const;
const rows = Object.entries(DOCUMENTED).flatMap(([list, names]) => names.map((name) => [name, list] as const));
const PLACING = { isWrite: true, isPrivate: true, places: true };

describe("a refusal", () => {
  it.each(rows)("called %s is %s", (name, list) => {
    expect(ERRORS.get(name)?.[0]).toBe(list);
    const json = { error: { name, message: "their words" } };
    for (const status of [200, 400]) {
      const fault = faultIn({ status }, json, PLACING);
      expect(fault.reachedVenue).toBe(REACHED[list as keyof typeof REACHED]);
      expect(fault.message).not.toContain("their words");
      expect(fault.venueText).toBe(`${name}: their words`);
    }
  });

  it("stands in one list, and no list has more than is documented", () => {
    expect([...ERRORS.keys()].toSorted()).toEqual(rows.map(([name]) => name).toSorted());
    expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
  });

  it.each([
    ["an unlisted code", 400, { error: { name: "brand_new", message: "x" } }],
    ["a number as its code", 400, { error: { name: "400", message: "x" } }],
    ["an unlisted code with a status of success", 200, { error: { name: "brand_new", message: "x" } }],
    ["too many calls, as nothing says what that looks like", 429, { error: { name: "brand_new", message: "x" } }],
    ["a failure", 500, { error: { name: "insufficient_funds_bid", message: "x" } }],
    ["a page", 403, undefined],
    ["a redirect", 302, { error: { name: "insufficient_funds_bid", message: "x" } }],
  ])("leaves open what became of an order: %s", (_, status, json) => {
    expect(faultIn({ status }, json, PLACING).reachedVenue).toBe("unknown");
  });

  it("is none where it speaks of the order's own id, whatever its name", () => {
    for (const error of [
      { name: "invalid_parameter", message: "client_order_id is duplicated" },
      { name: "duplicate_client_order_id", message: "중복" },
      { name: "brand_new", message: "clientOrderId already exists" },
    ])
      for (const status of [200, 400, 409, 422])
        expect(faultIn({ status }, { error }, PLACING)).toMatchObject({
          code: "EOrder:Duplicate client id",
          reachedVenue: "unknown",
        });
  });
});

it("the limits of an answer are a pause where it was too much", () => {
  const charges = [{ group: "place", weight: 1 }];
  const said = (status: number, headers = {}) =>
    limitsIn({ kind: "answer", status, headers, body: Buffer.from("") }, charges, 0);
  expect(said(200)).toEqual([]);
  expect(said(429)).toEqual([{ kind: "pause", group: "place" }]);
  expect(said(429, { "retry-after": "2" })).toEqual([{ kind: "pause", group: "place", forMs: 2_000 }]);
});

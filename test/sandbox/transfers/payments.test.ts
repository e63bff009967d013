import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { payment, paymentList } from "../../../src/contract/index.ts";
import { freshKey, openTransferVenue, refusalOf, type TransferVenue } from "./transfer-venue.ts";

let venue: TransferVenue;
beforeAll(async () => {
  venue = await openTransferVenue();
});
afterAll(async () => {
  expect(venue.defects).toEqual([]);
  await venue.sandbox.close();
});

const terms = { amount: "90000", pay_asset: "BTC", order_ref: "cart-7" };
const PAYMENTS = "/v0.1/payments";

async function quoted(fields: object = {}): Promise<string> {
  const { status, json, text } = await venue.post(PAYMENTS, { ...terms, ...fields });
  if (status !== 201) throw new Error(text);
  return json.payment_id as string;
}

const stateOf = async (id: string) => (await venue.paper.get(`${PAYMENTS}/${id}`)).json.state as string;

describe("a payment", () => {
  it("is quoted at the market's rate, fixed for a minute, and is marked as a draft", async () => {
    const before = [venue.balance("KRW"), venue.balance("BTC")];
    const { status, json } = await venue.post(PAYMENTS, { ...terms, description: "홍차 두 잔" });
    expect(status).toBe(201);
    expect(payment.strict().parse(json)).toEqual(json);
    expect(json).toMatchObject({
      draft: true,
      state: "quoted",
      ...terms,
      ...{ pay_amount: "0.001", rate: "90000000", description: "홍차 두 잔", refunded_amount: "0" },
      ...{ created_at: "2026-07-20T09:00:00.000Z", expires_at: "2026-07-20T09:01:00.000Z", paid_at: null },
    });
    expect([venue.balance("KRW"), venue.balance("BTC")]).toEqual(before);
  });

  it("is paid, settles, and is refunded in parts and then in full, to the last unit", async () => {
    const before = [venue.balance("KRW")[0], venue.balance("BTC")[0]];
    const id = await quoted();
    const paid = await venue.post(`${PAYMENTS}/${id}/confirm`);
    expect([paid.status, paid.json.state, paid.json.paid_at]).toEqual([200, "paid", paid.json.updated_at]);
    expect([venue.balance("KRW")[0], venue.balance("BTC")[0]]).toEqual(["10090000", "0.099"]);
    venue.passTime(2_000);
    expect(await stateOf(id)).toBe("settled");
    const part = await venue.post(`${PAYMENTS}/${id}/refund`, { amount: "30000" });
    expect(part.json).toMatchObject({
      state: "partially_refunded",
      ...{ refunded_amount: "30000", refunded_pay_amount: "0.00033333" },
    });
    expect(refusalOf(await venue.post(`${PAYMENTS}/${id}/refund`, { amount: "60001" }))).toEqual([
      400,
      "EGeneral:Invalid arguments:amount",
      "amount",
      undefined,
    ]);
    expect((await venue.post(`${PAYMENTS}/${id}/refund`)).json).toMatchObject({
      ...{ state: "refunded", refunded_amount: "90000", refunded_pay_amount: "0.001" },
    });
    expect([venue.balance("KRW")[0], venue.balance("BTC")[0]]).toEqual(before);
  });

  it("expires with its rate, and is canceled on request", async () => {
    const short = await quoted({ expires_in_s: 1 });
    const given = await quoted();
    expect((await venue.post(`${PAYMENTS}/${given}/cancel`)).json.state).toBe("canceled");
    venue.passTime(1_000);
    expect(await stateOf(short)).toBe("expired");
    for (const [id, state] of [
      [short, "expired"],
      [given, "canceled"],
    ] as const)
      expect(refusalOf(await venue.post(`${PAYMENTS}/${id}/confirm`))).toEqual([
        409,
        "ETransfer:Wrong state",
        "id",
        state,
      ]);
  });

  it("is refused with the reason, and no money moves", async () => {
    const before = [venue.balance("KRW"), venue.balance("BTC")];
    const id = await quoted({ amount: "90000000" });
    expect(refusalOf(await venue.post(`${PAYMENTS}/${id}/confirm`))[1]).toBe("EOrder:Insufficient funds");
    expect(refusalOf(await venue.post(`${PAYMENTS}/${id}/refund`, {}))).toEqual([
      409,
      "ETransfer:Wrong state",
      "id",
      "quoted",
    ]);
    const other = `${PAYMENTS}/01999f3e-7a10-7c31-9a52-0c6d5b1f2a77`;
    for (const reply of [
      await venue.paper.get(other),
      await venue.post(`${other}/confirm`),
      await venue.post(`${other}/refund`, {}),
      await venue.maker.get(`${PAYMENTS}/${id}`),
      await venue.post(`${PAYMENTS}/${id}/confirm`, undefined, freshKey(), venue.maker),
    ])
      expect(refusalOf(reply).slice(0, 3).join()).toMatch(
        /^(404,ETransfer:Unknown transfer,id|403,EGeneral:Permission denied,)$/,
      );
    expect([venue.balance("KRW"), venue.balance("BTC")]).toEqual(before);
  });

  it.each([
    ["amount", { ...terms, amount: 90000 }],
    ["amount", { ...terms, amount: "0" }],
    ["amount", { ...terms, amount: "90000.5" }],
    ["pay_asset", { ...terms, pay_asset: "btc" }],
    ["pay_asset", { ...terms, pay_asset: "KRW" }],
    ["order_ref", { amount: "90000", pay_asset: "BTC" }],
    ["description", { ...terms, description: "two\nlines" }],
    ["expires_in_s", { ...terms, expires_in_s: 61 }],
    ["ammount", { ...terms, ammount: "1" }],
  ])("is refused with the invalid field: %s in %j", async (field, body) => {
    expect(refusalOf(await venue.post(PAYMENTS, body))).toEqual([
      400,
      `EGeneral:Invalid arguments:${field}`,
      field,
      undefined,
    ]);
  });

  it("needs a market for the asset it is paid with", async () => {
    expect(refusalOf(await venue.post(PAYMENTS, { ...terms, pay_asset: "NOPE" }))).toEqual([
      404,
      "EQuery:Unknown asset pair",
      "pay_asset",
      undefined,
    ]);
  });
});

describe("payments", () => {
  it("are listed newest first, by order_ref and state, on pages that new ones do not shift", async () => {
    const ids = [];
    for (let count = 0; count < 3; count++) ids.unshift(await quoted({ order_ref: "listed" }));
    const first = await venue.paper.get(`${PAYMENTS}?order_ref=listed&limit=2`);
    expect(paymentList.strict().parse(first.json)).toEqual(first.json);
    await quoted({ order_ref: "listed" });
    const next = await venue.paper.get(
      `${PAYMENTS}?order_ref=listed&limit=2&cursor=${first.json.next_cursor as string}`,
    );
    const shown = [...first.json.payments, ...next.json.payments].map(({ payment_id: id }) => id as string);
    expect(shown).toEqual(ids);
    expect(next.json.next_cursor).toBeNull();
    expect((await venue.paper.get(`${PAYMENTS}?order_ref=listed&state=paid`)).json.payments).toEqual([]);
    expect(refusalOf(await venue.paper.get(`${PAYMENTS}?cursor=abc`))[2]).toBe("cursor");
    expect((await venue.maker.get(PAYMENTS)).json.payments).toEqual([]);
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshKey, openTransferVenue, refusalOf, type TransferVenue } from "./transfer-venue.ts";

const PAYMENTS = "/v0.1/payments";
const REMITTANCES = "/v0.1/remittances";
const terms = { amount: "90000", pay_asset: "BTC", order_ref: "cart-7" };

let dir: string;
let venue: TransferVenue;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "sandbox-drafts-"));
  venue = await openTransferVenue({ dir });
});
afterAll(async () => {
  expect(venue.defects).toEqual([]);
  await venue.sandbox.close();
  await rm(dir, { recursive: true, force: true });
});

async function settled(): Promise<string> {
  const id = (await venue.post(PAYMENTS, terms)).json.payment_id as string;
  await venue.post(`${PAYMENTS}/${id}/confirm`);
  venue.passTime(2_000);
  return id;
}

const found = async (list: "payments" | "remittances", key: string): Promise<readonly { state: string }[]> =>
  (await venue.paper.get(`/v0.1/${list}?idempotency_key=${key}`)).json[list];

describe("an idempotency key", () => {
  it.each([undefined, "", '"quoted"', "a b", "x".repeat(65)])(
    "is required by every POST, in its form: %j",
    async (key) => {
      const id = await settled();
      for (const [target, body] of [
        [PAYMENTS, terms],
        [`${PAYMENTS}/${id}/confirm`, undefined],
        [`${PAYMENTS}/${id}/refund`, {}],
        [`${REMITTANCES}/quotes`, {}],
        [REMITTANCES, {}],
      ] as const) {
        const headers = key === undefined ? {} : { "Idempotency-Key": key };
        expect(refusalOf(await venue.paper.post(target, body, { headers })).slice(0, 3)).toEqual([
          400,
          "EGeneral:Invalid arguments:Idempotency-Key",
          "Idempotency-Key",
        ]);
      }
    },
  );

  it("gets the same answer for the same request, and money moves once, whatever happened meanwhile", async () => {
    const quote = freshKey();
    const first = await venue.post(PAYMENTS, terms, quote);
    // The same request, in other bytes.
    const again = await venue.paper.post(PAYMENTS, undefined, {
      rawBody: JSON.stringify(Object.fromEntries(Object.entries(terms).reverse()), null, 1),
      headers: { "Idempotency-Key": quote },
    });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    const confirm = freshKey();
    const target = `${PAYMENTS}/${first.json.payment_id as string}/confirm`;
    const paid = await venue.post(target, undefined, confirm);
    const after = [venue.balance("KRW"), venue.balance("BTC")];
    venue.passTime(2_000);
    expect((await venue.post(target, undefined, confirm)).text).toBe(paid.text);
    const refund = freshKey();
    const back = `${PAYMENTS}/${first.json.payment_id as string}/refund`;
    for (let count = 0; count < 3; count++) await venue.post(back, { amount: "1000" }, refund);
    expect((await venue.paper.get(`${PAYMENTS}/${first.json.payment_id as string}`)).json.refunded_amount).toBe("1000");
    expect(venue.balance("KRW")[0]).toBe(String(BigInt(after[0]?.[0] ?? "0") - 1_000n));
  });

  it("when the request is another, is refused without effect, also by another API key of the account", async () => {
    const key = freshKey();
    const first = await venue.post(PAYMENTS, terms, key);
    const twin = venue.addKey({ permissions: ["query", "transfer"] });
    const conflict = [409, "ETransfer:Idempotency key reused", "Idempotency-Key", undefined];
    const id = first.json.payment_id as string;
    expect(refusalOf(await venue.post(PAYMENTS, { ...terms, amount: "90001" }, key))).toEqual(conflict);
    expect(refusalOf(await venue.post(`${PAYMENTS}/${id}/confirm`, undefined, key))).toEqual(conflict);
    expect(refusalOf(await venue.post(`${PAYMENTS}/${id}/cancel`, undefined, key, twin))).toEqual(conflict);
    expect((await venue.post(PAYMENTS, terms, key, twin)).text).toBe(first.text);
    expect((await venue.paper.get(`${PAYMENTS}/${id}`)).json.state).toBe("quoted");
  });

  it("can be used again when its request was refused", async () => {
    const key = freshKey();
    expect((await venue.post(PAYMENTS, { ...terms, pay_asset: "NOPE" }, key)).status).toBe(404);
    expect(await found("payments", key)).toEqual([]);
    expect((await venue.post(PAYMENTS, terms, key)).status).toBe(201);
  });

  it("finds the outcome of a request, and nothing when it had no effect", async () => {
    const id = await settled();
    const refund = freshKey();
    await venue.post(`${PAYMENTS}/${id}/refund`, {}, refund);
    expect(await found("payments", refund)).toMatchObject([{ payment_id: id, state: "refunded" }]);
    expect(await found("remittances", refund)).toEqual([]);
    expect(await found("payments", freshKey())).toEqual([]);
    expect((await venue.maker.get(`${PAYMENTS}?idempotency_key=${refund}`)).json.payments).toEqual([]);
    expect(refusalOf(await venue.paper.get(`${PAYMENTS}?idempotency_key=${refund}&limit=5`))[2]).toBe(
      "idempotency_key",
    );
  });

  it("has one effect when its request is sent many times concurrently", async () => {
    const id = await settled();
    const key = freshKey();
    const before = BigInt(venue.balance("KRW")[0]);
    // Each is signed with an API key of its own, as the nonces of one key would arrive in any order.
    const clients = Array.from({ length: 8 }, () => venue.addKey({ permissions: ["query", "transfer"] }));
    const replies = await Promise.all(
      clients.map((client) => venue.post(`${PAYMENTS}/${id}/refund`, { amount: "1000" }, key, client)),
    );
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(BigInt(venue.balance("KRW")[0])).toBe(before - 1_000n);
  });

  it("is kept over a restart, for years", async () => {
    const id = await settled();
    const refund = freshKey();
    const back = await venue.post(`${PAYMENTS}/${id}/refund`, { amount: "1000" }, refund);
    const money = venue.balance("KRW");
    const at = venue.clock.now;
    await venue.sandbox.close();
    venue = await openTransferVenue({ dir });
    venue.clock.now = at + 3 * 365 * 86_400_000;
    expect(await found("payments", refund)).toMatchObject([{ payment_id: id, state: "partially_refunded" }]);
    expect((await venue.post(`${PAYMENTS}/${id}/refund`, { amount: "1000" }, refund)).text).toBe(back.text);
    expect((await venue.post(`${PAYMENTS}/${id}/refund`, { amount: "2000" }, refund)).status).toBe(409);
    expect(venue.balance("KRW")).toEqual(money);
  });
});

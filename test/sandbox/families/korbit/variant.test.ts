import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Reply } from "../../http/signed-client.ts";
import { type Korbit, type KorbitClient, openKorbit } from "./korbit-client.ts";

let korbit: Korbit;
let paper: KorbitClient;
let maker: KorbitClient;
beforeAll(async () => {
  korbit = await openKorbit({ variant: "other" });
  ({ paper, maker } = korbit);
});
afterAll(async () => {
  await korbit.venue.sandbox.close();
  expect(korbit.venue.defects).toEqual([]);
});

const refused = ({ status, json }: Reply) => [status, json];
const body = (message: string) => ({ success: false, error: { message } });
const status = async (orderId: number) => (await paper.find({ orderId: String(orderId) })).json.data?.status;

describe("with other sources a Korbit", () => {
  it("refuses orders with status 200 and nothing but the name, and what is not found with 404", async () => {
    expect(refused(await paper.order({ qty: "1" }))).toEqual([200, body("NO_BALANCE")]);
    expect(refused(await paper.order({ qty: "x" }))).toEqual([400, body("BAD_REQUEST")]);
    expect(refused(await paper.find({ orderId: "1" }))).toEqual([404, body("ORDER_NOT_FOUND")]);
    expect(refused(await paper.get("balance", {}, { headers: { "X-KAPI-KEY": "nobody" } }))).toEqual([
      ...[400, body("KEY_NOT_FOUND")],
    ]);
  });

  it("ends what took a part as canceled, and what was to rest as canceled", async () => {
    await maker.order({ side: "sell", price: "91000000", qty: "0.01" });
    const part = await paper.order({ price: "91000000", qty: "0.02", timeInForce: "ioc" });
    expect(await status(part.json.data.orderId)).toBe("partiallyFilledCanceled");
    await maker.order({ side: "sell", price: "91000000", qty: "0.01" });
    const resting = await paper.order({ price: "91000000", qty: "0.02", timeInForce: "po" });
    expect(await status(resting.json.data.orderId)).toBe("canceled");
  });

  it("does not find by its own name what ended without a trade, and keeps the name", async () => {
    const { orderId } = (await paper.order({ clientOrderId: "ended" })).json.data;
    await paper.cancel({ clientOrderId: "ended" });
    await expect.poll(() => status(orderId)).toBe("canceled");
    expect((await paper.find({ clientOrderId: "ended" })).status).toBe(404);
    expect(refused(await paper.order({ clientOrderId: "ended" }))[1]).toEqual(body("DUPLICATE_CLIENT_ORDER_ID"));
  });

  it("says less of markets, and more of open orders", async () => {
    expect((await paper.open("currencyPairs")).json.data[0]).toEqual({ symbol: "btc_krw", status: "launched" });
    await paper.order();
    const [listed] = (await paper.get("openOrders", { symbol: "btc_krw" })).json.data;
    expect(listed).toMatchObject({ symbol: "btc_krw", timeInForce: "gtc" });
  });
});

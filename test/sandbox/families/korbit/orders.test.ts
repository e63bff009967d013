import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deposit, type Korbit, type KorbitClient, openKorbit, refusal } from "./korbit-client.ts";

const DAY_MS = 86_400_000;

let korbit: Korbit;
let maker: KorbitClient;
beforeAll(async () => {
  korbit = await openKorbit();
  ({ maker } = korbit);
});
afterAll(async () => {
  await korbit.venue.sandbox.close();
  expect(korbit.venue.defects).toEqual([]);
});

const state = async (client: KorbitClient, orderId: number): Promise<string> =>
  (await client.find({ orderId: String(orderId) })).json.data?.status;

async function canceled(client: KorbitClient, orderId: number): Promise<void> {
  expect((await client.cancel({ orderId: String(orderId) })).json).toEqual({ success: true });
  await expect.poll(() => state(client, orderId)).toMatch(/anceled/);
}

describe("an order", () => {
  it("is answered with its id, which is a number, and rests", async () => {
    const client = korbit.account("rests");
    const { status, json } = await client.order({ clientOrderId: "first" });
    expect([status, json]).toEqual([200, { success: true, data: { orderId: expect.any(Number) } }]);
    const { orderId } = json.data;
    expect(Number.isSafeInteger(orderId)).toBe(true);
    const shown = {
      ...{ orderId, clientOrderId: "first", symbol: "btc_krw", orderType: "limit", side: "buy", timeInForce: "gtc" },
      ...{ price: "90000000", qty: "0.001", filledQty: "0", filledAmt: "0" },
      ...{ createdAt: korbit.venue.clock.now, status: "open" },
    };
    expect((await client.find({ orderId: String(orderId) })).json).toEqual({ success: true, data: shown });
    expect((await client.find({ clientOrderId: "first" })).json.data).toEqual(shown);
    const { symbol: _, timeInForce: __, ...listed } = shown;
    expect((await client.get("openOrders", { symbol: "btc_krw" })).json.data).toEqual([listed]);
    expect((await client.get("openOrders", { symbol: "eth_krw" })).json.data).toEqual([]);
  });

  it("reserves the highest fee besides, and pays what the trade was", async () => {
    const client = korbit.account("pays");
    const won = async () => (await client.get("balance", { currencies: "krw" })).json.data[0];
    const { json } = await client.order({ qty: "0.1", price: "90000000" });
    expect(await won()).toEqual({
      ...{ currency: "krw", balance: "10000000", available: "986500", tradeInUse: "9013500" },
      ...{ withdrawalInUse: "0", avgPrice: "0" },
    });
    await canceled(client, json.data.orderId);
    expect(refusal(await client.order({ qty: "0.1111", price: "90000000" }))).toEqual([400, "NO_BALANCE"]);
    await maker.order({ side: "sell", price: "91000000", qty: "0.01" });
    await client.order({ price: "91000000", qty: "0.01" });
    expect((await won()).balance).toBe("9088635");
    expect((await client.get("balance", { currencies: "btc" })).json.data[0]).toMatchObject({
      balance: "0.01",
      avgPrice: "91000000",
    });
  });

  it("is filled in part, shows what it paid, and ends as partiallyFilledCanceled", async () => {
    const client = korbit.account("partial");
    await maker.order({ side: "sell", price: "92000000", qty: "0.01" });
    const { orderId } = (await client.order({ price: "92000000", qty: "0.03" })).json.data;
    expect((await client.find({ orderId: String(orderId) })).json.data).toMatchObject({
      ...{ status: "partiallyFilled", filledQty: "0.01", filledAmt: "920000", avgPrice: "92000000" },
      lastFilledAt: korbit.venue.clock.now,
    });
    await canceled(client, orderId);
    expect(await state(client, orderId)).toBe("partiallyFilledCanceled");
    expect(refusal(await client.cancel({ orderId: String(orderId) }))).toEqual([400, "ORDER_ALREADY_CANCELED"]);
  });

  it("ends as filled with less than was asked for where it may not rest, and as expired with nothing", async () => {
    const client = korbit.account("takes");
    await maker.order({ side: "sell", price: "93000000", qty: "0.01" });
    const taken = (await client.order({ price: "93000000", qty: "0.05", timeInForce: "ioc" })).json.data.orderId;
    expect((await client.find({ orderId: String(taken) })).json.data).toMatchObject({
      ...{ status: "filled", qty: "0.05", filledQty: "0.01", timeInForce: "ioc" },
    });
    expect(refusal(await client.cancel({ orderId: String(taken) }))).toEqual([400, "ORDER_ALREADY_FILLED"]);
    await maker.order({ side: "sell", price: "93000000", qty: "0.01" });
    const killed = (await client.order({ price: "93000000", qty: "0.05", timeInForce: "fok" })).json.data.orderId;
    const maked = (await client.order({ price: "93000000", qty: "0.01", timeInForce: "po" })).json.data.orderId;
    const empty = (await client.order({ price: "80000000", timeInForce: "ioc" })).json.data.orderId;
    for (const orderId of [killed, maked, empty]) {
      expect(await state(client, orderId)).toBe("expired");
      expect(refusal(await client.cancel({ orderId: String(orderId) }))).toEqual([400, "ORDER_ALREADY_EXPIRED"]);
    }
    await client.order({ price: "93000000", qty: "0.01" });
  });

  it("is sized by what it spends or sells at the market's price", async () => {
    const client = korbit.account("market");
    deposit(korbit.venue, "market", "BTC", 1n);
    await maker.order({ side: "sell", price: "94000000", qty: "0.01" });
    const bought = (await client.order({ orderType: "market", amt: "470000", price: "", qty: "" })).json.data.orderId;
    const { data } = (await client.find({ orderId: String(bought) })).json;
    expect(data).toMatchObject({
      orderType: "market",
      timeInForce: "ioc",
      amt: "470000",
      filledQty: "0.005",
      status: "filled",
    });
    expect(data).not.toHaveProperty("price");
    expect(data).not.toHaveProperty("qty");
    await client.order({ price: "94000000", qty: "0.005" });
    await maker.order({ price: "90500000", qty: "0.01" });
    const sold = (await client.order({ side: "sell", orderType: "market", qty: "0.01", price: "" })).json.data.orderId;
    expect((await client.find({ orderId: String(sold) })).json.data).toMatchObject({
      qty: "0.01",
      filledAmt: "905000",
    });
  });

  it("takes a price of the book at the best price, of the other side or of its own", async () => {
    const client = korbit.account("best");
    const best = { symbol: "eth_krw", orderType: "best", price: "", qty: "" };
    deposit(korbit.venue, "maker", "ETH", 10n);
    for (const price of ["5000000", "5001000"])
      await maker.order({ symbol: "eth_krw", side: "sell", price, qty: "0.1" });
    await maker.order({ symbol: "eth_krw", price: "4900000", qty: "0.1" });
    const find = async (orderId: number) =>
      (await client.get("orders", { symbol: "eth_krw", orderId: String(orderId) })).json.data;
    const taker = await client.order({ ...best, amt: "750000", timeInForce: "gtc", bestNth: "2" });
    expect(await find(taker.json.data.orderId)).toMatchObject({
      ...{ orderType: "best", price: "5001000", amt: "750000", qty: "0.14997", filledQty: "0.14997", status: "filled" },
    });
    const rests = await client.order({ ...best, amt: "490000", timeInForce: "po", bestNth: "1" });
    expect(await find(rests.json.data.orderId)).toMatchObject({ price: "4900000", timeInForce: "po", status: "open" });
    expect(refusal(await client.order({ ...best, amt: "490000", timeInForce: "ioc", bestNth: "5" }))[1]).toBe(
      "BAD_REQUEST",
    );
  });

  it("takes as far as its bound with price protection, and what is left of it ends", async () => {
    const client = korbit.account("protected");
    deposit(korbit.venue, "maker", "SOL", 100n);
    const sol = { symbol: "sol_krw", qty: "1" };
    await maker.order({ ...sol, price: "199900" });
    for (const price of ["200100", "230000"]) await maker.order({ ...sol, side: "sell", price });
    const { orderId } = (await client.order({ ...sol, price: "230000", qty: "2", pp: "true" })).json.data;
    const { data } = (await client.get("orders", { symbol: "sol_krw", orderId: String(orderId) })).json;
    expect(data).toMatchObject({ price: "230000", timeInForce: "gtc", filledQty: "1", status: "filled" });
  });
});

describe("an id of the account's own", () => {
  it("is of one order, whatever became of it, and free again three days after it ended without a trade", async () => {
    const client = korbit.account("names");
    const named = () => client.order({ clientOrderId: "one" });
    const { orderId } = (await named()).json.data;
    expect(refusal(await named())).toEqual([400, "DUPLICATE_CLIENT_ORDER_ID"]);
    await canceled(client, orderId);
    expect(refusal(await named())).toEqual([400, "DUPLICATE_CLIENT_ORDER_ID"]);
    korbit.venue.clock.now += 3 * DAY_MS - 1;
    expect(await state(client, orderId)).toBe("canceled");
    expect((await client.find({ clientOrderId: "one" })).json.data.orderId).toBe(orderId);
    korbit.venue.clock.now += 1;
    expect(refusal(await client.find({ clientOrderId: "one" }))).toEqual([400, "ORDER_NOT_FOUND"]);
    expect(refusal(await client.find({ orderId: String(orderId) }))).toEqual([400, "ORDER_NOT_FOUND"]);
    expect(refusal(await client.cancel({ orderId: String(orderId) }))).toEqual([400, "ORDER_NOT_FOUND"]);
    const again = (await named()).json.data.orderId;
    expect((await client.find({ clientOrderId: "one" })).json.data).toMatchObject({ orderId: again, status: "open" });
  });

  it("is not used up by an order that is refused", async () => {
    const client = korbit.account("refused");
    expect(refusal(await client.order({ clientOrderId: "two", qty: "1" }))[1]).toBe("NO_BALANCE");
    expect((await client.order({ clientOrderId: "two" })).status).toBe(200);
  });

  it("is never free again where its order was filled", async () => {
    const client = korbit.account("filled");
    await maker.order({ side: "sell", price: "95000000", qty: "0.01" });
    const { orderId } = (await client.order({ price: "95000000", qty: "0.01", clientOrderId: "three" })).json.data;
    korbit.venue.clock.now += 30 * DAY_MS;
    expect((await client.find({ clientOrderId: "three" })).json.data).toMatchObject({ orderId, status: "filled" });
    expect(refusal(await client.order({ clientOrderId: "three" }))[1]).toBe("DUPLICATE_CLIENT_ORDER_ID");
  });
});

describe("a cancellation", () => {
  it("is taken, and carried out later; meanwhile another one is to be tried again", async () => {
    const client = korbit.account("cancels");
    const { orderId } = (await client.order({ clientOrderId: "c" })).json.data;
    await korbit.admin.must("POST", "/faults", {
      kind: "late_execution",
      method: "DELETE",
      path: "/v2/orders",
      ms: 50_000,
    });
    expect((await client.cancel({ clientOrderId: "c" })).json).toEqual({ success: true });
    expect(await state(client, orderId)).toBe("open");
    expect(refusal(await client.cancel({ clientOrderId: "c" }))).toEqual([400, "TRY_AGAIN"]);
  });

  it("finds nothing in another market, of another account, or by both ids", async () => {
    const client = korbit.account("strays");
    const orderId = String((await client.order({ clientOrderId: "s" })).json.data.orderId);
    expect(refusal(await client.cancel({ symbol: "eth_krw", orderId }))).toEqual([400, "ORDER_NOT_FOUND"]);
    expect(refusal(await maker.cancel({ orderId }))).toEqual([400, "ORDER_NOT_FOUND"]);
    expect(refusal(await client.cancel({ orderId, clientOrderId: "s" }))).toEqual([400, "BAD_REQUEST"]);
    expect(refusal(await client.cancel({}))).toEqual([400, "BAD_REQUEST"]);
  });
});

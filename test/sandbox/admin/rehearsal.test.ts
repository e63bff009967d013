/** What a caller meets rarely and can rehearse: a KYC level too low, a settlement that takes a while, a service that times out. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { TradingApiClient } from "../../../src/venues/index.ts";
import { AliasClient } from "../alias/alias-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";
import { TradingCaller } from "../trading/trading-caller.ts";
import { AdminClient } from "./admin-client.ts";

let venue: Venue;
let admin: AdminClient;
let trading: TradingCaller;
beforeEach(async () => {
  venue = await openVenue({ admin: {} });
  admin = new AdminClient(venue.sandbox.admin ?? { url: "", token: "" });
  trading = new TradingCaller(venue.sandbox.baseUrl, venue.paper.credentials);
});
afterEach(async () => {
  await venue.sandbox.close();
  expect(venue.defects).toEqual([]);
});

const compliance = (kycLevel: string, settlementMode = "STANDARD_KRW") => ({
  vasp_purpose_code: "P2B_TRADE",
  originator_vasp_id: "VASP-KR-1",
  kyc_level: kycLevel,
  settlement_mode: settlementMode,
});
const sell = { symbol: "BTC/KRW", side: "sell", type: "limit", volume: "0.01", price: "90000000" };

it("KYC level too low: an order over ₩10,000,000 that states TIER1", async () => {
  const over = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.2", price: "90000000" };
  const onOpen = await venue.paper.post("/v1/orders", { ...over, compliance: compliance("TIER1") });
  expect([onOpen.status, onOpen.json.error.code]).toEqual([422, "ECompliance:KYC level too low"]);
  const form = { pair: "BTC/KRW", type: "buy", ordertype: "limit", volume: "0.2", price: "90000000" };
  const onTrading = await trading.post("AddOrder", { ...form, ...compliance("TIER1") });
  expect(onTrading.json.error).toEqual(["ECompliance:KYC level too low"]);
});

it("a settlement that is pending until the next day: on the order, its fills and the balance, on every family", async () => {
  expect((await venue.maker.post("/v1/orders", sell)).status).toBe(201);
  const bought = await venue.paper.post("/v1/orders", { ...sell, side: "buy", compliance: compliance("TIER1") });
  expect(bought.json.settlement).toMatchObject({ mode: "STANDARD_KRW", state: "pending" });
  const path = `/v1/orders/BTCKRW/${bought.json.uuid}`;
  const shown = async () => {
    const [order, fills, accounts] = [
      await venue.paper.get(path),
      await venue.paper.get("/v1/trades/history"),
      await venue.paper.get("/v1/accounts"),
    ];
    const { BTC } = (await trading.post("BalanceEx")).json.result;
    const rows = Object.values<{ settlement: object }>((await trading.post("TradesHistory")).json.result.trades);
    const { result } = (await trading.post("QueryOrders", { txid: bought.json.uuid })).json;
    const coins = accounts.json.balances.find(({ asset }: { asset: string }) => asset === "BTC");
    return {
      order: [
        order.json.settlement.state,
        order.json.trades[0].settlement.state,
        result[bought.json.uuid].settlement.state,
      ],
      fills: [fills.json.trades[0].settlement.state, ...rows.map(({ settlement }) => settlement)],
      balance: [coins.available, coins.unsettled, BTC.balance, BTC.unsettled],
    };
  };
  expect(await shown()).toEqual({
    order: ["pending", "pending", "pending"],
    fills: ["pending", { state: "pending" }],
    balance: ["0.01", "0.01", "0.01", "0.01"],
  });
  // The other side settles at once.
  const sold = (await venue.maker.get("/v1/orders?state=all")).json.orders[0];
  expect(sold.settlement).toMatchObject({ mode: "INSTANT_KRW", state: "settled" });
  await admin.must("POST", "/clock", { advance_ms: 86_400_000 });
  expect(await shown()).toEqual({
    order: ["settled", "settled", "settled"],
    fills: ["settled", { state: "settled" }],
    balance: ["0.01", "0", "0.01", "0"],
  });
});

it("a settlement that fails, and an order that has nothing to settle", async () => {
  await venue.maker.post("/v1/orders", sell);
  const bought = await venue.paper.post("/v1/orders", { ...sell, side: "buy", compliance: compliance("TIER1") });
  const resting = await venue.paper.order();
  expect(resting.json.settlement.state).toBeNull();
  await admin.must("POST", `/accounts/${venue.sandbox.accountId}/krw-link`, { linked: false });
  await admin.must("POST", "/clock", { advance_ms: 86_400_000 });
  const { json } = await venue.paper.get(`/v1/orders/BTCKRW/${bought.json.uuid}`);
  expect(json.settlement.state).toBe("failed");
});

it("a service that times out: 504 and EService:Timeout, on every family, and the client knows it for what it is", async () => {
  await admin.must("POST", "/faults", { kind: "error", status: 504, path: "*", count: 4 });
  const onOpen = await venue.paper.get("/v1/accounts");
  expect([onOpen.status, onOpen.json.error.code]).toEqual([504, "EService:Timeout"]);
  const onTrading = await trading.post("Balance");
  expect([onTrading.status, onTrading.json.error]).toEqual([504, ["EService:Timeout"]]);
  const { baseUrl, credentials } = venue.paper;
  const onAlias = await new AliasClient(baseUrl, credentials, venue.clock).get("account");
  expect([onAlias.status, onAlias.json.code]).toEqual([504, -1007]);
  const client = new TradingApiClient({ environment: "sandbox", baseUrl, credentials });
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price: "90000000" } as const;
  await client.time();
  await admin.must("POST", "/faults", { kind: "error", status: 504, path: "/0/private/AddOrder", applied: true });
  const placed = await client.submit({
    ...order,
    compliance: { ...compliance("TIER1"), settlement_mode: "INSTANT_KRW", kyc_level: "TIER1" },
  });
  await client.close();
  expect(placed).toMatchObject({ ok: false, fault: { code: "EService:Timeout", reachedVenue: "unknown" } });
});

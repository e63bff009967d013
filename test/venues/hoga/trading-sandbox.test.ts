/**
 * Both clients read one account of one sandbox, and show the same.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CreateOrderBody,
  createOrderBody,
  type OrderPage,
  order,
  type Result,
} from "../../../src/contract/index.ts";
import type { Venue } from "../../../src/desk/index.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { ONE } from "../../../src/sandbox/model/index.ts";
import { OpenApiClient, TradingApiClient } from "../../../src/venues/index.ts";

const START = Date.UTC(2026, 6, 20, 9);
const compliance = {
  vasp_purpose_code: "P2B_TRADE",
  originator_vasp_id: "VASP-KR-1",
  kyc_level: "TIER2",
  settlement_mode: "INSTANT_KRW",
} as const;

const clock = { now: START };
let sandbox: Sandbox;
let open: OpenApiClient;
let trading: TradingApiClient;
/** Ids of an order of each kind, oldest first. */
const ids: Record<"filled" | "canceled" | "expired" | "amount" | "partial" | "open" | "eth", string> = {
  filled: "",
  canceled: "",
  expired: "",
  amount: "",
  partial: "",
  open: "",
  eth: "",
};

function valueIn<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.fault));
  return result.value;
}

async function place(fields: Partial<CreateOrderBody>): Promise<string> {
  const limit = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price: "90000000", compliance };
  clock.now += 1_000;
  return valueIn(await trading.submit(createOrderBody.parse({ ...limit, ...fields }))).orderId;
}

beforeAll(async () => {
  const limits = { callsPerSecond: 10_000, weightPerMinute: { starter: 1e6, pro: 1e6, enterprise: 1e6 } };
  sandbox = await startSandbox({ marketMaker: false, now: () => clock.now, limits });
  const options = {
    environment: "sandbox",
    baseUrl: sandbox.baseUrl,
    credentials: { apiKey: sandbox.apiKey, apiSecret: sandbox.apiSecret },
  } as const;
  const { apiKey, ...key } = { ...options.credentials, apiKey: "second-key" };
  const { exchange, accountId } = sandbox;
  const rights = {
    permissions: ["query", "trade"],
    tier: "pro",
    ipAllowList: [],
    rejectDuplicateUserref: false,
  } as const;
  exchange.apply({ type: "createKey", key: { keyId: apiKey, secret: key.apiSecret, accountId, ...rights } }, START);
  open = new OpenApiClient(options);
  // A key of its own: two clients with separate nonces would make each other's refused.
  trading = new TradingApiClient({ ...options, credentials: { apiKey, ...key } });
  exchange.apply({ type: "createAccount", accountId: "maker", krwAccountLinked: true }, START);
  exchange.apply({ type: "deposit", accountId: "maker", asset: "BTC", amount: 10n * ONE }, START);
  const ask = (volume: bigint, price: bigint, orderId: string) =>
    exchange.apply(
      {
        type: "place",
        accountId: "maker",
        keyId: null,
        orderId,
        symbol: "BTC/KRW",
        side: "sell",
        orderType: "limit",
        price: price * ONE,
        volume,
        amount: null,
        timeInForce: "GTC",
        postOnly: false,
        userref: null,
        settlementMode: "INSTANT_KRW",
      },
      clock.now,
    );
  ask(ONE / 100n, 100_000_000n, "ask-1");
  ids.filled = await place({ price: "100000000", userref: "desk-1" });
  ids.canceled = await place({ userref: "desk-2", post_only: true });
  valueIn(await trading.cancel("BTC/KRW", ids.canceled));
  ids.expired = await place({ time_in_force: "FOK" });
  ids.amount = await place({ type: "market", amount: "50000", volume: undefined, price: undefined });
  ask(ONE / 2000n, 99_000_000n, "ask-2");
  ids.partial = await place({ price: "99000000", userref: "desk-1" });
  ids.open = await place({});
  ids.eth = await place({ symbol: "ETH/KRW", volume: "0.01", price: "3000000" });
  clock.now += 60_000;
});
afterAll(async () => {
  await Promise.all([open.close(), trading.close()]);
  await sandbox.close();
});

/** The answer of both clients, which must be the same. Each describes an order by amount in its own API's words. */
async function both<T>(ask: (client: OpenApiClient | TradingApiClient) => Promise<Result<T>>): Promise<T> {
  const [one, other] = [valueIn(await ask(open)), valueIn(await ask(trading))];
  const words = ["buy 50000.00000000 BTC/KRW @ market (volume in KRW)", "buy BTC/KRW for 50000 KRW @ market"] as const;
  expect(JSON.parse(JSON.stringify(other).replaceAll(...words))).toEqual(one);
  return one;
}

it("the client has the shape of the desk's venue", () => {
  const venue: Venue = trading;
  expect([venue.environment, venue.card.absence, venue.needsCompliance]).toEqual(["sandbox", { by: "nonce" }, true]);
});

describe("the clients of both APIs show the same", () => {
  it("clock and markets", async () => {
    expect((await both((client) => client.time())).unix_ms).toBe(clock.now);
    expect(await both((client) => client.markets())).toHaveLength(12);
  });

  it("tickers, books, trades and candles", async () => {
    expect(await both((client) => client.tickers(["BTC/KRW", "ETH/KRW"]))).toHaveLength(2);
    await both((client) => client.tickers());
    expect((await both((client) => client.orderbook("BTCKRW", 5))).tick.buys.length).toBeGreaterThan(0);
    expect(await both((client) => client.trades("BTC/KRW", 2))).toHaveLength(2);
    for (const interval of ["1m", "5m", "15m", "1h", "4h", "1d"] as const)
      await both((client) => client.candles("BTC/KRW", interval, { fromMs: START, toMs: clock.now }));
    const last = await both((client) =>
      client.candles("BTC/KRW", "1m", { fromMs: START - 3_600_000, toMs: START + 59_999 }),
    );
    expect(last).toHaveLength(1);
  });

  it("balances of the same account", async () => {
    const { account_id, balances } = await both((client) => client.accounts());
    expect([account_id, balances.map(({ asset }) => asset)]).toEqual([sandbox.accountId, ["KRW", "BTC"]]);
  });

  it("every kind of order, whole and with its trades", async () => {
    for (const [kind, id] of Object.entries(ids)) {
      const shown = await both((client) => client.order(kind === "eth" ? "ETH/KRW" : "BTC/KRW", id));
      expect(order.strict().parse(shown)).toEqual(shown);
    }
    expect((await both((client) => client.order("BTC/KRW", ids.partial))).trades).toHaveLength(1);
  });

  it.each(["open", "closed", "all", "filled", "canceled", "expired", "rejected"] as const)(
    "orders that are %s, all of them, by market, by userref and by period",
    async (state) => {
      const { orders } = await both((client) => client.orders({ state }));
      expect(orders.length > 0).toBe(state !== "rejected");
      await both((client) => client.orders({ state, symbol: "BTC/KRW" }));
      await both((client) => client.orders({ state, userref: "desk-1" }));
      await both((client) => client.orders({ state, userref: "desk-1", fromMs: START + 2_000 }));
      await both((client) => client.orders({ state, fromMs: START + 3_000, toMs: START + 6_000 }));
      await both((client) => client.orders({ state, fromMs: 0, toMs: START + 3_000 }));
    },
  );

  it.each(["open", "closed", "all"] as const)("orders that are %s page by page", async (state) => {
    const pages = async (client: OpenApiClient | TradingApiClient, limit: number): Promise<string[][]> => {
      const found: string[][] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: OrderPage = valueIn(await client.orders({ state, limit, ...(cursor === "" ? {} : { cursor }) }));
        found.push(page.orders.map(({ orderId }) => orderId));
        cursor = page.next_cursor;
      }
      return found;
    };
    for (const limit of [1, 2, 3, 500]) expect(await pages(trading, limit)).toEqual(await pages(open, limit));
  });

  it("fills, all of them, by market, by period and page by page", async () => {
    expect((await both((client) => client.fills())).trades).toHaveLength(3);
    await both((client) => client.fills({ symbol: "BTC/KRW" }));
    await both((client) => client.fills({ symbol: "ETH/KRW" }));
    await both((client) => client.fills({ fromMs: START + 2_000, toMs: START + 4_000 }));
    const { next_cursor: cursor } = await both((client) => client.fills({ limit: 2 }));
    expect((await both((client) => client.fills({ limit: 2, cursor: cursor ?? "" }))).trades).toHaveLength(1);
  });

  it("refusals", async () => {
    const codes = async (ask: (client: OpenApiClient | TradingApiClient) => Promise<Result<unknown>>) => {
      const answers = [await ask(open), await ask(trading)];
      return answers.map((answer) => (answer.ok ? "" : answer.fault.code));
    };
    const unknown = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77";
    const twice = (code: string) => [code, code];
    expect(await codes((client) => client.orderbook("NOPE"))).toEqual(twice("EQuery:Unknown asset pair"));
    expect(await codes((client) => client.order("BTC/KRW", unknown))).toEqual(twice("EOrder:Unknown order"));
    expect(await codes((client) => client.order("ETH/KRW", ids.open))).toEqual(twice("EOrder:Unknown order"));
    expect(await codes((client) => client.cancel("BTC/KRW", ids.canceled))).toEqual(
      twice("EOrder:Order already closed"),
    );
    expect(await codes((client) => client.orderbook("BTC/KRW", 501))).toEqual(twice("ELocal:Invalid input"));
  });
});

describe("the Trading client", () => {
  it("queries every operation that changes nothing", async () => {
    expect(valueIn(await trading.query("SystemStatus")).status).toBe("online");
    expect(valueIn(await trading.query("Assets", { asset: "XBT" }))).toHaveProperty("BTC");
    expect(valueIn(await trading.query("Spread", { pair: "BTCKRW" })).last).toBeGreaterThan(0);
    expect(valueIn(await trading.query("Balance"))).toHaveProperty("KRW");
    expect(valueIn(await trading.streamToken()).token).not.toBe("");
  });

  it("checks without placing, sets the timer, and cancels all of a market, then all", async () => {
    const limit = {
      symbol: "BTC/KRW",
      side: "buy",
      type: "limit",
      volume: "0.001",
      price: "80000000",
      compliance,
    } as const;
    expect(valueIn(await trading.validateOrder(limit)).descr.order).toBe("buy 0.00100000 BTC/KRW @ limit 80000000");
    expect(valueIn(await trading.setCancelTimer(60))).toEqual({ fires_at: new Date(clock.now + 60_000).toISOString() });
    expect(valueIn(await trading.setCancelTimer(0))).toEqual({ fires_at: null });
    expect(valueIn(await trading.cancelAll("ETH/KRW"))).toEqual({ requested: [ids.eth], failed: [] });
    const { requested } = valueIn(await trading.cancelAll());
    expect(requested.toSorted()).toEqual([ids.partial, ids.open].toSorted());
  });
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { Desk } from "../../../src/desk/index.ts";
import type {
  ApprovalView,
  ConsoleApprovals,
  ConsoleAudit,
  ConsoleBook,
  ConsoleCandles,
  ConsoleFailure,
  ConsoleFills,
  ConsoleMarkets,
  ConsoleOpenOrders,
  ConsoleOrder,
  ConsoleOrders,
  ConsolePolicy,
  ConsolePortfolio,
  ConsoleSession,
  ConsoleTrades,
} from "../../../src/serve/console/console-api.ts";
import { wordsFor } from "../../../src/words/index.ts";
import { eventually } from "../../fixture/command.ts";
import { type ExchangeFixture, startExchange } from "../../fixture/exchange.ts";
import { TOKEN } from "../../fixture/http-address.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { Browser, PIN, startConsole } from "./console-server.ts";

let exchange: ExchangeFixture;
let orderId: string;

const WAITING = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.01", price: "90000000" } as const;

beforeAll(async () => {
  exchange = await startExchange({ marketMaker: true, stream: true });
  const { desk, policy } = exchange;
  await desk.place({ symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "100000" });
  const open = { symbol: "ETH/KRW", side: "buy", type: "limit", base_volume: "0.01", price: "1000000" } as const;
  orderId = (await desk.place({ ...open, userref: "open-1" })).order?.orderId ?? "";
  policy.value = ok({ ...LOOSE, approvalOver: inUnit("200000") });
  await desk.place({ ...WAITING, userref: "waits-1" });
});
afterAll(() => exchange.close());

async function open(parts: Parameters<typeof startConsole>[1] = {}): Promise<Browser> {
  const { http, store } = await startConsole(exchange, parts);
  await store.pin.set(PIN, Date.now());
  return Browser.open(http.pageLink());
}

it("shows what the desk knows, each view by its path, and no secret in any of them", async () => {
  const browser = await open();
  const said: string[] = [];
  const view = async <View>(path: string): Promise<View> => {
    const { status, text } = await browser.get(path);
    expect([path, status]).toEqual([path, 200]);
    said.push(text);
    return JSON.parse(text) as View;
  };
  expect(await view<ConsoleSession>("session")).toMatchObject({
    ...{ csrf: browser.csrf, environment: "sandbox", is_practice: true, profile: "paper", account: "paper" },
    ...{ locale: "en", timezone: "UTC", pin_set: true, passkeys: [], passkey_origin: null },
    exchange: { name: "hoga", title: { en: "hoga", ko: "hoga" } },
    mcp_url: browser.origin.replace("localhost", "127.0.0.1").concat("/mcp"),
  });
  const { markets, tickers } = await view<ConsoleMarkets>("markets");
  expect(new Set(tickers.map(({ symbol }) => symbol))).toEqual(new Set(markets.map(({ symbol }) => symbol)));
  expect((await view<ConsoleBook>("book?symbol=BTC/KRW")).tick.asks.length).toBeGreaterThan(5);
  const { trades } = await view<ConsoleTrades>("trades?symbol=btckrw");
  expect(trades.map(({ time }) => time)).toEqual(
    trades
      .map(({ time }) => time)
      .toSorted()
      .reverse(),
  );
  expect((await view<ConsoleCandles>("candles?symbol=BTC/KRW&interval=1h")).candles.length).toBeGreaterThan(0);
  const portfolio = await view<ConsolePortfolio>("portfolio?period=30d");
  expect(portfolio.assets.map(({ asset }) => asset)).toContain("BTC");
  expect(portfolio.equity?.length).toBeGreaterThan(0);
  const orders = await view<ConsoleOpenOrders>("orders?state=open");
  expect(orders.orders.map((order) => order.orderId)).toEqual([orderId]);
  expect(orders.waiting).toMatchObject([{ userref: "waits-1" }]);
  expect((await view<ConsoleOrders>("orders?state=closed")).orders).toHaveLength(1);
  expect(await view<ConsoleOrder>(`order?order_id=${orderId}`)).toMatchObject({ state: "open", userref: "open-1" });
  expect(await view<ConsoleOrder>("order?userref=waits-1")).toMatchObject({ state: "awaiting_approval" });
  expect((await view<ConsoleFills>("fills?symbol=BTC/KRW")).trades.length).toBeGreaterThan(0);
  expect(await view<ConsolePolicy>("policy")).toMatchObject({ approval_over_krw: "200000" });
  expect(await view("status")).toMatchObject({ venue: "up", can_trade: true, waiting: [{ userref: "waits-1" }] });
  expect(await view("assistants")).toEqual({ connected: [], calls: [] });
  const audit = await view<ConsoleAudit>("audit?limit=3&userref=open-1");
  expect(audit.entries.map(({ userref }) => userref)).toContain("open-1");
  const all = said.join("\n");
  for (const secret of [
    exchange.sandbox.apiKey,
    exchange.sandbox.apiSecret,
    TOKEN.reveal(),
    PIN,
    browser.cookie.split("=")[1] ?? "",
  ])
    expect(all).not.toContain(secret);
});

it("says who is signed in to which account without waiting for the exchange", async () => {
  const stuck = () => new Promise<never>(() => undefined);
  const browser = await open({ parts: { desk: { ...exchange.desk, status: stuck, balances: stuck } } });
  expect(await browser.view<ConsoleSession>("session")).toMatchObject({ account: "paper", pin_set: true });
});

it("shows what waits for a person with its question, and what it would do now", async () => {
  const browser = await open({ parts: { words: wordsFor({ locale: "ko", timeZone: "Asia/Seoul" }) } });
  const { waiting } = await browser.view<ConsoleApprovals>("approvals");
  expect(waiting).toMatchObject([
    { kind: "order", value: "900000", order: { userref: "waits-1", order: { price: "90000000" } } },
  ]);
  const { question, now, summary, why } = waiting[0] as ApprovalView;
  // The browser says it in its own language, which need not be the server's.
  expect(why).toBe("the order counts for ₩900,000, more than approval_over_krw ₩200,000");
  expect(question).toContain("900,000");
  expect(question).toMatch(/매수/);
  expect(question).toContain(`지금 시세: ${wordsFor({ locale: "ko", timeZone: "Asia/Seoul" }).won(now?.price ?? "")}`);
  expect(summary).toMatch(/BTC/);
  expect(now).toMatchObject({ worst_case_asset: "KRW", fee_currency: "KRW", expected_avg_price: null });
  expect(Number(now?.worst_case)).toBeGreaterThan(900_000);
  expect(now?.drift_pct).toMatch(/^-?\d+(\.\d+)?$/);
});

it("says in the reader's language what is wrong", async () => {
  const browser = await open({ parts: { words: wordsFor({ locale: "ko", timeZone: "Asia/Seoul" }) } });
  const answer = await browser.get("book?symbol=NOPE/KRW");
  expect(answer.status).toBe(400);
  expect((answer.json as ConsoleFailure).error).toMatchObject({ code: "ELocal:Unknown market" });
  expect((answer.json as ConsoleFailure).error.message).toMatch(/마켓/);
});

it("tells whether the log's chain holds, by a check that nobody waits for", async () => {
  const checks: ((verdict: { ok: false; seq: number; what: string }) => void)[] = [];
  const browser = await open({ parts: { checkChain: () => new Promise((resolve) => checks.push(resolve)) } });
  const chain = async () => (await browser.view<ConsoleAudit>("audit")).chain;
  expect([await chain(), await chain(), checks.length]).toEqual([null, null, 1]);
  checks[0]?.({ ok: false, seq: 7, what: "changed" });
  const shown = await eventually(async () => (await chain()) ?? undefined);
  expect(shown).toMatchObject({ holds: false, message: expect.stringContaining("Entry 7: changed") });
  expect(checks).toHaveLength(1);
});

it("asks the desk once per period, however many pages ask", async () => {
  let nowMs = 0;
  const asked: string[] = [];
  const watched = new Proxy(exchange.desk, {
    get: (desk, name: keyof Desk) => {
      const value = desk[name];
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]) => {
        asked.push(name);
        return (value as (...all: readonly unknown[]) => unknown)(...args);
      };
    },
  });
  const browser = await open({ now: () => nowMs, parts: { desk: watched } });
  asked.length = 0;
  const load = () => Promise.all(Array.from({ length: 20 }, () => browser.view("orders?state=open")));
  const first = await load();
  expect(new Set(first.map((view) => JSON.stringify(view))).size).toBe(1);
  nowMs = 900;
  await load();
  expect(asked).toEqual(["openOrders"]);
  nowMs = 1_100;
  await load();
  expect(asked).toEqual(["openOrders", "openOrders"]);
});

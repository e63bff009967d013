import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { Desk, StreamListener } from "../../../src/desk/index.ts";
import { eventually } from "../../fixture/command.ts";
import { type ExchangeFixture, startExchange } from "../../fixture/exchange.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { Browser, startConsole } from "./console-server.ts";
import { Listener } from "./event-client.ts";

let exchange: ExchangeFixture;

beforeAll(async () => {
  exchange = await startExchange({ stream: true });
});
afterAll(() => exchange.close());
beforeEach(() => {
  exchange.policy.value = ok(LOOSE);
});

async function open(desk: Desk = exchange.desk): Promise<Browser> {
  const { http } = await startConsole({ desk });
  return Browser.open(http.pageLink());
}

function listen(...given: ConstructorParameters<typeof Listener>): Listener {
  const listener = new Listener(...given);
  onTestFinished(() => listener.close());
  return listener;
}

const limit = (price: string) =>
  ({ symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.01", price }) as const;

it("tells every page of what others do: an order, a question, a halt, a policy", async () => {
  const { desk, policy } = exchange;
  const browser = await open();
  const pages = [listen(browser, "?symbol=BTC/KRW"), listen(browser)];
  for (const page of pages) {
    expect(await page.next("status")).toMatchObject({ venue: "up" });
    await page.next("orders", ({ orders }) => orders.length === 0);
    await page.next("tickers", (tickers) => tickers.length > 0);
  }
  await pages[0]?.next("book", ({ symbol }) => symbol === "BTC/KRW");
  await pages[0]?.next("trades");
  const { order } = await desk.place(limit("90000000"));
  for (const page of pages) await page.next("orders", ({ orders }) => orders.length === 1);
  await pages[0]?.next("book", ({ best_bid }) => best_bid === "90000000");
  await eventually(() => pages[0]?.changed.has("portfolio") || undefined);

  policy.value = ok({ ...LOOSE, approvalOver: inUnit("1000") });
  const { intent_id = "" } = await desk.place({ ...limit("91000000"), userref: "asked" });
  const askedAtMs = performance.now();
  for (const page of pages) {
    await page.next("approvals", ({ waiting }) => waiting.length === 1);
    expect((page.of("approvals").at(-1)?.atMs ?? 0) - askedAtMs).toBeLessThan(2_000);
    await page.next("status", ({ waiting }) => waiting.length === 1);
    await eventually(() => (page.changed.has("policy") && page.changed.has("audit")) || undefined);
  }
  await desk.deny(intent_id);
  for (const page of pages) await page.next("approvals", ({ waiting }) => waiting.length === 0);
  await desk.halt("enough", "test");
  for (const page of pages) {
    await page.next("status", ({ brake }) => brake?.reason === "enough");
    await page.next("orders", ({ orders }) => orders.length === 0);
  }
  await desk.resume("test");
  for (const page of pages) await page.next("status", ({ brake }) => brake === undefined);
  expect(order).toBeDefined();
  // Nothing of a market is told to a page that does not look at it.
  expect([pages[1]?.of("book"), pages[1]?.of("trades")]).toEqual([[], []]);
});

it("tells of a halt by another process within a second or so, also where the exchange lets everybody wait", async () => {
  let isStuck = false;
  const status: Desk["status"] = () => (isStuck ? new Promise(() => undefined) : exchange.desk.status());
  const page = listen(await open({ ...exchange.desk, status }));
  await page.next("status", ({ can_trade }) => can_trade);
  isStuck = true;
  await exchange.desk.halt("elsewhere", "test");
  const haltedAtMs = performance.now();
  const told = await page.next("status", ({ brake }) => brake?.reason === "elsewhere");
  expect(told).toMatchObject({ can_trade: false, largest_buy: "0", venue: "up" });
  expect((page.of("status").at(-1)?.atMs ?? 0) - haltedAtMs).toBeLessThan(2_000);
  await exchange.desk.resume("test");
  expect(await page.next("status", ({ brake }) => brake === undefined)).toMatchObject({ can_trade: false });
});

it("goes on where a page has stopped, with the newest of what has changed since and nothing else", async () => {
  const { desk } = exchange;
  const browser = await open();
  const first = listen(browser);
  await first.next("status");
  await first.next("tickers");
  await first.next("orders", ({ orders }) => orders.length === 0);
  const ids = first.heard.map(({ id }) => Number(id.split("-")[1]));
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  first.close();
  const at = first.heard.at(-1)?.id ?? "";
  const placed = [await desk.place(limit("80000000")), await desk.place(limit("81000000"))];
  const later = listen(browser, "", at);
  await later.next("orders", ({ orders }) => orders.length === 2);
  await eventually(() => later.changed.has("fills") || undefined);
  expect(later.of("assistants")).toEqual([]);
  // Of another time, or none of ours: it is told everything.
  for (const id of ["0123-4", "nonsense", at.replace(/-.*/, "-999999")]) {
    const other = listen(browser, "", id);
    await other.next("tickers");
    await other.next("status");
    other.close();
  }
  for (const { order } of placed) await desk.cancel({ orderId: order?.orderId ?? "" });
});

/** A desk whose market moves as fast as the test lets it. */
function busyDesk(): { readonly desk: Desk; readonly move: () => void; readonly asked: () => number } {
  const listeners = new Set<StreamListener>();
  let [seq, asked] = [0, 0];
  const desk: Desk = {
    ...exchange.desk,
    watch: async (topic, onChange) => {
      if (topic.channel === "orderbook") listeners.add(onChange);
      return ok({ live: true, close: () => void listeners.delete(onChange) });
    },
    orderbook: async (...given) => {
      asked += 1;
      const book = await exchange.desk.orderbook(...given);
      return book.ok ? ok({ ...book.value, seq }) : book;
    },
  };
  const move = (): void => {
    seq += 1;
    for (const tell of listeners) tell();
  };
  return { desk, move, asked: () => asked };
}

it("tells a market that moves all the time twenty times a second, asked for once for all pages, and its last move", async () => {
  const { desk, move, asked } = busyDesk();
  const browser = await open(desk);
  const pages = [listen(browser, "?symbol=BTC/KRW"), listen(browser, "?symbol=BTC/KRW")];
  await Promise.all(pages.map((page) => page.next("book")));
  const before = { told: pages[0]?.of("book").length ?? 0, asked: asked() };
  const beganMs = performance.now();
  let moves = 0;
  while (performance.now() - beganMs < 1_000) {
    for (let n = 0; n < 20; n += 1) move();
    moves += 20;
    await sleep(1);
  }
  const most = (performance.now() - beganMs) / 50 + 2;
  const told = (pages[0]?.of("book").length ?? 0) - before.told;
  expect(told).toBeGreaterThan(2);
  expect(told).toBeLessThanOrEqual(most);
  expect(asked() - before.asked).toBeLessThanOrEqual(most);
  for (const page of pages) await page.next("book", ({ seq }) => seq === moves);
});

it("takes eight windows of a browser, and asks nothing where nobody listens", async () => {
  const browser = await open();
  const windows = Array.from({ length: 8 }, () => listen(browser));
  await Promise.all(windows.map((window) => window.next("status")));
  expect((await browser.get("events")).status).toBe(429);
  windows[0]?.close();
  await eventually(async () => {
    const another = listen(browser);
    await eventually(() => another.status || undefined);
    return another.status === 200 || undefined;
  });
  expect((await browser.get("events?symbol=NOPE/KRW")).status).toBe(400);
});

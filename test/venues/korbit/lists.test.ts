import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { detail, good, refuse, reply, world } from "./scripted.ts";

let here: Awaited<ReturnType<typeof world>>;
beforeEach(async () => {
  here = await world();
});
afterEach(() => here.close());

const NAMES = ["btc_krw", "eth_krw", "xrp_krw", "sol_krw", "doge_krw"];
const open = (orderId: number, more = {}) => ({
  ...{ ...detail, orderId, clientOrderId: `c-${orderId}`, status: "open", filledQty: "0", filledAmt: "0" },
  ...{ createdAt: Date.now() - 60_000 + orderId, side: "sell", qty: "2", price: "1000" },
  ...more,
});

interface Account {
  readonly used?: Readonly<Record<string, string>>;
  /** By market. */
  readonly open?: Readonly<Record<string, readonly object[]>>;
  readonly all?: Readonly<Record<string, readonly object[]>>;
  readonly fills?: Readonly<Record<string, readonly object[]>>;
  /** When each market has traded last. */
  readonly traded?: Readonly<Record<string, number>>;
}

/** An exchange with five markets. */
function serve(account: Account): void {
  here.state.answer = (response, line) => {
    const query = new URLSearchParams(line.split("?")[1]);
    const market = query.get("symbol") ?? "";
    const answers: Readonly<Record<string, unknown>> = {
      currencyPairs: NAMES.map((symbol) => ({ symbol, status: "launched" })),
      balance: Object.entries(account.used ?? {}).map(([currency, tradeInUse]) => ({
        ...{ currency, available: "1", tradeInUse },
      })),
      tradingFeePolicy: NAMES.map((symbol) => ({ symbol, buyFeeCurrency: "krw", maxFeeRate: "0.002" })),
      tickers: NAMES.map((symbol) => ({ symbol, lastTradedAt: account.traded?.[symbol] ?? Date.now() })),
      openOrders: account.open?.[market] ?? [],
      allOrders: account.all?.[market] ?? [],
      myTrades: account.fills?.[market] ?? [],
    };
    const name = /\/v2\/(\w+)/.exec(line)?.[1] ?? "";
    good(answers[name])(response, line);
  };
}

const asked = (name: string): string[] =>
  here.lines.flatMap((line) => new RegExp(`/${name}\\?symbol=(\\w+)`).exec(line)?.[1] ?? []);

async function openIds(): Promise<string[]> {
  const page = await here.venue.orders({ state: "open" });
  if (!page.ok) throw new Error(page.fault.message);
  expect(page.value.next_cursor).toBeNull();
  return page.value.orders.map(({ orderId }) => orderId).toSorted();
}

describe("all open orders", () => {
  it("are found where nothing is in use without asking any market", async () => {
    serve({ used: { btc: "0", krw: "0" } });
    expect(await openIds()).toEqual([]);
    expect(asked("openOrders")).toEqual([]);
  });

  it("are found by the coins in use", async () => {
    serve({ used: { eth: "2", krw: "0" }, open: { eth_krw: [open(1)], xrp_krw: [open(9)] } });
    expect(await openIds()).toEqual(["1"]);
    expect(asked("openOrders")).toEqual(["eth_krw"]);
  });

  it("are found in every market where the won in use are not explained", async () => {
    const buy = open(2, { side: "buy", symbol: "sol_krw" });
    serve({ used: { krw: "2004" }, open: { sol_krw: [buy] } });
    expect(await openIds()).toEqual(["2"]);
    expect(asked("openOrders").toSorted()).toEqual(NAMES.toSorted());
    // From then on this market is asked first, and what it holds with its fee is all that is in use.
    here.lines.length = 0;
    expect(await openIds()).toEqual(["2"]);
    expect(asked("openOrders")).toEqual(["sol_krw"]);
    // A won more, and some other buy is somewhere.
    serve({ used: { krw: "2005" }, open: { sol_krw: [buy], xrp_krw: [open(3, { side: "buy", symbol: "xrp_krw" })] } });
    here.lines.length = 0;
    expect(await openIds()).toEqual(["2", "3"]);
    expect(asked("openOrders").toSorted()).toEqual(NAMES.toSorted());
  });

  it("are explained by what was in use before and after alone: what went meanwhile explains nothing", async () => {
    serve({ used: { eth: "2" }, open: { eth_krw: [open(1)] } });
    let reads = 0;
    const answer = here.state.answer;
    here.state.answer = (response, line) => {
      if (!line.includes("/balance")) return answer(response, line);
      reads += 1;
      const used = reads === 1 ? [{ currency: "eth", available: "0", tradeInUse: "2" }] : [];
      good([...used, { currency: "krw", available: "0", tradeInUse: reads === 1 ? "0" : "5000" }])(response, line);
    };
    expect(await openIds()).toEqual(["1"]);
    expect(asked("openOrders").toSorted()).toEqual(NAMES.toSorted());
  });

  it("are an error that says how far it came where a market cannot be asked", async () => {
    serve({ used: { krw: "5000" } });
    const answer = here.state.answer;
    here.state.answer = (response, line) =>
      line.includes("openOrders?symbol=xrp")
        ? refuse("INVALID_USER_STATUS", 403)(response, line)
        : answer(response, line);
    const page = await here.venue.orders({ state: "open" });
    expect(page).toMatchObject({
      ok: false,
      fault: { message: expect.stringContaining("4 of 5 markets were looked") },
    });
    expect((await here.venue.orders({ state: "open", symbol: "SOL/KRW" })).ok).toBe(true);
  });
});

describe("ended orders", () => {
  it("are those of the last 36 hours of all markets, newest first, page by page", async () => {
    const ended = (orderId: number, ageMs: number, symbol: string) =>
      open(orderId, { status: "canceled", createdAt: Date.now() - ageMs, symbol });
    serve({
      all: {
        btc_krw: [ended(1, 10_000, "btc_krw"), open(7, { symbol: "btc_krw" })],
        eth_krw: [ended(2, 5_000, "eth_krw"), ended(3, 20_000, "eth_krw")],
      },
    });
    const pages: string[][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await here.venue.orders({ state: "closed", limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      if (!page.ok) throw new Error(page.fault.code);
      pages.push(page.value.orders.map(({ orderId }) => orderId));
      cursor = page.value.next_cursor;
    }
    expect(pages).toEqual([["2", "1"], ["3"]]);
    const [line = ""] = here.lines.filter((each) => each.includes("allOrders"));
    const ageMs = Date.now() - Number(/startTime=(\d+)/.exec(line)?.[1]);
    expect(ageMs).toBeGreaterThan(35.9 * 3_600_000);
    expect(ageMs).toBeLessThan(36 * 3_600_000);
    expect(await here.venue.orders({ state: "closed", cursor: "x" })).toMatchObject({ fault: { field: "cursor" } });
  });

  it("are looked for where orders were open first, where it is urgent", async () => {
    serve({ open: { eth_krw: [open(2)] }, all: { eth_krw: [open(2, { status: "canceled" })] } });
    await here.venue.orders({ state: "open", symbol: "ETH/KRW" });
    const page = await here.venue.orders({ state: "closed" }, { urgent: true });
    expect(page).toMatchObject({ value: { orders: [{ orderId: "2" }], next_cursor: "a" } });
    expect(asked("allOrders")).toEqual(["eth_krw"]);
    const rest = await here.venue.orders({ state: "closed", cursor: "a" }, { urgent: true });
    expect(rest).toMatchObject({ value: { next_cursor: null } });
    expect(asked("allOrders")).toHaveLength(6);
  });

  it("are read on where a list is full", async () => {
    const at = (ms: number) => open(ms, { orderId: ms, status: "canceled", createdAt: Date.now() - 1_000_000 + ms });
    const all = Array.from({ length: 1_500 }, (_, ms) => at(1_500 - ms));
    here.state.answer = (response, line) => {
      const end = Number(/endTime=(\d+)/.exec(line)?.[1]);
      good(all.filter(({ createdAt }) => createdAt < end).slice(0, 1_000))(response, line);
    };
    const page = await here.venue.orders({ state: "closed", symbol: "BTC/KRW", limit: 2_000 });
    expect(page.ok && page.value.orders.length).toBe(1_500);
    expect(here.lines).toHaveLength(2);
  });
});

describe("fills", () => {
  const fill = (tradeId: number, tradedAt: number, symbol: string) => ({
    ...{ symbol, tradeId, orderId: 9, side: "buy", price: "1000", qty: "1", amt: "1000", tradedAt, isTaker: false },
    ...{ feeCurrency: "krw", feeQty: "1" },
  });

  it("are of all markets that were traded in, newest first, and asked for again only where there was a trade since", async () => {
    const now = Date.now();
    const old = now - 3_600_000;
    serve({
      traded: { btc_krw: now, eth_krw: now - 10_000_000, xrp_krw: now - 200_000_000, sol_krw: 0, doge_krw: 0 },
      fills: { btc_krw: [fill(1, now - 5_000, "btc_krw")], eth_krw: [fill(1, old, "eth_krw")] },
    });
    const read = async (): Promise<string[]> => {
      const page = await here.venue.fills({ limit: 10 });
      if (!page.ok) throw new Error(page.fault.code);
      return page.value.trades.map(({ trade_id: id }) => id);
    };
    expect(await read()).toEqual(["btc_krw-1-9", "eth_krw-1-9"]);
    expect(asked("myTrades").toSorted()).toEqual(["btc_krw", "eth_krw"]);
    here.lines.length = 0;
    expect(await read()).toEqual(["btc_krw-1-9", "eth_krw-1-9"]);
    expect(asked("myTrades")).toEqual(["btc_krw"]);
    const page = await here.venue.fills({ limit: 1 });
    const next = page.ok ? page.value.next_cursor : null;
    expect(await here.venue.fills({ limit: 1, cursor: next ?? "" })).toMatchObject({
      value: { trades: [{ trade_id: "eth_krw-1-9" }], next_cursor: null },
    });
  });

  it("are an error where one market cannot be asked, never fewer", async () => {
    serve({});
    const answer = here.state.answer;
    here.state.answer = (response, line) =>
      line.includes("myTrades?symbol=sol") ? refuse("BAD_REQUEST")(response, line) : answer(response, line);
    expect((await here.venue.fills()).ok).toBe(false);
  });
});

describe("a cancel of all", () => {
  it("cancels each order of each market once, and again what was still being placed", async () => {
    serve({
      used: { eth: "2", xrp: "1", krw: "0" },
      open: { eth_krw: [open(1), open(2)], xrp_krw: [open(3, { symbol: "xrp_krw" })] },
    });
    const answer = here.state.answer;
    let tries = 0;
    here.state.answer = (response, line) => {
      if (!line.startsWith("DELETE")) return answer(response, line);
      if (line.includes("orderId=2")) return refuse("ORDER_ALREADY_FILLED")(response, line);
      if (line.includes("orderId=3") && tries++ === 0) return refuse("TRY_AGAIN")(response, line);
      return reply({ success: true })(response, line);
    };
    const done = await here.venue.cancelAll();
    expect(done).toMatchObject({ ok: true, value: { failed: [] } });
    expect(done.ok && done.value.requested.toSorted()).toEqual(["1", "2", "3"]);
    const canceled = here.lines.flatMap((line) => /^DELETE .*orderId=(\d)/.exec(line)?.[1] ?? []);
    expect(canceled.toSorted()).toEqual(["1", "2", "3", "3"]);
  });

  it("says which orders were refused, and of which nothing was heard", async () => {
    serve({ open: { eth_krw: [open(1), open(2)] } });
    const answer = here.state.answer;
    here.state.answer = (response, line) => {
      if (!line.startsWith("DELETE")) return answer(response, line);
      return (line.includes("orderId=1") ? refuse("X", 503) : reply({ success: true }))(response, line);
    };
    expect(await here.venue.cancelAll("ETH/KRW")).toMatchObject({
      value: { requested: ["2"], failed: [{ uuid: "1", error: "EService:Unavailable" }] },
    });
    expect(here.lines.filter((line) => line.includes("orderId=1"))).toHaveLength(1);
  });
});

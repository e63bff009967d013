/**
 * What a server would say at one moment, the same every time: for pictures, and for views that take a long life to come about. The
 * types are the contract's, so that it cannot say what no server does.
 */

import type {
  ConsoleAudit,
  ConsoleBook,
  ConsoleCandles,
  ConsoleEvents,
  ConsoleFills,
  ConsoleMarkets,
  ConsoleOpenOrders,
  ConsoleOrder,
  ConsoleOrders,
  ConsolePolicy,
  ConsolePortfolio,
  ConsoleSession,
} from "../../../src/serve/console/console-api.ts";
import { assetsOf } from "../../../web/console/figures.ts";
import { NOW, PLANS } from "./fixed-plans.ts";

export { NOW };

const stamp = { environment: "sandbox", account: "paper", unit: "KRW" } as const;
const ago = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString();

/** Noise that is the same every time, from -1 to 1. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return ((state / 2 ** 30) % 2) - 1;
  };
}

export const SESSION: ConsoleSession = {
  ...stamp,
  ...{ csrf: "csrf", version: "0.1.0", locale: "en", timezone: "Asia/Seoul", is_practice: true, profile: "paper" },
  ...{ approve_by: ["pin"], pin_set: true, passkey_origin: null },
  exchange: { name: "hoga", title: { en: "hoga", ko: "hoga" } },
  passkeys: [
    { id: "k1", name: "Desk key", created_at: ago(90_000), last_used_at: ago(600), proven: true },
    { id: "k2", name: "Phone", created_at: ago(4_000), last_used_at: null, proven: false },
  ],
  ...{ mcp_url: "http://127.0.0.1:8421/mcp", exchange_url: "http://127.0.0.1:8420" },
};

const LISTED: readonly (readonly [string, string, string, string, string])[] = [
  ["BTC/KRW", "비트코인", "Bitcoin", "148635000", "-0.0065"],
  ["ETH/KRW", "이더리움", "Ethereum", "5286000", "0.0171"],
  ["XRP/KRW", "엑스알피(리플)", "XRP(Ripple)", "3426", "0.0062"],
  ["SOL/KRW", "솔라나", "Solana", "242500", "0.0094"],
  ["DOGE/KRW", "도지코인", "Dogecoin", "287.2", "-0.0049"],
  ["ADA/KRW", "에이다", "Cardano", "972", "-0.0102"],
  ["LINK/KRW", "체인링크", "Chainlink", "27110", "0.0033"],
  ["SHIB/KRW", "시바이누", "Shiba Inu", "0.0167", "0.0133"],
];

export const MARKETS: ConsoleMarkets = {
  markets: LISTED.map(([symbol, korean_name, english_name]) => ({
    ...{ symbol, ...assetsOf(symbol), korean_name, english_name, status: "trading" },
    ...{ min_volume: "0.0001", min_notional: "5000", tick_size: "1000", tick_bands: [], price_decimals: 0 },
    ...{ volume_decimals: 8, maker_fee_rate: "0.0005", taker_fee_rate: "0.0005" },
  })),
  tickers: LISTED.map(([symbol, , , last, change_rate]) => ({
    ...{ symbol, last, open: last, high: "153225000", low: "146260000", volume: "23.2189065" },
    ...{ quote_volume: "3466136621.55", change: change_rate.startsWith("-") ? "-970000" : "970000", change_rate },
    ...{ best_bid: last, best_ask: last, time: ago(0) },
  })),
};

export function bookAt(seq: number): ConsoleBook {
  const next = noise(seq + 7);
  const level = (price: number): [string, string] => [String(price), (0.07 + next() * 0.05).toFixed(8)];
  const rows = Array.from({ length: 40 }, (_, index) => index);
  return {
    ...{ symbol: "BTC/KRW", seq, time: ago(0) },
    tick: {
      asks: rows.map((row) => level(148_650_000 + row * 15_000)),
      buys: rows.map((row) => level(148_635_000 - row * 15_000)),
    },
    ...{ best_bid: "148635000", best_ask: "148650000", mid: "148642500", spread: "15000" },
  };
}

export function candlesOf(interval: ConsoleCandles["interval"]): ConsoleCandles {
  const next = noise(3);
  let close = 148_635_000;
  // From the last one back, so that it ends at the price of now.
  const steps = Array.from({ length: 90 }, () => {
    const end = close;
    close = Math.round((end + next() * 210_000 - 12_000) / 5_000) * 5_000;
    return { open: close, close: end };
  });
  const candles = steps.reverse().map(({ open, close: end }, index) => {
    const [top, bottom] = [Math.max(open, end), Math.min(open, end)];
    const texts = { open, high: top + Math.abs(next()) * 90_000, low: bottom - Math.abs(next()) * 90_000, close: end };
    const prices = Object.fromEntries(Object.entries(texts).map(([name, price]) => [name, String(Math.round(price))]));
    const volume = (0.4 + Math.abs(next())).toFixed(4);
    return {
      ...(prices as Record<keyof typeof texts, string>),
      time: ago((89 - index) * 60),
      volume,
      quote_volume: "1",
    };
  });
  return { interval, candles };
}

const order = {
  ...{ uuid: "01a20906-834a-710a-9dce-e22d1a02f849", orderId: "01a20906-834a-710a-9dce-e22d1a02f849", txid: [] },
  ...{ symbol: "BTC/KRW", side: "buy", type: "limit", time_in_force: "GTC", post_only: false, price: "148200000" },
  ...{ volume: "0.0125", amount: null, executed_volume: "0.005", remaining_volume: "0.0075", executed_value: "741000" },
  ...{ avg_price: "148200000", fee: "370.5", fee_currency: "KRW", state: "open", reject_reason: null },
  ...{ userref: "hoga-3ab5qfqdq1ganygs", descr: { order: "buy 0.0125 BTC/KRW @ limit 148200000" } },
  settlement: { mode: "INSTANT_KRW", expected_settle_time: "T+0", krw_account_linked: true, state: "settled" },
  ...{ created_at: ago(1_260), updated_at: ago(300) },
} satisfies ConsoleOpenOrders["orders"][number];

const ended = {
  ...order,
  ...{ uuid: "01a20906-9912-724d-984e-169965dd65ef", orderId: "01a20906-9912-724d-984e-169965dd65ef" },
  ...{ symbol: "ETH/KRW", type: "market", price: null, volume: null, amount: "600000", executed_volume: "0.11370892" },
  ...{ executed_value: "599999.96", avg_price: "5276000.5", state: "filled", userref: "hoga-bq29kwc9c2hhvcgt" },
} satisfies ConsoleOrders["orders"][number];

const fill = {
  ...{ trade_id: "t-1", orderId: order.orderId, userref: order.userref, symbol: "BTC/KRW", side: "buy" },
  ...{ price: "148200000", volume: "0.005", value: "741000", liquidity: "maker", fee: "370.5", fee_currency: "KRW" },
  time: ago(300),
} satisfies ConsoleFills["trades"][number];

export const CLOSED_ORDERS: ConsoleOrders = { ...stamp, orders: [ended], next_cursor: null };
export const FILLS: ConsoleFills = { ...stamp, trades: [fill], next_cursor: null };
export const ORDER: ConsoleOrder = {
  ...stamp,
  ...{ order: { ...order, trades: [fill] }, state: "partially_filled", userref: order.userref },
};

export const PORTFOLIO: ConsolePortfolio = {
  ...stamp,
  assets: [
    asset({ asset: "KRW", volume: "6128400.52", value: "6128400.52" }),
    asset({
      ...{ asset: "BTC", volume: "0.0212", average_price: "147010000", average_cost: "147083505.25" },
      ...{ value: "3151062", unrealized: "32891.6887", unrealized_pct: "1.0548", realized: "128400.25" },
    }),
    asset({
      ...{ asset: "ETH", volume: "0.21370892", average_price: "5391000", average_cost: "5393695.5" },
      ...{ value: "1129665.35", unrealized: "-23015.4512", unrealized_pct: "-1.9967" },
    }),
  ],
  totals: {
    ...{ value: "10409127.87", cost: "4270851.1", unrealized: "9876.2375", realized: "128400.25" },
    fees: "4127.33",
  },
  ...{
    period: { name: "30d", from: ago(30 * 86_400), to: ago(0), timezone: "UTC" },
    method: "average",
    as_of: ago(0),
    warnings: [],
  },
  equity: Array.from({ length: 30 }, (_, day) => ({
    date: ago((29 - day) * 86_400).slice(0, 10),
    value: String(10_000_000 + day * 14_000 + Math.round(Math.sin(day / 3) * 90_000)),
  })),
};

function asset(given: Partial<ConsolePortfolio["assets"][number]>): ConsolePortfolio["assets"][number] {
  return {
    ...{ asset: "", volume: "0", available: given.volume ?? "0", average_price: null, average_cost: null },
    ...{ value: null, unrealized: null, unrealized_pct: null, realized: "0", fees: "0" },
    ...{ uncosted_volume: "0", ...given },
  };
}

export const POLICY: ConsolePolicy = {
  ...{
    file: "policy.toml of this desk",
    mode: "bounded",
    markets: ["*"],
    order_types: ["limit", "market"],
    times_in_force: ["GTC", "IOC", "FOK"],
  },
  ...{ max_order_krw: "2000000", max_day_krw: "5000000", max_open_orders: 20, max_open_krw: "5000000" },
  ...{ max_day_loss_krw: "300000", day_loss_action: "reduce_only", max_orders_per_minute: 20, price_collar_pct: "5" },
  ...{ max_slippage_pct: "1", approval_over_krw: "500000", approval_ttl_s: 300, approval_drift_pct: "0.5" },
  ...{ approve_by: ["pin"], book_max_age_ms: 3_000, over_limit_sells: "approve" },
  plans: {
    ...{ approve: "always", stop_removal: "ask", max_plans: 20, max_alerts: 50, max_plan_krw: "5000000", max_days: 90 },
    ...{ protective_slippage_pct: "3", protective_floor_pct: "10", late_s: 3_600 },
  },
};

export const AUDIT: ConsoleAudit = {
  ...stamp,
  next_cursor: null,
  entries: (
    [
      ["intent_moved", { from: "submitting", to: "partially_filled" }],
      ["intent_moved", { from: "approved", to: "submitting" }],
      ["intent_moved", { from: "awaiting_approval", to: "approved", by: "pin" }],
      ["pin_right", {}],
      ["intent_recorded", { state: "awaiting_approval", value: "1852500" }],
    ] as const
  ).map(([event, detail], index) => ({
    ...{
      seq: 124 - index,
      time: ago(300 + index * 2),
      event,
      detail,
      intent_id: "01a20906-b97d-77e2-bf52-15094d806fce",
    },
    ...{ userref: order.userref, orderId: index === 4 ? null : order.orderId },
  })),
  chain: { holds: true, checked_at: ago(12) },
};

const waiting = {
  ...{ intent_id: "01a20906-b97d-77e2-bf52-15094d806fce", userref: "hoga-n63tvfm7mr8wc86c", value: "1480000" },
  order: {
    ...{ symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.01", price: "148000000", time_in_force: "GTC" },
    userref: "hoga-n63tvfm7mr8wc86c",
  },
  ...{
    costs: null,
    warnings: [],
    price_seen: "148405000",
    why: "the order counts for ₩1,480,000, more than approval_over_krw ₩500,000",
  },
  ...{ asked_at: ago(70), expires_at: ago(-230), digest: "d1" },
} satisfies NonNullable<ConsoleEvents["approvals"]["waiting"][number]["order"]>;

const open = { ...stamp, orders: [order], next_cursor: null } as const;

/** What the stream begins with. */
export const EVENTS: Omit<ConsoleEvents, "changed"> = {
  status: {
    ...stamp,
    ...{
      now: { utc: ago(0), local: "2026-11-23T15:30:00+09:00", timezone: "Asia/Seoul" },
      profile: "paper",
      venue: "up",
    },
    ...{
      clock_offset_ms: 2,
      can_trade: true,
      policy_file: "policy.toml of this desk",
      mode: "bounded",
      largest_buy: "2000000",
      waiting: [],
      pin_set: true,
    },
    limits: [
      { rule: "order_size", limit: "2000000", line: 'max_x = "2000000"', used: "0", left: "2000000", frees_at: null },
      { rule: "orders_per_minute", limit: "20", line: 'max_x = "20"', used: "3", left: "17", frees_at: ago(-41) },
      { rule: "open_orders", limit: "20", line: 'max_x = "20"', used: "1", left: "19", frees_at: null },
      {
        rule: "open_exposure",
        limit: "5000000",
        line: 'max_x = "5000000"',
        used: "1852500",
        left: "3147500",
        frees_at: null,
      },
      {
        rule: "day_budget",
        limit: "5000000",
        line: 'max_x = "5000000"',
        used: "4333000",
        left: "667000",
        frees_at: ago(-5_400),
      },
      {
        rule: "day_loss",
        limit: "300000",
        line: 'max_x = "300000"',
        used: "300000",
        left: "0",
        frees_at: ago(-30_600),
      },
    ],
    ...{ cancel_timer_fires_at: null, unresolved: [], warnings: [] },
  },
  approvals: {
    ...stamp,
    waiting: [
      {
        ...{
          kind: "order",
          id: waiting.intent_id,
          digest: waiting.digest,
          summary: "buy 0.01 BTC on BTC/KRW at ₩148,000,000",
        },
        ...{
          value: waiting.value,
          why: waiting.why,
          asked_at: waiting.asked_at,
          expires_at: waiting.expires_at,
        },
        order: waiting,
        now: {
          ...{
            price: "148642500",
            mid: "148642500",
            best_bid: "148635000",
            best_ask: "148650000",
            expected_avg_price: null,
            expected_fee: "0",
          },
          ...{
            fee_currency: "KRW",
            slippage_pct: null,
            worst_case: "1480740",
            worst_case_asset: "KRW",
            drift_pct: "0.1600",
          },
        },
        question:
          "[sandbox] Approve this order of account paper?\nBUY BTC/KRW, limit: 0.01 coins at 148000000 KRW per coin (GTC).",
      },
    ],
  },
  orders: {
    ...open,
    unresolved: [],
    waiting: [
      {
        ...{
          intent_id: waiting.intent_id,
          userref: waiting.userref,
          summary: "buy 0.01 BTC on BTC/KRW at ₩148,000,000",
        },
        expires_at: waiting.expires_at,
      },
    ],
  },
  plans: PLANS,
  tickers: MARKETS.tickers,
  book: bookAt(1),
  trades: {
    trades: Array.from({ length: 40 }, (_, index) => ({
      ...{
        trade_id: `p-${index}`,
        symbol: "BTC/KRW",
        side: index % 3 === 0 ? "sell" : "buy",
        time: ago(index * 3 + 1),
      },
      ...{ price: String(148_635_000 + (index % 4) * 15_000), volume: (0.001 * (index + 1)).toFixed(8) },
    })),
  },
  assistants: {
    connected: [{ client: "Claude Desktop 1.4", caller: "desk", since: ago(5_000), last_call_at: ago(70) }],
    calls: [
      {
        at: ago(70),
        caller: "desk",
        client: "Claude Desktop 1.4",
        tool: "place_order",
        outcome: "awaiting_approval",
        ms: 41,
      },
      { at: ago(85), caller: "desk", client: "Claude Desktop 1.4", tool: "preview_order", outcome: "ok", ms: 27 },
      { at: ago(96), caller: "desk", client: "Claude Desktop 1.4", tool: "get_orderbook", outcome: "ok", ms: 12 },
    ],
  },
};

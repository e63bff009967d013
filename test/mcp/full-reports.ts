/** A desk whose reports have every field, each with a value that occurs once; and one where everything fails, with every field of an error. */
import {
  type Candle,
  type Fill,
  failed,
  type Market,
  type Order,
  ok,
  type Ticker,
  venueFault,
} from "../../src/contract/index.ts";
import {
  type Desk,
  type DeskStatus,
  type Estimate,
  type HaltReport,
  historyText,
  type OrderView,
  type Preview,
  reportError,
  type WriteReport,
} from "../../src/desk/index.ts";
import { CARDS } from "../../src/venues/index.ts";
import { order as OPEN, ORDER_ID } from "../fixture/order-sample.ts";
import { failingPlans, fullPlans } from "./full-plans.ts";

/** Of the reader: one where a time that was forgotten is seen. */
export const TIME_ZONE = "Asia/Seoul";

const STANDING = { active: 13, protecting: 7, attention: 3, paused: 0, waiting: 0 };
const OTHER_ID = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a79";
const STAMP = { environment: "sandbox", account: "the-account", unit: "KRW" } as const;
const TIMES = { created_at: "2026-07-20T01:02:03.004Z", updated_at: "2026-07-20T05:06:07.008Z" };

/** Filled in part; by amount; rejected: together they have every field. */
export const ORDERS: readonly Order[] = [
  {
    ...OPEN,
    ...TIMES,
    post_only: true,
    executed_volume: "0.0051",
    remaining_volume: "0.0099",
    executed_value: "484500",
    avg_price: "95000011.42857143",
    fee: "242.25",
  },
  {
    ...OPEN,
    ...TIMES,
    type: "market",
    time_in_force: "IOC",
    price: null,
    volume: null,
    remaining_volume: null,
    amount: "100000",
    executed_volume: "0.00105",
    executed_value: "99990",
    avg_price: "95228571.42857143",
    fee: "49.995",
    state: "filled",
  },
  { ...OPEN, ...TIMES, state: "rejected", reject_reason: "Too late" },
];

const FILL: Fill = {
  trade_id: "778899",
  orderId: ORDER_ID,
  userref: "desk-1",
  symbol: "BTC/KRW",
  side: "sell",
  price: "95000000",
  volume: "0.0051",
  value: "484500",
  liquidity: "maker",
  fee: "242.25",
  fee_currency: "KRW",
  fee_exact: false,
  settlement: { state: "pending" },
  time: "2026-07-20T05:06:07.008Z",
};

const TOTALS = { buy_value: "1001", sell_value: "2002", fees: [{ currency: "BTC", amount: "0.003" }] };

const MARKET: Market = {
  symbol: "BTC/KRW",
  base: "BTC",
  quote: "KRW",
  korean_name: "비트코인",
  english_name: "Bitcoin",
  status: "halted",
  min_volume: "0.0001",
  min_notional: "5000",
  tick_size: "1000",
  tick_bands: [{ from_price: "2000000", tick_size: "700" }],
  price_decimals: 2,
  volume_decimals: 7,
  maker_fee_rate: "0.0004",
  taker_fee_rate: "0.0006",
};

const TICKER: Ticker = {
  ...{ symbol: "BTC/KRW", last: "150000000", open: "149000000", high: "151000000", low: "148000000" },
  ...{ volume: "12.5", quote_volume: "1875000000", change: "1000000", change_rate: "0.00671141" },
  ...{ best_bid: "149999000", best_ask: "150001000", time: "2026-07-20T01:02:03.004Z" },
};

const CANDLES: readonly Candle[] = [
  {
    time: "2026-07-20T03:00:00.000Z",
    open: "101",
    high: "109",
    low: "98",
    close: "103",
    volume: "4.5",
    quote_volume: "460",
  },
  {
    time: "2026-07-20T04:00:00.000Z",
    open: "104",
    high: "110",
    low: "99",
    close: "107",
    volume: "5.5",
    quote_volume: "570",
  },
];

const WAITING = {
  ...{ intent_id: "intent-7", userref: "waits-7", summary: "buy 0.007 BTC on BTC/KRW at ₩90,000,007" },
  expires_at: "2026-07-20T09:07:00.000Z",
};
const UNRESOLVED = {
  intent_id: "intent-8",
  userref: "lost-8",
  symbol: "ETH/KRW",
  state: "submitting",
  since: "2026-07-20T09:08:00.000Z",
} as const;
const WITHDRAWN = { id: "intent-9", userref: "withdrawn-9", summary: "buy 0.009 BTC on BTC/KRW at ₩90,000,009" };
const CANCELED = { orderId: ORDER_ID, symbol: "SOL/KRW", state: "cancel_requested" } as const;

const STATUS: DeskStatus = {
  ...STAMP,
  now: { utc: "2026-07-20T09:00:05.000Z", local: "2026-07-20T18:00:05+09:00", timezone: TIME_ZONE },
  profile: "the-profile",
  venue: "up",
  clock_offset_ms: 17,
  can_trade: true,
  policy_file: "policy.toml of this desk",
  mode: "bounded",
  limits: [
    {
      rule: "day_budget",
      limit: "5000000",
      line: 'max_x = "5000000"',
      used: "151000",
      left: "4849000",
      frees_at: "2026-07-21T08:00:00.000Z",
    },
  ],
  largest_buy: "987654",
  brake: { reason: "odd fills", by: "kim", since: "2026-07-20T08:30:00.000Z" },
  waiting: [WAITING],
  pin_set: true,
  cancel_timer_fires_at: "2026-07-20T09:10:00.000Z",
  ...({ plans: { ...STANDING, reserved: "1425019", watched_since: "2026-07-20T05:27:28.029Z" } } as object),
  unresolved: [UNRESOLVED],
  warnings: ["Watch out."],
};

const PREVIEW: Preview & { readonly estimate: Estimate } = {
  ...STAMP,
  valid: true,
  draft_id: "draft-5",
  expires_at: "2026-07-20T09:30:00.000Z",
  order: {
    symbol: "BTC/KRW",
    side: "buy",
    type: "limit",
    base_volume: "0.015",
    price: "95000000",
    time_in_force: "GTC",
    post_only: true,
    userref: "mine-5",
  },
  estimate: {
    ...{
      expected_volume: "0.0051",
      expected_value: "484500",
      expected_avg_price: "95000012",
      expected_fee: "242.25",
      taker_fee: "242.25",
      maker_fee: "470.25",
      total: "1425713",
      proceeds: null,
      break_even_price: null,
      fee_currency: "KRW",
    },
    ...{
      slippage_pct: "0.321",
      resting_volume: "0.0099",
      needed: "1425712",
      needed_asset: "KRW",
      available: "2000111",
    },
    ...{ best_bid: "94999000", best_ask: "95001000", mid: "95000500" },
  },
  policy: { verdict: "needs_approval", value: "1425001", why: "mode is confirm" },
  problems: [],
  proposals: [],
  warnings: ["Watch out."],
};
const BRINGS = { total: null, proceeds: "1425714", break_even_price: "95000013" };
const FOR_KRW = { symbol: "BTC/KRW", side: "sell", type: "market", quote_amount: "100000" } as const;
const PROBLEM = reportError(
  venueFault("EOrder:Tick size check failed", { field: "price", message: "price 3 is between two ticks" }),
);
const { draft_id: _draft, expires_at: _expires, ...UNDRAFTED } = PREVIEW;
const INVALID: Preview = {
  ...UNDRAFTED,
  valid: false,
  policy: {
    verdict: "denied",
    value: "1425001",
    why: "price 3 is between two ticks",
    line: 'max_order_krw = "1300007"',
  },
  problems: [PROBLEM],
  proposals: [{ field: "price", given: "3", proposed: "4", reason: "nearest price on the tick" }],
};

const APPROVAL: NonNullable<WriteReport["approval"]> = {
  ...{ intent_id: "intent-7", userref: "desk-1", value: "1425001", price_seen: "95100000", why: "mode is confirm" },
  ...{ asked_at: "2026-07-20T09:00:00.000Z", expires_at: "2026-07-20T09:05:00.000Z" },
  order: {
    symbol: "BTC/KRW",
    side: "buy",
    type: "limit",
    volume: "0.015",
    price: "95000000",
    time_in_force: "GTC",
    post_only: true,
    userref: "desk-1",
  },
  costs: { taker_fee: "10.5", maker_fee: "561.25", total: "1425572.75", proceeds: null, fee_currency: "KRW" },
};
const BY_AMOUNT = {
  ...APPROVAL,
  costs: { taker_fee: "49.875", maker_fee: "0", total: null, proceeds: "99700.125", fee_currency: "KRW" },
  order: { symbol: "BTC/KRW", side: "sell", type: "market", amount: "100000", userref: "desk-1" },
} as const;

export const FAULT = venueFault("EOrder:Insufficient funds", {
  ...{ message: "Not now.", field: "price", retryAfterMs: 1_234, userActionUrl: "https://example.com/consent" },
  ...{ venueText: "no money", retry: "after_delay", rule: "day_budget", figure: "7", limit: "6" },
});
export const ERROR = { ...reportError(FAULT), proposals: INVALID.proposals };

const HALT: HaltReport = {
  ...STAMP,
  outcome: "accepted",
  results: [{ ...CANCELED, error: PROBLEM }],
  canceled: 12,
  withdrawn: [WITHDRAWN],
  remaining: 13,
  brake: "everywhere",
  unresolved: [UNRESOLVED],
  elsewhere: [
    {
      environment: "live",
      account: "other/A-1",
      userref: "there-1",
      orderId: "01999f3e-7a10-7c31-9a52-0c6d5b1f2a78",
      symbol: "XRP/KRW",
      state: "open",
    },
  ],
  warnings: ["Watch out."],
  next_action: "Look again.",
};

/** @param order what is looked at, placed and canceled */
const MOVED = { ...OPEN, ...TIMES, orderId: OTHER_ID, uuid: OTHER_ID, txid: [OTHER_ID] };
const READING = { trades: 3_500, back_to: "2026-03-01T02:03:04.005Z" };
const UNREAD = "2026-07-02T01:02:03.000Z/2026-07-04T05:06:07.000Z";
const UNREAD_TOLD = `Trades are not known of this time: ${UNREAD.replace("/", " to ")}. They are in no figure.`;

/** An order whose exchange has not said whether it has it. */
const UNANSWERED: OrderView = {
  ...STAMP,
  state: "unknown",
  intent_id: "intent-7",
  userref: "desk-1",
  evidence: {
    lookups: 12,
    since: "2026-07-20T01:02:03.004Z",
    last_at: "2026-07-20T01:12:03.004Z",
    in_open_list: true,
    in_closed_list: true,
    locked_explained: true,
  },
  next_action: "Look again.",
};

export function fullDesk(order: Order): Desk {
  const isRejected = order.state === "rejected";
  const named = { ...STAMP, intent_id: "intent-7", userref: "desk-1", next_action: "Look again." };
  const written = {
    ...named,
    outcome: "accepted",
    order,
    warnings: ["Watch out."],
    sizing: "50% of 1.5 BTC available",
  } as const;
  const { sizing: _sizing, ...changed } = written;
  const desk: Partial<Desk> = {
    environment: "sandbox",
    card: KORBIT,
    timeZone: TIME_ZONE,
    command: (...words) => words.join(" "),
    market: async () => ok(MARKET),
    markets: async () => ok([MARKET]),
    tickers: async () => ok([TICKER]),
    orderbook: async () =>
      ok({
        ...{
          symbol: "BTC/KRW",
          seq: 4_711,
          time: "2026-07-20T01:02:03.004Z",
          best_bid: "101",
          best_ask: "103",
          mid: "102",
          spread: "2",
        },
        tick: {
          buys: [
            ["101", "0.11"],
            ["100", "0.12"],
          ],
          asks: [
            ["103", "0.13"],
            ["105", "0.14"],
          ],
        },
      }),
    candles: async () => ok(CANDLES),
    trades: async () =>
      ok([
        {
          trade_id: "1",
          symbol: "BTC/KRW",
          side: "sell",
          price: "101",
          volume: "0.3",
          time: "2026-07-20T01:02:03.004Z",
        },
      ]),
    balances: async () =>
      ok({
        ...STAMP,
        value: "123456789.12345",
        balances: [
          { asset: "BTC", total: "1.5", available: "1.1", locked: "0.4", unsettled: "0.2", value: "150000.98765" },
        ],
      }),
    openOrders: async () =>
      ok({ ...STAMP, orders: ORDERS, next_cursor: "cursor-1", waiting: [WAITING], unresolved: [UNRESOLVED] }),
    orders: async () => ok({ ...STAMP, orders: ORDERS, next_cursor: "cursor-1" }),
    order: async () => ok({ ...named, state: order.state, order, moved_to: MOVED }),
    awaitOrder: async () =>
      ok({
        ...named,
        state: order.state,
        order,
        moved_to: MOVED,
        reached: true,
        waited_ms: 77,
        warnings: ["It leaves some."],
      }),
    fills: async () =>
      ok({
        ...STAMP,
        trades: [FILL],
        ...(isRejected
          ? { warnings: [`No totals yet: ${historyText(READING)}`], reading: READING }
          : { totals: TOTALS, warnings: [UNREAD_TOLD], unread: UNREAD }),
        next_cursor: "cursor-1",
      }),
    portfolio: async () =>
      ok({
        ...STAMP,
        assets: [
          {
            ...{
              asset: "BTC",
              volume: "1.5",
              available: "1.1",
              average_price: "90000001",
              average_cost: "90000002",
              value: "150000003",
            },
            ...{
              unrealized: "-60000004",
              unrealized_pct: "-12.345",
              realized: "1005",
              fees: "1006",
              uncosted_volume: "0.7",
            },
          },
        ],
        totals: { value: "2001", cost: "2002", unrealized: "2003", realized: "2004", fees: "2005" },
        period: { name: "all", from: "2026-07-01T00:00:00.000Z", to: "2026-07-20T00:00:00.000Z", timezone: "UTC" },
        method: "fifo",
        as_of: "2026-07-20T09:00:00.000Z",
        warnings: ["Watch out.", historyText(READING), UNREAD_TOLD],
        reading: READING,
        unread: UNREAD,
        equity: [{ date: "2026-07-19", value: "3001" }],
      }),
    preview: async () =>
      ok(
        isRejected
          ? INVALID
          : order.amount === null
            ? PREVIEW
            : { ...PREVIEW, order: FOR_KRW, estimate: { ...PREVIEW.estimate, ...BRINGS } },
      ),
    place: async () =>
      isRejected
        ? { ...written, outcome: "rejected", state: "rejected", error: ERROR }
        : { ...written, duplicate_of: "intent-7", state: order.state === "filled" ? "filled" : "partially_filled" },
    replace: async () => ({
      ...changed,
      ...(isRejected ? { outcome: "rejected", state: "rejected", error: ERROR } : { state: "partially_filled" }),
      replaced: {
        order_id: OTHER_ID,
        state: order.state === "filled" ? "cancel_requested" : "canceled",
        executed_volume: "0.0023",
      },
    }),
    cancel: async () =>
      isRejected
        ? { ...written, outcome: "rejected", state: "rejected", error: ERROR }
        : { ...written, state: order.state === "filled" ? "filled" : "cancel_requested" },
    cancelAll: async () => HALT,
    halt: async () => HALT,
    setCancelTimer: async () =>
      ok({
        ...STAMP,
        fires_at: "2026-07-20T09:10:00.000Z",
        kept_by: "desk",
        note: "A running hoga keeps it.",
        warnings: ["Watch out."],
      }),
    plans: fullPlans(),
    status: async () => STATUS,
    audit: async () =>
      ok({
        ...STAMP,
        next_cursor: "seq-321",
        entries: [
          {
            seq: 321,
            time: "2026-07-20T01:02:03.004Z",
            event: "resumed",
            intent_id: null,
            userref: "desk-1",
            orderId: ORDER_ID,
            detail: { by: "kim" },
          },
        ],
      }),
  };
  return desk as Desk;
}

/** @param isWaiting whether an order waits for a person, instead of failing */
/** Of all exchanges the one that has least: it is said with every answer. */
const KORBIT = CARDS.find(({ name }) => name === "korbit") as (typeof CARDS)[number];

export function failingDesk(isWaiting: "by volume" | "by amount" | undefined): Desk {
  const report = { ...STAMP, outcome: "rejected", state: "rejected", warnings: [], error: ERROR } as const;
  const approval = isWaiting === "by amount" ? BY_AMOUNT : APPROVAL;
  const waiting: WriteReport = {
    ...STAMP,
    outcome: "not_sent",
    state: "awaiting_approval",
    warnings: [],
    userref: "desk-1",
    intent_id: "intent-7",
    approval,
  };
  const desk: Partial<Desk> = {
    environment: "sandbox",
    card: KORBIT,
    timeZone: TIME_ZONE,
    command: (...words) => words.join(" "),
    isPractice: () => true,
    place: async () => (isWaiting === undefined ? report : waiting),
    order: async () => (isWaiting === undefined ? failed(FAULT) : ok(UNANSWERED)),
    awaitOrder: async () =>
      isWaiting === undefined
        ? failed(FAULT)
        : ok({ ...UNANSWERED, next_action: "Look again.", reached: false, waited_ms: 77_000, warnings: [] }),
    cancel: async () => report,
    replace: async () => report,
    cancelAll: async () => ({ ...HALT, outcome: "rejected", error: ERROR }),
    halt: async () => ({ ...HALT, brake: "here", error: ERROR }),
    plans: failingPlans(FAULT),
    status: async () => ({ ...STATUS, can_trade: false, error: ERROR }),
  };
  return new Proxy(desk as Desk, {
    get: (given, name) => Reflect.get(given, name) ?? (name === "transfers" ? undefined : async () => failed(FAULT)),
  });
}

/** Each rule of the policy broken, in each way that has a sentence of its own. */
import type { CreateOrderBody } from "../../../src/contract/index.ts";
import { inUnit, price, quantity, rate } from "../../../src/decimal/index.ts";
import type { OrderOfPlan } from "../../../src/desk/model/policy.ts";
import {
  type Denial,
  decide,
  type Policy,
  type PolicyQuestion,
  RULES,
  type Rule,
} from "../../../src/desk/risk/policy-decision.ts";
import {
  BTC,
  bookOf,
  LIMIT_BUY,
  MARKET_BUY,
  NOW_MS,
  orderOfPlan,
  POLICY,
  QUESTION,
  UNUSED,
} from "./policy-question.ts";

type Broken = readonly [Partial<Policy>, Partial<PolicyQuestion>];

const usage = (used: Partial<typeof UNUSED>): Partial<PolicyQuestion> => ({
  accountUsage: { ...QUESTION.accountUsage, usage: { ...UNUSED, ...used } },
});
const killSwitch = { atMs: NOW_MS, by: "kim", reason: "lunch" };
const SELL: CreateOrderBody = { ...LIMIT_BUY, side: "sell" };
const PROTECTION: OrderOfPlan = {
  ...orderOfPlan({ side: "sell", volumeMax: "1" }),
  ...{ terms: { kind: "stop", symbol: "BTC/KRW", volume: "1", stopPrice: "99950000" }, floor: price("123456789") },
};
const BREAKING: Readonly<Record<Rule, readonly Broken[]>> = {
  environment: [[{}, { environment: { ofOrder: "live", ofVenue: "sandbox" } }]],
  brake: [[{}, { accountUsage: { ...QUESTION.accountUsage, killSwitch } }]],
  mode: [[{ mode: "read-only" }, {}]],
  mandate: [
    [{}, { plan: orderOfPlan({ stepValueMax: "123456" }) }],
    [{}, { plan: orderOfPlan({ valueMax: "234567" }) }],
    [{}, { plan: orderOfPlan({ side: "buy", priceMax: "99999999" }) }],
  ],
  market: [
    [{ markets: ["ETH/KRW"] }, {}],
    [{}, { market: { ...BTC, quote: "USDT" } }],
  ],
  market_status: [[{}, { market: { ...BTC, status: "halted" } }]],
  order_type: [[{ orderTypes: ["market"] }, {}]],
  time_in_force: [[{ timesInForce: ["IOC"] }, {}]],
  order_size: [
    [{ maxOrder: inUnit("123456") }, {}],
    [{ maxOrder: inUnit("123456") }, { order: { symbol: "BTC/KRW", side: "buy", type: "market", amount: "500000" } }],
    [{ maxOrder: inUnit("1234") }, {}],
  ],
  book_age: [[{}, { nowMs: NOW_MS + 60_000 }]],
  price_collar: [
    [{}, { order: { ...LIMIT_BUY, volume: "0.001", price: "123456789" } }],
    [{ priceCollar: rate("0.0011"), maxOrder: inUnit("9000000") }, { order: { ...MARKET_BUY, volume: "0.05" } }],
    [{}, { book: bookOf([], [], NOW_MS) }],
  ],
  slippage: [
    [{ maxSlippage: rate("0.0001"), maxOrder: inUnit("9000000") }, { order: { ...MARKET_BUY, volume: "0.02" } }],
    [
      { maxSlippage: rate("1"), priceCollar: "off", maxOrder: inUnit("900000000") },
      { order: { ...MARKET_BUY, volume: "2" } },
    ],
  ],
  protective: [
    [{}, { order: SELL, plan: PROTECTION, held: quantity("1") }],
    [{}, { order: { ...SELL, price: "90000000" }, plan: { ...PROTECTION, floor: price("1") }, held: quantity("1") }],
    [{}, { order: { ...SELL, price: "90000000" }, plan: PROTECTION, held: quantity("0.001") }],
  ],
  orders_per_minute: [[{}, usage({ lastMinute: 20 })]],
  open_orders: [[{}, usage({ openOrders: 50 })]],
  open_exposure: [[{}, usage({ open: "9999999" })]],
  day_budget: [
    [{}, usage({ day: "4999999" })],
    [
      {},
      { accountUsage: { ...QUESTION.accountUsage, reserved: { value: "4999999", unit: "KRW", planIds: ["plan-1"] } } },
    ],
  ],
  day_loss: [[{ maxDayLoss: inUnit("1234567") }, { dayLoss: inUnit("2345678") }]],
};

/** By the desk itself. */
export const DENIALS: readonly (readonly [Rule, Denial])[] = RULES.flatMap((rule) =>
  BREAKING[rule].map(([policy, question]) => {
    const verdict = decide({ ...POLICY, ...policy }, { ...QUESTION, ...question });
    if (verdict.kind !== "deny") throw new Error(JSON.stringify(verdict));
    return [rule, verdict.denial] as const;
  }),
);

/**
 * The alias endpoints for an account: balances, fills, fees and limits. Source: service.md#alias-private.
 */
import type { AliasAccount, AliasOrderLimits } from "../../../contract/index.ts";
import { answer } from "../../http/outcome.ts";
import { countOf } from "../../http/query-value.ts";
import type { BalanceRecord, FillRecord, MarketRule, Units } from "../../model/index.ts";
import { timeText } from "../../wire/market-view.ts";
import type { AliasCall, AliasHandlers } from "./alias-call.ts";
import { type AliasOutcome, fault } from "./alias-outcome.ts";
import { amountText } from "./amount-text.ts";
import { commissionView } from "./commission-view.ts";
import { myTradeView } from "./order-view.ts";
import { timeRangeOf } from "./time-range.ts";

const LIST_DEFAULT = 500;
const BASIS_POINT: Units = 10_000n;

export const ALIAS_ACCOUNT_ENDPOINTS: AliasHandlers<"account" | "myTrades" | "commission" | "orderLimits"> = {
  account({ service, at, key, parameters }) {
    const { exchange } = service;
    const markets = exchange.markets();
    const held = exchange.balances(key.accountId);
    const balances = parameters.omitZeroBalances === "true" ? held.filter(isNotEmpty) : withUnheld(held, markets);
    const maker = highest(markets.map(({ makerFeeRate }) => makerFeeRate));
    const taker = highest(markets.map(({ takerFeeRate }) => takerFeeRate));
    return answer({
      makerCommission: basisPoints(maker),
      takerCommission: basisPoints(taker),
      buyerCommission: 0,
      sellerCommission: 0,
      commissionRates: {
        maker: amountText(maker),
        taker: amountText(taker),
        buyer: amountText(0n),
        seller: amountText(0n),
      },
      canTrade: key.permissions.includes("trade"),
      canWithdraw: false,
      canDeposit: false,
      brokered: false,
      requireSelfTradePrevention: false,
      preventSor: false,
      updateTime: at,
      updated_at: timeText(at),
      accountType: "SPOT",
      balances: balances.map(({ asset, available, locked }) => ({
        asset,
        free: amountText(available),
        locked: amountText(locked),
      })),
      permissions: ["SPOT"],
      uid: key.accountId,
    } satisfies AliasAccount);
  },
  myTrades,
  commission({ service, symbol }) {
    const market = service.exchange.market(symbol);
    return market === undefined ? fault("EQuery:Unknown asset pair") : answer(commissionView(market));
  },
  orderLimits({ service, at, key }) {
    const budget = service.calls.budget(key.tier, service.limits.callsPerSecond);
    const { usedWeight } = service.calls.log(key.keyId).state(budget, at);
    const used = { limit: budget.weightPerMinute, count: usedWeight };
    return answer([
      { rateLimitType: "ORDERS", interval: "MINUTE", intervalNum: 1, ...used },
    ] satisfies AliasOrderLimits);
  },
};

type Holding = Pick<BalanceRecord, "asset" | "available" | "locked">;

function isNotEmpty({ available, locked }: Holding): boolean {
  return available > 0n || locked > 0n;
}

/** The dialect lists every asset of the exchange. */
function withUnheld(held: readonly Holding[], markets: readonly MarketRule[]): readonly Holding[] {
  const known = new Set(held.map(({ asset }) => asset));
  const listed = new Set(markets.flatMap(({ quote, base }) => [quote, base]));
  const unheld = [...listed].filter((asset) => !known.has(asset));
  return [...held, ...unheld.map((asset) => ({ asset, available: 0n, locked: 0n }))];
}

function highest(rates: readonly Units[]): Units {
  return rates.reduce((most, rate) => (rate > most ? rate : most), 0n);
}

function basisPoints(rate: Units): number {
  return Number(rate / BASIS_POINT); // not money: a rate in hundredths of a percent
}

/** Fills, oldest first: all of an order; after a trade or a time the oldest of them; otherwise the newest. */
function myTrades({ service, key, symbol, parameters }: AliasCall<"myTrades">): AliasOutcome {
  const { orderId, startTime, endTime } = parameters;
  const range = timeRangeOf(startTime, endTime);
  if (!range.ok) return range;
  const { from, to } = range;
  const limit = countOf(parameters.limit, LIST_DEFAULT);
  const fromId = countOf(parameters.fromId, 0);
  const forward = parameters.fromId !== undefined || startTime !== undefined;
  const { exchange } = service;
  const { accountId } = key;
  const listed = (): readonly FillRecord[] => {
    const filter = { symbol, from, to, afterSeq: fromId - 1, limit, oldestFirst: forward };
    const { fills } = exchange.fills(accountId, filter);
    return forward ? fills : fills.toReversed();
  };
  const oldestFirst =
    orderId === undefined ? listed() : exchange.fillsOf(accountId, orderId).filter((fill) => fill.symbol === symbol);
  const chosen = oldestFirst.filter(({ tradeSeq }) => tradeSeq >= fromId).slice(0, limit);
  const quote = service.markets.quoteOf(symbol);
  return answer(chosen.map((fill) => myTradeView(fill, quote)));
}

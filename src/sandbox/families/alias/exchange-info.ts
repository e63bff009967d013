/**
 * Converts markets and limits into the shapes of the alias endpoints, with the market's rule as the dialect's filters. Entry point:
 * `exchangeInfoView`.
 *
 * The dialect has one tick per market, but ours depends on the price: what is shown is the tick at the last price. A price on
 * this tick is valid below the last price too, where ticks are finer, but may be refused above it. Source: decision 0010.
 */
import { type AliasExchangeInfo, type AliasMarket, LIMITS } from "../../../contract/index.ts";
import { type Exchange, type MarketStatus, type Millis, ONE, SCALE } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { tickAt, timeText } from "../../wire/market-view.ts";
import { aliasSymbolOf, amountText } from "./amount-text.ts";

export function exchangeInfoView(
  { exchange, limits }: Service,
  symbols: readonly string[],
  at: Millis,
): AliasExchangeInfo {
  const markets = exchange.markets().filter(({ symbol }) => symbols.includes(symbol));
  return {
    timezone: "UTC",
    serverTime: at,
    iso: timeText(at),
    // The caller is unknown here: this is the weight that every key has at least.
    rateLimits: [
      { rateLimitType: "REQUEST_WEIGHT", interval: "MINUTE", intervalNum: 1, limit: limits.weightPerMinute.starter },
      { rateLimitType: "RAW_REQUESTS", interval: "SECOND", intervalNum: 1, limit: limits.callsPerSecond },
    ],
    exchangeFilters: [{ filterType: "EXCHANGE_MAX_NUM_ORDERS", maxNumOrders: LIMITS.openOrdersMax }],
    symbols: markets.map(marketView),
  };
}

/** The largest amount on the wire, as there is no other bound. */
const UNBOUNDED = amountText(10n ** 18n * ONE - 1n);

const STATUS: Readonly<Record<MarketStatus, AliasMarket["status"]>> = {
  trading: "TRADING",
  halted: "HALT",
  delisting: "BREAK",
};

function marketView(market: ReturnType<Exchange["markets"]>[number]): AliasMarket {
  return {
    symbol: aliasSymbolOf(market.symbol),
    status: STATUS[market.status],
    baseAsset: market.base,
    baseAssetPrecision: SCALE,
    quoteAsset: market.quote,
    quotePrecision: SCALE,
    quoteAssetPrecision: SCALE,
    baseCommissionPrecision: SCALE,
    quoteCommissionPrecision: SCALE,
    orderTypes: ["LIMIT", "LIMIT_MAKER", "MARKET"],
    icebergAllowed: false,
    ocoAllowed: false,
    otoAllowed: false,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: false,
    cancelReplaceAllowed: false,
    amendAllowed: false,
    pegInstructionsAllowed: false,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: filtersOf(market),
    permissions: ["SPOT"],
    permissionSets: [["SPOT"]],
    defaultSelfTradePreventionMode: "EXPIRE_TAKER",
    allowedSelfTradePreventionModes: ["EXPIRE_TAKER"],
  };
}

function filtersOf(market: ReturnType<Exchange["markets"]>[number]): AliasMarket["filters"] {
  const { last, anchorPrice, minVolume, minNotional, volumeDecimals } = market;
  return [
    {
      filterType: "PRICE_FILTER",
      minPrice: amountText(tickAt(market, 0n)),
      // Zero switches a bound off.
      maxPrice: amountText(0n),
      tickSize: amountText(tickAt(market, last ?? anchorPrice)),
    },
    {
      filterType: "LOT_SIZE",
      minQty: amountText(minVolume),
      maxQty: UNBOUNDED,
      stepSize: amountText(10n ** BigInt(SCALE - volumeDecimals)),
    },
    {
      filterType: "NOTIONAL",
      minNotional: amountText(minNotional),
      applyMinToMarket: true,
      maxNotional: UNBOUNDED,
      applyMaxToMarket: false,
      avgPriceMins: 0,
    },
  ];
}

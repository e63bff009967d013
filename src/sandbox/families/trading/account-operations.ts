/**
 * The operations of the Trading API for an account: balances, volume and fees, the stream token.
 * Source: service.md#trading-account.
 */

import { answer, type Outcome, unknownPair } from "../../http/outcome.ts";
import type { MarketRule, Units } from "../../model/index.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import { timeText } from "../../wire/market-view.ts";
import { percentText } from "./market-rows.ts";
import type { OperationCall, OperationHandlers } from "./trading-call.ts";

const VOLUME_DAYS_MS = 30 * 86_400_000;
const VOLUME_CURRENCY = "KRW";

export const ACCOUNT_OPERATIONS: OperationHandlers<"Balance" | "BalanceEx" | "TradeVolume" | "GetWebSocketsToken"> = {
  Balance: ({ service, key }) =>
    answer(
      Object.fromEntries(
        service.exchange
          .balances(key.accountId)
          .map(({ asset, available, locked }) => [asset, decimalText(available + locked)]),
      ),
    ),
  BalanceEx: ({ service, key }) =>
    answer(
      Object.fromEntries(
        service.exchange.balances(key.accountId).map(({ asset, available, locked, unsettled }) => [
          asset,
          {
            balance: decimalText(available + locked),
            hold_trade: decimalText(locked),
            unsettled: decimalText(unsettled),
          },
        ]),
      ),
    ),
  TradeVolume: tradeVolume,
  GetWebSocketsToken({ service, at, key }) {
    const { token, expiresAt } = service.tokens.issue(key.keyId, key.accountId, at);
    return answer({ token, expires: Math.floor((expiresAt - at) / 1000), expires_at: timeText(expiresAt) });
  },
};

function tradeVolume({ service, pairs, at, key, request }: OperationCall<"TradeVolume">): Outcome {
  const markets: MarketRule[] = [];
  for (const written of request.pair?.split(",") ?? []) {
    const market = service.exchange.market(pairs.symbolOf(written) ?? "");
    if (market === undefined) return unknownPair(written);
    markets.push(market);
  }
  const { fills } = service.exchange.fills(key.accountId, {
    from: at - VOLUME_DAYS_MS,
    limit: Number.MAX_SAFE_INTEGER,
  });
  const volume = fills.reduce((sum, { value }) => sum + value, 0n);
  const feesBy = (rateOf: (market: MarketRule) => Units): object =>
    Object.fromEntries(markets.map((market) => [market.symbol, feeView(rateOf(market))]));
  return answer({
    currency: VOLUME_CURRENCY,
    volume: decimalText(volume),
    ...(markets.length === 0
      ? {}
      : { fees: feesBy(({ takerFeeRate }) => takerFeeRate), fees_maker: feesBy(({ makerFeeRate }) => makerFeeRate) }),
    account_id: key.accountId,
  });
}

function feeView(rate: Units): object {
  const fee = percentText(rate);
  return { fee, minfee: fee, maxfee: fee, nextfee: null, nextvolume: null, tiervolume: "0" };
}
